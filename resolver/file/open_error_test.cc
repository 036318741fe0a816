#include "resolver/file/open_error.h"

#include <cerrno>
#include <string>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(OpenErrorTest, OnlyMissingFilesAreNotFound) {
  using enum absl::StatusCode;
  const struct {
    int error;
    absl::StatusCode code;
  } kCases[] = {
      {EACCES, kPermissionDenied},  {EPERM, kPermissionDenied},   {EMFILE, kResourceExhausted},
      {ENFILE, kResourceExhausted}, {ENOMEM, kResourceExhausted}, {EIO, kUnavailable},
      {ESTALE, kUnavailable},       {EINTR, kUnavailable},        {ENOENT, kNotFound},
      {ENOTDIR, kNotFound},         {ELOOP, kNotFound},           {ENAMETOOLONG, kNotFound},
      {ENXIO, kNotFound},           {EISDIR, kNotFound}};
  for (const auto& c : kCases) {
    EXPECT_EQ(OpenError("/a", c.error).code(), c.code) << c.error;
  }
}

TEST(OpenErrorTest, MessagesStateErrnoIfARetryMaySucceed) {
  EXPECT_EQ(Message(OpenError("/a\n", EACCES)),
            "'/a\\n' cannot be read: permission denied; check --allow-root and the permissions of "
            "the file");
  EXPECT_EQ(Message(OpenError("/a", EMFILE)), Concat("cannot open '/a' (errno ", EMFILE, ")"));
  EXPECT_EQ(Message(OpenError("/a", EIO)), Concat("cannot open '/a' (errno ", EIO, ")"));
  EXPECT_EQ(Message(OpenError("/a", ENOENT)), "file not found: '/a'");
}

}  // namespace
}  // namespace stagedoor

#include "resolver/file/open_error.h"

#include <cerrno>
#include <string>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(OpenErrorTest, OnlyAMissingFileIsNotFound) {
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

TEST(OpenErrorTest, MessagesGiveErrnoWhereAnotherTryMaySucceed) {
  EXPECT_EQ(Message(OpenError("/a\n", EACCES)), "'/a\\n' may not be read");
  EXPECT_EQ(Message(OpenError("/a", EMFILE)), Concat("cannot open '/a' (errno ", EMFILE, ")"));
  EXPECT_EQ(Message(OpenError("/a", EIO)), Concat("cannot open '/a' (errno ", EIO, ")"));
  EXPECT_EQ(Message(OpenError("/a", ENOENT)), "no file '/a'");
}

}  // namespace
}  // namespace stagedoor

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
      {EACCES, kPermissionDenied}, {EPERM, kPermissionDenied}, {ENOENT, kNotFound},
      {ENOTDIR, kNotFound},        {ELOOP, kNotFound},         {ENAMETOOLONG, kNotFound},
      {ENXIO, kNotFound},          {EISDIR, kNotFound},        {EMFILE, kUnavailable},
      {ENFILE, kUnavailable},      {ENOMEM, kUnavailable},     {EIO, kUnavailable},
      {ESTALE, kUnavailable},      {EINTR, kUnavailable},      {ENOTCONN, kUnavailable},
      {ETIMEDOUT, kUnavailable},   {EHOSTDOWN, kUnavailable},  {EKEYEXPIRED, kUnavailable},
      {EINVAL, kUnavailable},      {12345, kUnavailable}};
  for (const auto& c : kCases) {
    EXPECT_EQ(OpenError("/a", c.error).code(), c.code) << c.error;
  }
}

TEST(OpenErrorTest, MessagesNameTheErrorIfItMayPass) {
  EXPECT_EQ(Message(OpenError("/a\n", EACCES)),
            "'/a\\n' cannot be read: permission denied; check --allow-root and the permissions of "
            "the file");
  EXPECT_EQ(Message(OpenError("/a", ESTALE)), "cannot open '/a': ESTALE (Stale file handle)");
  EXPECT_EQ(Message(ReadError("/a\n", EIO)), "cannot read '/a\\n': EIO (Input/output error)");
  EXPECT_EQ(Message(OpenError("/a", 12345)), "cannot open '/a': errno 12345");
  EXPECT_EQ(Message(OpenError("/a", ENOENT)), "file not found: '/a'");
}

}  // namespace
}  // namespace stagedoor

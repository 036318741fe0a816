#include "server/listen/address_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/status.h"

namespace stagedoor::server {
namespace {

absl::Status CannotWrite(const std::string& path) {
  return PermissionDeniedError("cannot write the address file ", Quoted(path), ": ",
                               std::strerror(errno));
}

bool WriteAll(int fd, const std::string& text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

absl::Status AddressFile::RemoveStale() {
  struct stat info;
  if (::lstat(path_.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : CannotWrite(path_);
  }
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError("cannot write the address file ", Quoted(path_),
                                   ": it exists and is not a regular file; choose another path");
  }
  return ::unlink(path_.c_str()) == 0 || errno == ENOENT ? absl::OkStatus() : CannotWrite(path_);
}

absl::Status AddressFile::Write(const std::vector<std::string>& addresses) {
  std::string text;
  for (const std::string& address : addresses) text.append(address).append("\n");
  const std::string beside = Concat(path_, ".", static_cast<int64_t>(::getpid()), ".tmp");
  const int fd =
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return CannotWrite(path_);
  struct stat info {};
  bool written = WriteAll(fd, text) && ::fstat(fd, &info) == 0;
  if (::close(fd) != 0) written = false;
  if (written && std::rename(beside.c_str(), path_.c_str()) == 0) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
    return absl::OkStatus();
  }
  const absl::Status status = CannotWrite(path_);
  ::unlink(beside.c_str());
  return status;
}

void AddressFile::Remove() {
  struct stat info;
  if (inode_ != 0 && ::lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ &&
      info.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
}

}  // namespace stagedoor::server

#include "client/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

absl::Status CannotWrite(std::string_view display_name, int error) {
  const std::string message =
      Concat("cannot write ", Quoted(display_name), ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return ResourceExhaustedError(message);
  if (error == EACCES || error == EPERM || error == EROFS) return PermissionDeniedError(message);
  return FailedPreconditionError(message);
}

// Resolves the symbolic links in `name`. The file itself need not exist yet.
fs::path Target(const std::string& name) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(name, error);
  return error ? fs::path(name) : target;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(const std::string& name) {
  if (name == "-") {
    std::unique_ptr<OutputFile> file(new OutputFile(-1, name, "standard output"));
    file->fd_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (file->fd_ < 0) return file->Failed(errno);
    return file;
  }
  const fs::path target = Target(name);
  struct stat info {};
  const bool there = ::stat(name.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return CannotWrite(name, EISDIR);
  if (there && !S_ISREG(info.st_mode)) {
    std::unique_ptr<OutputFile> file(new OutputFile(-1, name, name));
    file->fd_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd_ < 0) return file->Failed(errno);
    return file;
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const int folder_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd < 0) return CannotWrite(name, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(folder_fd, target.filename().string(), name));
  SD_RETURN_IF_ERROR(file->OpenBeside(there ? info.st_mode & 0777 : 0));
  return file;
}

absl::StatusOr<std::unique_ptr<OutputFile>> OutputFile::CreateAt(int folder_fd,
                                                                 const std::string& name,
                                                                 const std::string& display_name) {
  struct stat info {};
  const bool there = ::fstatat(folder_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && !S_ISREG(info.st_mode)) {
    return PermissionDeniedError("refusing to write ", Quoted(display_name),
                                 ": it exists and is not a regular file");
  }
  const int own_fd = ::fcntl(folder_fd, F_DUPFD_CLOEXEC, 3);
  if (own_fd < 0) return CannotWrite(display_name, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(own_fd, name, display_name));
  SD_RETURN_IF_ERROR(file->OpenBeside(0));
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!beside_.empty()) ::unlinkat(folder_fd_, beside_.c_str(), 0);
  if (folder_fd_ >= 0) ::close(folder_fd_);
}

absl::Status OutputFile::OpenBeside(unsigned mode) {
  // The temporary name is short, so that it is not too long for the file system where the final one
  // is not. O_EXCL ensures that no existing file is overwritten.
  for (int i = 0; i < 100; ++i) {
    beside_ = Concat(".stagedoor-", static_cast<int64_t>(::getpid()), "-", i, ".tmp");
    fd_ = ::openat(folder_fd_, beside_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                   0666);
    if (fd_ >= 0 || errno != EEXIST) break;
  }
  if (fd_ < 0) {
    beside_.clear();
    return Failed(errno);
  }
  if (mode != 0) ::fchmod(fd_, mode);
  return absl::OkStatus();
}

absl::Status OutputFile::Write(std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(fd_, data.data(), data.size());
    if (written > 0) {
      data.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return Failed(errno);
    }
  }
  return absl::OkStatus();
}

absl::Status OutputFile::Commit() {
  // Some file systems report a full disk only on close.
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) return Failed(errno);
  if (beside_.empty()) return absl::OkStatus();
  if (::renameat(folder_fd_, beside_.c_str(), folder_fd_, name_.c_str()) != 0) return Failed(errno);
  beside_.clear();
  return absl::OkStatus();
}

absl::Status OutputFile::Failed(int error) const { return CannotWrite(display_name_, error); }

}  // namespace stagedoor

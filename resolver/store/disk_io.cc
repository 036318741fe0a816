#include "resolver/store/disk_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"

namespace stagedoor {
namespace {

// The payload of errors that IsDiskFull finds. It is empty.
constexpr char kDiskFull[] = "stagedoor.resolver.store.DiskFull";

}  // namespace

absl::Status DiskError(int error, std::string_view what) {
  const std::string message = Concat("cannot ", what, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT: {
      absl::Status full = ResourceExhaustedError(
          message, "; free space in the directory of --cache-dir, or choose another");
      full.SetPayload(kDiskFull, absl::Cord());
      return full;
    }
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ResourceExhaustedError(message);
    case ENOENT:
      return NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDeniedError(message);
    default:
      return UnavailableError(message);
  }
}

bool IsDiskFull(const absl::Status& status) { return status.GetPayload(kDiskFull).has_value(); }

absl::StatusOr<size_t> ReadAt(int fd, uint64_t offset, std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t count =
        pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return DiskError(errno, "read the cache");
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

absl::Status WriteAt(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return DiskError(errno, "write to the cache");
    done += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return DiskError(errno, Concat("open ", Quoted(path)));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return DiskError(errno, Concat("open ", Quoted(path)));
  if (static_cast<uint64_t>(info.st_size) > max_bytes) {
    return ResourceExhaustedError(Quoted(path), " has more than ", max_bytes, " bytes");
  }
  std::string content(static_cast<size_t>(info.st_size), '\0');
  SD_ASSIGN_OR_RETURN(const size_t count,
                      ReadAt(fd.get(), 0, std::as_writable_bytes(std::span(content))));
  content.resize(count);
  return content;
}

absl::Status ReplaceFile(const std::string& path, std::string_view content) {
  static std::atomic<uint64_t> number{0};
  const std::string temporary = Concat(path, ".", getpid(), ".", number.fetch_add(1), ".tmp");
  {
    const UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd.get() < 0) return DiskError(errno, Concat("create ", Quoted(temporary)));
    absl::Status written = WriteAt(fd.get(), 0, std::as_bytes(std::span(content)));
    if (!written.ok()) {
      unlink(temporary.c_str());
      return written;
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  unlink(temporary.c_str());
  return DiskError(error, Concat("replace ", Quoted(path)));
}

}  // namespace stagedoor

#include "server/listen/unix_socket_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

std::string LockPath(const std::string& path) { return path + ".lock"; }

absl::Status InUse(const std::string& path, std::string_view how) {
  return UnavailableError("another process is listening on unix:", path, " (", how,
                          "); stop it or choose another --address");
}

// Whether the locked file still has its name. The previous holder may have removed it between our
// opening and our locking it.
bool StillNamed(int fd, const std::string& path) {
  struct stat locked, named;
  return ::fstat(fd, &locked) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

absl::StatusOr<int> Lock(const std::string& path) {
  const std::string name = LockPath(path);
  for (;;) {
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
      return PermissionDeniedError("cannot create the socket lock ", Quoted(name), ": ",
                                   std::strerror(errno));
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(fd);
      if (error == EWOULDBLOCK) return InUse(path, Concat("it holds ", name));
      return UnavailableError("cannot lock ", Quoted(name), ": ", std::strerror(error));
    }
    if (StillNamed(fd, name)) return fd;
    ::close(fd);
  }
}

// OK if no process listens at `path`. A server that does not use our locks may.
absl::Status CheckNobodyAnswers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return UnavailableError("cannot create a socket: ", std::strerror(errno));
  const bool answered =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const int error = errno;
  ::close(fd);
  // EAGAIN means that a server listens but its backlog is full.
  if (answered || error == EAGAIN) return InUse(path, "it accepts connections");
  if (error == ECONNREFUSED || error == ENOENT) return absl::OkStatus();
  return UnavailableError("cannot determine whether another process listens on unix:", path, ": ",
                          std::strerror(error));
}

absl::Status RemoveStaleSocket(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return UnavailableError("cannot access ", Quoted(path), ": ", std::strerror(errno));
  }
  if (!S_ISSOCK(info.st_mode)) {
    return FailedPreconditionError("cannot listen on unix:", path,
                                   ": the existing file is not a socket; remove it");
  }
  SD_RETURN_IF_ERROR(CheckNobodyAnswers(path));
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return PermissionDeniedError("cannot remove the stale socket ", Quoted(path), ": ",
                               std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnixSocketLock>> UnixSocketLock::Acquire(const std::string& path) {
  SD_ASSIGN_OR_RETURN(const int fd, Lock(path));
  absl::Status free = RemoveStaleSocket(path);
  if (!free.ok()) {
    ::unlink(LockPath(path).c_str());
    ::close(fd);
    return free;
  }
  return std::unique_ptr<UnixSocketLock>(new UnixSocketLock(path, fd));
}

UnixSocketLock::~UnixSocketLock() {
  RemoveFiles(path_);
  ::close(lock_fd_);
}

void UnixSocketLock::RemoveFiles(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(path.c_str());
  ::unlink(LockPath(path).c_str());
}

}  // namespace stagedoor::server

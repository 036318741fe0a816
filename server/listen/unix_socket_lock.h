// UnixSocketLock is the exclusive right to listen on the path of a Unix socket.
//
// A process that ended without removing its socket leaves a file that nobody can listen on. The
// lock tells such a file from one that is in use: its holder has locked PATH.lock, which the kernel
// unlocks when the process ends for any reason, and has found that no process accepts connections
// on an existing socket.
// Destruction removes both files.
#ifndef STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_
#define STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace stagedoor::server {

class UnixSocketLock {
 public:
  // Also removes the socket that an earlier server left. UNAVAILABLE if another process listens
  // there; FAILED_PRECONDITION if the path is not a socket; PERMISSION_DENIED if the directory is
  // not writable. All errors name the path.
  static absl::StatusOr<std::unique_ptr<UnixSocketLock>> Acquire(const std::string& path);
  ~UnixSocketLock();
  UnixSocketLock(const UnixSocketLock&) = delete;
  UnixSocketLock& operator=(const UnixSocketLock&) = delete;

  // Removes both files, for a holder that exits without running destructors.
  static void RemoveFiles(const std::string& path);

 private:
  UnixSocketLock(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  const std::string path_;
  const int lock_fd_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_

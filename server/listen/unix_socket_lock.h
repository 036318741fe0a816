// UnixSocketLock: the right to listen on the path of a Unix socket.
//
// gRPC removes a socket that is in its way, be it in use or not. Whoever holds the claim knows that
// it is not: it holds a lock on PATH.lock, which the kernel lets go of when the process ends
// however that happens, and nobody answered on the socket that was there. Destruction removes both
// files.
#ifndef STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_
#define STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace stagedoor {

class UnixSocketLock {
 public:
  // Removes the socket of a server that is gone. UNAVAILABLE when another process listens there;
  // FAILED_PRECONDITION when something else than a socket is in the way; PERMISSION_DENIED when the
  // folder cannot be written. All name the path.
  static absl::StatusOr<std::unique_ptr<UnixSocketLock>> Acquire(const std::string& path);
  ~UnixSocketLock();
  UnixSocketLock(const UnixSocketLock&) = delete;
  UnixSocketLock& operator=(const UnixSocketLock&) = delete;

  // Of whoever holds the claim and ends without destructors.
  static void RemoveFiles(const std::string& path);

 private:
  UnixSocketLock(std::string path, int lock_fd) : path_(std::move(path)), lock_fd_(lock_fd) {}

  const std::string path_;
  const int lock_fd_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LISTEN_UNIX_SOCKET_LOCK_H_

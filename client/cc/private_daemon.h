#ifndef STAGEDOOR_CLIENT_CC_PRIVATE_DAEMON_H_
#define STAGEDOOR_CLIENT_CC_PRIVATE_DAEMON_H_

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

// The daemon of this user, which is started where no address of another one is given. It serves all
// programs of the user that have the same version, on a Unix socket in a folder that only the user
// may enter, and stops when it has not been used for ten minutes. Python programs find it by the
// same names (client/python/stagedoor/_private.py). Thread-safe.
class PrivateDaemon {
 public:
  // The address, also in STAGEDOOR_ADDRESS, that stands for no daemon, not even a private one.
  static constexpr std::string_view kNone = "none";

  // The daemon of this version whose program is installed (DaemonProgramFolders), running or not.
  // Null if none is.
  static std::shared_ptr<PrivateDaemon> Find();
  // `program` may be empty for a daemon that is not to be started.
  PrivateDaemon(std::string program, std::string folder);
  // The folder of the user, whether or not it exists.
  static std::string Folder();

  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  // "unix:PATH".
  const std::string& address() const { return address_; }
  std::string log_file() const;

  // Starts the daemon unless it runs, and says so on standard error. Returns when it accepts
  // connections. UNAVAILABLE says why it cannot be started: its folder or its socket belongs to
  // others, its program ends, the disk is full …
  absl::Status Ensure() const;

  // The process that accepts connections; none if there is none. Errors as for Ensure.
  absl::StatusOr<std::optional<pid_t>> FindProcess() const;

  // The end of the log, at most a mebibyte. NOT_FOUND if there is none; otherwise errors as for
  // Ensure.
  absl::StatusOr<std::string> ReadLog() const;

 private:
  const std::string program_;
  const std::string folder_;
  std::string address_;
  int folder_fd_ = -1;  // part of the address, if the path of the socket is too long
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_PRIVATE_DAEMON_H_

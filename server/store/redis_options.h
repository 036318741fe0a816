#ifndef STAGEDOOR_SERVER_STORE_REDIS_OPTIONS_H_
#define STAGEDOOR_SERVER_STORE_REDIS_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor::server {

// How to reach a Redis server, and how much it may take. What the server must offer is described in
// docs/decisions/session-store.md.
struct RedisOptions {
  std::string host;  // a name or an IP address without brackets; empty for a Unix socket
  uint16_t port = 6379;
  std::string socket_path;  // of a Unix socket, absolute; empty for host and port
  bool tls = false;
  std::string user;      // of an ACL; empty for the default user
  std::string password;  // empty if none is needed
  int database = 0;

  // The certificates of authorities, in PEM. Empty for those of the system.
  std::string ca_file;
  // The certificate and key of this client, in PEM. Empty unless the server asks for them.
  std::string certificate_file;
  std::string key_file;

  // Begins all keys and channels.
  std::string key_prefix = "stagedoor:";
  std::chrono::milliseconds connect_timeout{1000};    // includes the look-up of the host's name
  std::chrono::milliseconds operation_timeout{1000};  // of one call
  int max_connections = 8;                            // besides one for announcements
  size_t max_reply_bytes = size_t{64} << 20;          // a longer reply is an error

  // The URL for messages and logs, without user name and password.
  std::string Address() const;
};

// Parses one of
//   redis://[[USER][:PASSWORD]@]HOST[:PORT][/DATABASE]
//   rediss://…            the same with TLS
//   redis+unix:/PATH      a Unix socket
// USER and PASSWORD are percent-encoded; HOST may be an IPv6 address in brackets. INVALID_ARGUMENT
// otherwise, with a message that never holds the user name or the password.
absl::StatusOr<RedisOptions> ParseRedisUrl(std::string_view url);

// INVALID_ARGUMENT, with the reason, if the options contradict each other or are out of range.
absl::Status CheckRedisOptions(const RedisOptions& options);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_OPTIONS_H_

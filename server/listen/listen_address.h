#ifndef STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_
#define STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor::server {

// An address to listen on: "HOST:PORT" ("[::1]:PORT" for IPv6) or "unix:PATH".
struct ListenAddress {
  std::string socket_path;  // of a Unix socket; empty for host and port
  std::string host;
  uint16_t port = 0;  // 0 picks a free port

  bool is_unix() const { return !socket_path.empty(); }
  // Whether only processes on this machine can connect to it.
  bool is_local() const;

  // INVALID_ARGUMENT, with the reason: no port, a port above 65535, an empty path …
  static absl::StatusOr<ListenAddress> Parse(std::string_view text);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_

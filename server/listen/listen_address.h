#ifndef STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_
#define STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

// Where a server listens: "HOST:PORT" ("[::1]:PORT" for IPv6) or "unix:PATH".
struct ListenAddress {
  std::string socket_path;  // of a Unix socket; else host and port
  std::string host;
  uint16_t port = 0;  // 0: a free one

  bool is_unix() const { return !socket_path.empty(); }

  // INVALID_ARGUMENT says what is wrong with it: no port, a port above 65535, an empty path …
  static absl::StatusOr<ListenAddress> Parse(std::string_view text);
};

// Why nobody can listen on `address` right now, as far as trying tells: "Address already in use".
std::string ProbeBindError(const ListenAddress& address);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LISTEN_LISTEN_ADDRESS_H_

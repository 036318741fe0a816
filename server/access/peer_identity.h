#ifndef STAGEDOOR_SERVER_ACCESS_PEER_IDENTITY_H_
#define STAGEDOOR_SERVER_ACCESS_PEER_IDENTITY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/identity.h"

namespace stagedoor::server {

// Where a connection comes from.
struct PeerAddress {
  std::string text;  // without the port: "127.0.0.1", "::1", or "unix"
  // Names the share of the daemon that its calls use if nothing else is known of the client:
  // IpAddress::ToShare, or the text.
  std::string share;
  bool on_this_machine = false;  // a loopback address or a Unix socket

  // Parses what gRPC calls the peer: "ipv4:127.0.0.1:1234", "ipv6:%5B::1%5D:1234" or
  // "ipv6:[::1]:1234", "unix:PATH". The text of an address is in its usual form, an IPv4 address in
  // IPv6 becomes that of IPv4. Anything else is kept as it is, escaped, as an address elsewhere.
  static PeerAddress Parse(std::string_view peer);
};

// The identity of a verified client certificate: its first alternative name, or, if it has none,
// its common name. The other alternative names are aliases. UNAUTHENTICATED if it has no name, or a
// name that IsIdentityText refuses, such as one with a NUL, or too many.
absl::StatusOr<Identity> CertificateIdentity(std::span<const std::string> alternative_names,
                                             std::string_view common_name);

// The user and groups of the process at the other end of a Unix socket.
struct SocketCredentials {
  uint32_t uid = 0;
  std::vector<uint32_t> gids;  // the effective one first
};

// "uid:1000" with the aliases "gid:100" …. UNAUTHENTICATED for the user that stands for those who
// are not known here (uid -1).
absl::StatusOr<Identity> SocketIdentity(const SocketCredentials& credentials);

// The identity of a caller who proved nothing: kLocal on this machine, if no credentials are
// configured (tokens, client certificates or roles); otherwise kAnonymous.
Identity UnprovedIdentity(const PeerAddress& address, bool credentials_configured);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_PEER_IDENTITY_H_

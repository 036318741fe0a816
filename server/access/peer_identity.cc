#include "server/access/peer_identity.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/ip_address.h"
#include "base/status.h"
#include "base/strings.h"
#include "server/access/identity_text.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxPeerBytes = 128;

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

// The text with "%5B" and the like decoded.
std::string DecodePercents(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      decoded.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

// The host of "ipv6:[fe80::1%eth0]:1234" without brackets and zone.
std::optional<std::string> Ipv6Host(const std::string& host) {
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return std::nullopt;
  const size_t zone = std::min(host.find('%'), host.size() - 1);
  return host.substr(1, zone - 1);
}

std::optional<IpAddress> ParseHostAndPort(std::string_view peer) {
  constexpr size_t kScheme = 5;
  const size_t port = peer.rfind(':');
  if (port == peer.npos || !ParseNumber<uint16_t>(peer.substr(port + 1))) return std::nullopt;
  const bool v4 = peer.starts_with("ipv4:"), v6 = peer.starts_with("ipv6:");
  if ((!v4 && !v6) || port < kScheme) return std::nullopt;
  const std::string host = DecodePercents(peer.substr(kScheme, port - kScheme));
  if (host.find('\0') != host.npos) return std::nullopt;
  const std::optional<std::string> bare = v6 ? Ipv6Host(host) : host;
  const bool is_ipv6_text = bare && bare->find(':') != bare->npos;
  return bare && is_ipv6_text == v6 ? IpAddress::Parse(*bare) : std::nullopt;
}

}  // namespace

PeerAddress PeerAddress::Parse(std::string_view peer) {
  if (peer.starts_with("unix:") || peer.starts_with("unix-abstract:")) {
    return {"unix", "unix", true};
  }
  if (const std::optional<IpAddress> address = ParseHostAndPort(peer)) {
    return {address->ToString(), address->ToShare(), address->IsLoopback()};
  }
  const std::string quoted = Quoted(peer, kMaxPeerBytes);
  return {quoted, quoted, false};
}

absl::StatusOr<Identity> CertificateIdentity(std::span<const std::string> alternative_names,
                                             std::string_view common_name) {
  std::vector<std::string_view> names(alternative_names.begin(), alternative_names.end());
  if (names.empty() && !common_name.empty()) names.push_back(common_name);
  if (names.empty()) return UnauthenticatedError("the client certificate has no name");
  if (names.size() > kMaxIdentityAliases + 1) {
    return UnauthenticatedError("the client certificate has more than ", kMaxIdentityAliases + 1,
                                " names");
  }
  Identity identity;
  identity.method = Identity::Method::kCertificate;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsIdentityText(names[i])) {
      return UnauthenticatedError("the name ", Quoted(names[i], kMaxPeerBytes),
                                  " of the client certificate must be a text of 1 to ",
                                  kMaxIdentityTextBytes, " bytes without control characters");
    }
    std::string name = Concat("certificate:", names[i]);
    if (i == 0) {
      identity.name = std::move(name);
    } else {
      identity.aliases.push_back(std::move(name));
    }
  }
  return identity;
}

absl::StatusOr<Identity> SocketIdentity(const SocketCredentials& credentials) {
  if (credentials.uid == std::numeric_limits<uint32_t>::max()) {
    return UnauthenticatedError("the user at the other end of the Unix socket is not known");
  }
  Identity identity;
  identity.method = Identity::Method::kPeer;
  identity.name = Concat("uid:", credentials.uid);
  for (const uint32_t gid : credentials.gids) {
    std::string alias = Concat("gid:", gid);
    if (gid == std::numeric_limits<uint32_t>::max()) continue;
    if (std::find(identity.aliases.begin(), identity.aliases.end(), alias) !=
        identity.aliases.end()) {
      continue;  // the effective group is often among the others, too
    }
    identity.aliases.push_back(std::move(alias));
    if (identity.aliases.size() == kMaxIdentityAliases) break;
  }
  return identity;
}

Identity UnprovedIdentity(const PeerAddress& address, bool credentials_configured) {
  Identity identity;
  if (!address.on_this_machine || credentials_configured) return identity;
  identity.method = Identity::Method::kLocal;
  identity.name = "local";
  return identity;
}

}  // namespace stagedoor::server

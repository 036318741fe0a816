#include "server/listen/listen_address.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/ip_address.h"
#include "base/status.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

absl::StatusOr<ListenAddress> ParseUnix(std::string_view path) {
  // "unix:///run/x" is the URI form of "unix:/run/x".
  if (path.substr(0, 2) == "//") path.remove_prefix(2);
  if (path.empty()) return InvalidArgumentError("unix: must be followed by a path");
  if (path.size() > kMaxSocketPath) {
    return InvalidArgumentError("the path of a Unix socket must have at most ", kMaxSocketPath,
                                " bytes, not ", path.size());
  }
  if (path.find('\0') != std::string_view::npos) {
    return InvalidArgumentError("the path of a Unix socket must not contain NUL");
  }
  ListenAddress address;
  address.socket_path = std::string(path);
  return address;
}

}  // namespace

absl::StatusOr<ListenAddress> ListenAddress::Parse(std::string_view text) {
  if (text.substr(0, kUnix.size()) == kUnix) return ParseUnix(text.substr(kUnix.size()));
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return InvalidArgumentError(":PORT is missing");
  ListenAddress address;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]/") != std::string_view::npos) {
    return InvalidArgumentError("the host must be a name or an address; write IPv6 as [HOST]:PORT");
  }
  if (host.empty())
    return InvalidArgumentError("the host is missing; use 0.0.0.0 for all interfaces");
  const auto number = ParseNumber<uint16_t>(port);
  if (!number) return InvalidArgumentError("the port must be a number from 0 to 65535");
  address.port = *number;
  address.host = std::string(host);
  return address;
}

bool ListenAddress::is_local() const { return is_unix() || IsLoopbackHost(host); }

}  // namespace stagedoor::server

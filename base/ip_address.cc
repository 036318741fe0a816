#include "base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace stagedoor {
namespace {

constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.empty() || text.size() >= INET6_ADDRSTRLEN) return std::nullopt;
  const std::string name(text);
  in_addr v4;
  // inet_pton rejects octal, hexadecimal and shortened forms.
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) return V4(ntohl(v4.s_addr));
  IpAddress address;
  if (inet_pton(AF_INET6, name.c_str(), address.bytes_.data()) != 1) return std::nullopt;
  return address;
}

std::optional<IpAddress> IpAddress::FromSockaddr(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, address, sizeof(v4));
    return V4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6;
  std::memcpy(&v6, address, sizeof(v6));
  IpAddress out;
  std::memcpy(out.bytes_.data(), &v6.sin6_addr, out.bytes_.size());
  return out;
}

std::optional<IpAddress> IpAddress::OfPeer(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  return ::getpeername(fd, any, &size) == 0 ? FromSockaddr(any) : std::nullopt;
}

IpAddress IpAddress::V4(uint32_t address) {
  IpAddress out;
  std::memcpy(out.bytes_.data(), kMappedPrefix.data(), kMappedPrefix.size());
  for (size_t i = 0; i < 4; ++i) {
    out.bytes_[12 + i] = static_cast<uint8_t>(address >> (24 - 8 * i));
  }
  return out;
}

bool IpAddress::is_v4() const {
  return std::memcmp(bytes_.data(), kMappedPrefix.data(), kMappedPrefix.size()) == 0;
}

bool IpAddress::Within(const IpAddress& network, int bits) const {
  if (network.is_v4()) {
    if (!is_v4()) return false;
    bits += 96;
  }
  const auto whole = static_cast<size_t>(bits / 8);
  if (std::memcmp(bytes_.data(), network.bytes_.data(), whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || ((bytes_[whole] ^ network.bytes_[whole]) >> (8 - rest)) == 0;
}

bool IpAddress::IsLoopback() const {
  if (is_v4()) return v4() >> 24 == 127;
  return Word(0) == 0 && Word(4) == 0 && Word(8) == 0 && Word(12) == 1;
}

std::string IpAddress::ToString() const {
  char text[INET6_ADDRSTRLEN];
  const void* start = is_v4() ? bytes_.data() + 12 : bytes_.data();
  return inet_ntop(is_v4() ? AF_INET : AF_INET6, start, text, sizeof(text));
}

std::string IpAddress::ToShare() const {
  if (is_v4()) return ToString();
  IpAddress network = *this;
  std::fill(network.bytes_.begin() + 8, network.bytes_.end(), 0);  // a provider assigns 64 bits
  return network.ToString() + "/64";
}

bool IsLoopbackHost(const std::string& host) {
  if (host == "localhost") return true;
  const std::optional<IpAddress> address = IpAddress::Parse(host);
  return address && address->IsLoopback();
}

}  // namespace stagedoor

#include "base/network_address.h"

#include <arpa/inet.h>

#include <array>
#include <cstring>

namespace stagedoor {
namespace {

constexpr size_t kIpv4At = 12;  // in the bytes of an IPv4 address in IPv6

std::string TextOf(int family, const void* bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(family, bytes, text.data(), text.size());
  return text.data();
}

}  // namespace

NetworkAddress::NetworkAddress(const in_addr& address) : bytes_{} {
  bytes_.s6_addr[kIpv4At - 2] = bytes_.s6_addr[kIpv4At - 1] = 0xff;
  std::memcpy(bytes_.s6_addr + kIpv4At, &address, sizeof(address));
}

std::optional<NetworkAddress> NetworkAddress::Parse(const std::string& text) {
  in_addr v4;
  in6_addr v6;
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return NetworkAddress(v4);
  if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) return NetworkAddress(v6);
  return std::nullopt;
}

std::optional<NetworkAddress> NetworkAddress::OfPeer(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return std::nullopt;
  return Of(address);
}

std::optional<NetworkAddress> NetworkAddress::Of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    return NetworkAddress(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  }
  if (address.ss_family == AF_INET6) {
    return NetworkAddress(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  return std::nullopt;
}

bool NetworkAddress::IsLoopback() const {
  return IsIpv4() ? bytes_.s6_addr[kIpv4At] == 127 : IN6_IS_ADDR_LOOPBACK(&bytes_) != 0;
}

std::string NetworkAddress::ToText() const {
  return IsIpv4() ? TextOf(AF_INET, bytes_.s6_addr + kIpv4At) : TextOf(AF_INET6, &bytes_);
}

std::string NetworkAddress::ToShare() const {
  if (IsIpv4()) return ToText();
  in6_addr network = bytes_;
  std::memset(network.s6_addr + 8, 0, 8);  // a provider assigns at least 64 bits to a client
  return TextOf(AF_INET6, &network) + "/64";
}

bool IsLoopbackHost(const std::string& host) {
  if (host == "localhost") return true;
  const auto address = NetworkAddress::Parse(host);
  return address && address->IsLoopback();
}

}  // namespace stagedoor

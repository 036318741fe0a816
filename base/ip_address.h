#ifndef STAGEDOOR_BASE_IP_ADDRESS_H_
#define STAGEDOOR_BASE_IP_ADDRESS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace stagedoor {

// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (::ffff:a.b.c.d) is the IPv4 address. An
// immutable value.
class IpAddress {
 public:
  // Parses four decimal numbers without leading zeros, or IPv6 text without brackets and zone.
  static std::optional<IpAddress> Parse(std::string_view text);
  // Nothing for other families than AF_INET and AF_INET6.
  static std::optional<IpAddress> FromSockaddr(const sockaddr* address);
  // The address at the other end of a connected socket. Nothing for other families.
  static std::optional<IpAddress> OfPeer(int fd);
  static IpAddress V4(uint32_t address);

  bool is_v4() const;
  // The address as a number; only for IPv4.
  uint32_t v4() const { return Word(12); }
  // Four bytes of the IPv6 form as a number, most significant first. `at` is at most 12.
  uint32_t Word(size_t at) const {
    return uint32_t{bytes_[at]} << 24 | uint32_t{bytes_[at + 1]} << 16 |
           uint32_t{bytes_[at + 2]} << 8 | bytes_[at + 3];
  }

  // Whether the first `bits` bits of the IPv6 forms are equal; of the IPv4 forms if `network` is
  // one.
  bool Within(const IpAddress& network, int bits) const;

  // Whether it is in 127.0.0.0/8 or ::1, which other machines cannot reach.
  bool IsLoopback() const;

  // The canonical text, such as "127.0.0.1" or "2001:db8::1".
  std::string ToString() const;
  // Names the share of a resource that a client at this address uses: the address, but for IPv6 the
  // network ("2001:db8::/64"), because one client may use any number of its addresses.
  std::string ToShare() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  std::array<uint8_t, 16> bytes_ = {};
};

// Whether a host, without brackets and port, is this machine and cannot be reached from others:
// "localhost" or a loopback address. Other names are not looked up.
bool IsLoopbackHost(const std::string& host);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_IP_ADDRESS_H_

#ifndef STAGEDOOR_BASE_NETWORK_ADDRESS_H_
#define STAGEDOOR_BASE_NETWORK_ADDRESS_H_

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>

namespace stagedoor {

// The IPv4 or IPv6 address of a host. An IPv4 address in IPv6, "::ffff:10.0.0.7", is the same as
// that of IPv4.
class NetworkAddress {
 public:
  // Parses "10.0.0.7" or "2001:db8::1", without brackets, zone and port.
  static std::optional<NetworkAddress> Parse(const std::string& text);
  // The address at the other end of a connected socket. Nothing for other families.
  static std::optional<NetworkAddress> OfPeer(int fd);
  static std::optional<NetworkAddress> Of(const sockaddr_storage& address);

  // Whether it is 127.0.0.0/8 or ::1, which cannot be reached from other machines.
  bool IsLoopback() const;
  // The usual form of the address.
  std::string ToText() const;
  // Whose share of a resource a client at this address uses: the address, but for IPv6 the network
  // ("2001:db8::/64"), because one client may use any number of its addresses.
  std::string ToShare() const;

 private:
  explicit NetworkAddress(const in6_addr& bytes) : bytes_(bytes) {}
  explicit NetworkAddress(const in_addr& address);

  bool IsIpv4() const { return IN6_IS_ADDR_V4MAPPED(&bytes_) != 0; }

  in6_addr bytes_;
};

// Whether a host, without brackets and port, is this machine and cannot be reached from others:
// "localhost" or a loopback address. Other names are not looked up.
bool IsLoopbackHost(const std::string& host);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_NETWORK_ADDRESS_H_

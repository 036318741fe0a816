#include "resolver/access/network_policy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

struct V4Network {
  uint32_t address;
  int bits;
};

constexpr auto kNotPublicV4 = std::to_array<V4Network>({
    {0x00000000, 8},   // "this network"
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // shared, CGNAT
    {0x7f000000, 8},   // loopback
    {0xa9fe0000, 16},  // link-local, with the metadata services of clouds
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // IETF protocol assignments
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relays
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarking
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 4},   // multicast
    {0xf0000000, 4},   // reserved, and broadcast
});

bool IsPublicV4(uint32_t address) {
  return std::none_of(kNotPublicV4.begin(), kNotPublicV4.end(), [address](const V4Network& other) {
    return ((address ^ other.address) >> (32 - other.bits)) == 0;
  });
}

absl::Status InvalidNetwork(std::string_view text, std::string_view why) {
  return InvalidArgumentError("network ", Quoted(text), " ", why,
                              "; write, for example, 10.1.0.0/16 or fd00::/8");
}

}  // namespace

bool IsPublic(const IpAddress& address) {
  if (address.is_v4()) return IsPublicV4(address.v4());
  const uint32_t first = address.Word(0);
  const uint32_t second = address.Word(4);
  // NAT64, 64:ff9b::/96.
  if (first == 0x0064ff9b && second == 0 && address.Word(8) == 0) {
    return IsPublicV4(address.Word(12));
  }
  // Only 2000::/3 is global unicast; all else is special or unassigned.
  if (first >> 29 != 1) return false;
  // 6to4, 2002::/16: the IPv4 address follows the prefix.
  if (first >> 16 == 0x2002) return IsPublicV4(first << 16 | second >> 16);
  if (first >> 9 == 0x20010000 >> 9) return false;    // 2001::/23, with Teredo and benchmarking
  if (first == 0x20010db8) return false;              // documentation
  if (first >> 12 == 0x3fff0000 >> 12) return false;  // documentation
  return true;
}

absl::StatusOr<NetworkPolicy> NetworkPolicy::Parse(std::span<const std::string> networks) {
  NetworkPolicy policy;
  for (const std::string& text : networks) {
    const size_t slash = text.find('/');
    const std::optional<IpAddress> address = IpAddress::Parse(text.substr(0, slash));
    if (!address) return InvalidNetwork(text, "does not begin with an IP address");
    const int most = address->is_v4() ? 32 : 128;
    int bits = most;
    if (slash != std::string::npos) {
      const auto number = ParseNumber<int>(std::string_view(text).substr(slash + 1));
      if (!number || *number < 0 || *number > most) {
        return InvalidNetwork(text, Concat("must end with a prefix length from 0 to ", most));
      }
      bits = *number;
    }
    policy.networks_.push_back({*address, bits});
  }
  return policy;
}

bool NetworkPolicy::Allows(const IpAddress& address) const {
  return IsPublic(address) ||
         std::any_of(networks_.begin(), networks_.end(), [&address](const Network& network) {
           return address.Within(network.address, network.bits);
         });
}

}  // namespace stagedoor

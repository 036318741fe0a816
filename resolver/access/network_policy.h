#ifndef STAGEDOOR_RESOLVER_ACCESS_NETWORK_POLICY_H_
#define STAGEDOOR_RESOLVER_ACCESS_NETWORK_POLICY_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ip_address.h"

namespace stagedoor {

// Which addresses a remote backend may connect to: public ones, and the networks that the operator
// has listed (--allow-network). It is asked about the resolved address of every connection, so that
// a host name which points into the internal network, now or after the next look-up, does not help
// to get there. Immutable.
class NetworkPolicy {
 public:
  // Allows public addresses only.
  NetworkPolicy() = default;

  // `networks` are CIDRs such as "10.1.0.0/16" or "fd00::/8", or single addresses. INVALID_ARGUMENT
  // names the one that is wrong.
  static absl::StatusOr<NetworkPolicy> Parse(std::span<const std::string> networks);

  bool Allows(const IpAddress& address) const;

 private:
  struct Network {
    IpAddress address;
    int bits;
  };
  std::vector<Network> networks_;
};

// Whether an address is globally reachable by the registries of IANA: not this host, loopback,
// link-local, private, shared (CGNAT), unique-local, documentation, benchmarking, multicast or
// reserved. An IPv6 address that wraps an IPv4 address (NAT64, 6to4) is public if the latter is.
bool IsPublic(const IpAddress& address);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ACCESS_NETWORK_POLICY_H_

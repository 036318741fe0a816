#ifndef STAGEDOOR_CLIENT_CC_DAEMON_ADDRESS_H_
#define STAGEDOOR_CLIENT_CC_DAEMON_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor {

// INVALID_ARGUMENT for what is not an address, "HOST:PORT" or "unix:PATH", with what was probably
// meant. gRPC would accept any text, and use port 443 if none is given. All clients use the same
// words: client/testing/daemon_addresses.tsv.
absl::Status CheckDaemonAddress(const std::string& address);

// The addresses of a list that commas separate, such as "a:1, b:1", without the spaces around them.
std::vector<std::string> SplitAddresses(const std::string& list);

// The parts of a valid "HOST:PORT"; an IPv6 address has no brackets then.
struct HostAndPort {
  std::string host;
  std::string port;
};
HostAndPort SplitAddress(const std::string& address);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_DAEMON_ADDRESS_H_

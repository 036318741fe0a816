#include "server/upstream/upstream_options.h"

#include "base/status.h"
#include "client/cc/daemon_address.h"

namespace stagedoor::server {

absl::StatusOr<std::vector<std::string>> ParseUpstreamAddresses(const std::string& list) {
  std::vector<std::string> addresses = SplitAddresses(list);
  for (const std::string& address : addresses) {
    const absl::Status status = CheckDaemonAddress(address);
    if (!status.ok()) {
      return InvalidArgumentError("HOST:PORT or unix:PATH, separated by commas (", Message(status),
                                  ")");
    }
  }
  if (addresses.empty()) return InvalidArgumentError("HOST:PORT or unix:PATH");
  return addresses;
}

}  // namespace stagedoor::server

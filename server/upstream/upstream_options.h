#ifndef STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_OPTIONS_H_
#define STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/security_options.h"

namespace stagedoor::server {

// How a node daemon reaches the daemons that hold the scenes, and what it keeps of their replies.
struct UpstreamOptions {
  // "HOST:PORT" or "unix:PATH". Empty for a daemon that holds scenes itself.
  std::vector<std::string> addresses;
  // How the daemon proves who it is for calls of processes that send no token, and finds out
  // whether an upstream daemon is the right one.
  SecurityOptions security;
  // The budget for replies in memory. Default: a quarter of the memory.
  std::optional<size_t> memory_bytes;
  // A directory for replies on disk; kept in memory only if empty.
  std::string directory;
  size_t disk_bytes = size_t{10} << 30;
  // For how long a reply that depends on value clips is used.
  std::chrono::milliseconds clip_age{2000};
  // For how long it is trusted that a caller may use a stage.
  std::chrono::milliseconds access_age{60000};
  // Replaces access_age while no upstream daemon can be reached.
  std::chrono::milliseconds access_age_away{3600000};
  // For how long a call is repeated while no upstream daemon can be reached.
  std::chrono::milliseconds reconnect{30000};

  bool enabled() const { return !addresses.empty(); }
};

// The addresses of a list that commas separate. INVALID_ARGUMENT says what is expected instead.
absl::StatusOr<std::vector<std::string>> ParseUpstreamAddresses(const std::string& list);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_UPSTREAM_OPTIONS_H_

#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/stages/lease_options.h"
#include "server/upstream/forwarded_method.h"
#include "server/upstream/node_sessions.h"
#include "server/upstream/reply_cache.h"
#include "server/upstream/upstream_addresses.h"
#include "server/upstream/upstream_call.h"
#include "server/upstream/upstream_counters.h"
#include "server/upstream/upstream_options.h"

namespace stagedoor::server {

// What a node daemon has instead of scenes: the way to the upstream daemons, the handles on their
// stages, and what it keeps of their replies. Thread-safe. Calls upstream keep it alive.
class Node final : public std::enable_shared_from_this<Node> {
 public:
  // `memory_bytes` is the budget for replies unless the options set one. Errors: those of
  // UpstreamAddresses::Create.
  static absl::StatusOr<std::shared_ptr<Node>> Create(const UpstreamOptions& options,
                                                      const LeaseOptions& leases,
                                                      size_t memory_bytes);

  const UpstreamOptions& options() const { return options_; }
  // The methods of the API that it passes on.
  const std::vector<ForwardedMethod>& methods() const { return methods_; }
  UpstreamCall::Environment environment() {
    return {*addresses_, counters_, weak_from_this()};
  }
  UpstreamCounters& counters() { return counters_; }
  const UpstreamCounters& counters() const { return counters_; }
  ReplyCache& replies() { return replies_; }
  const ReplyCache& replies() const { return replies_; }
  NodeSessions& sessions() { return sessions_; }
  const NodeSessions& sessions() const { return sessions_; }

 private:
  Node(const UpstreamOptions& options, const LeaseOptions& leases, size_t memory_bytes,
       std::unique_ptr<UpstreamAddresses> addresses);
  const ForwardedMethod& Method(std::string_view path) const;

  const UpstreamOptions options_;
  const std::vector<ForwardedMethod> methods_;
  const std::unique_ptr<UpstreamAddresses> addresses_;
  UpstreamCounters counters_;
  ReplyCache replies_;
  NodeSessions sessions_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_H_

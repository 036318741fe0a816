#include "server/upstream/node.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace stagedoor::server {

absl::StatusOr<std::shared_ptr<Node>> Node::Create(const UpstreamOptions& options,
                                                   const LeaseOptions& leases,
                                                   size_t memory_bytes) {
  SD_ASSIGN_OR_RETURN(auto addresses, UpstreamAddresses::Create(options));
  std::shared_ptr<Node> node(new Node(options, leases, memory_bytes, std::move(addresses)));
  node->sessions_.SetOwner(node);
  return node;
}

Node::Node(const UpstreamOptions& options, const LeaseOptions& leases, size_t memory_bytes,
           std::unique_ptr<UpstreamAddresses> addresses)
    : options_(options),
      methods_(ForwardedMethods()),
      addresses_(std::move(addresses)),
      replies_({.max_bytes = options.memory_bytes.value_or(memory_bytes),
                .clip_age = options.clip_age},
               counters_),
      sessions_({*addresses_, counters_, {}},
                {.open = Method("/stagedoor.v1.StagesService/OpenStage"),
                 .close = Method("/stagedoor.v1.StagesService/CloseStage"),
                 .renew = Method("/stagedoor.v1.StagesService/RenewLease")},
                leases) {}

const ForwardedMethod& Node::Method(std::string_view path) const {
  return *std::find_if(methods_.begin(), methods_.end(),
                       [path](const ForwardedMethod& method) { return method.path == path; });
}

}  // namespace stagedoor::server

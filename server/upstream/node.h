#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/handlers/upstream_report.h"
#include "server/memory/memory_holders.h"
#include "server/stages/lease_options.h"
#include "server/upstream/array_files.h"
#include "server/upstream/array_store.h"
#include "server/upstream/forwarded_method.h"
#include "server/upstream/node_sessions.h"
#include "server/upstream/reply_cache.h"
#include "server/upstream/reply_files.h"
#include "server/upstream/shared_reply.h"
#include "server/upstream/upstream_addresses.h"
#include "server/upstream/upstream_call.h"
#include "server/upstream/upstream_counters.h"
#include "server/upstream/upstream_options.h"

namespace stagedoor::server {

// The state of a node daemon, in place of scenes: the way to the upstream daemons, the handles on
// their stages, and what it keeps of their replies. Thread-safe. Calls upstream keep it alive.
class Node final : public UpstreamReport, public std::enable_shared_from_this<Node> {
 public:
  // Runs work that blocks, on another thread.
  using Schedule = std::function<void(std::function<void()>)>;

  // `memory_bytes` is the budget for replies unless the options set one. `schedule` is used until
  // Stop. Errors: those of UpstreamAddresses::Create and ReplyFiles::Open.
  static absl::StatusOr<std::shared_ptr<Node>> Create(const UpstreamOptions& options,
                                                      const LeaseOptions& leases,
                                                      size_t memory_bytes, Schedule schedule);
  // From now on there is nothing that runs work.
  void Stop();

  const UpstreamOptions& options() const { return options_; }
  // The methods of the API that it passes on.
  const std::vector<ForwardedMethod>& methods() const { return methods_; }
  // The one with a path.
  const ForwardedMethod& Method(std::string_view path) const;
  // The path of the node daemon's query socket; empty if it has none. To be set before the first
  // call.
  const std::string& query_socket() const { return query_socket_; }
  void SetQuerySocket(std::string path) { query_socket_ = std::move(path); }
  UpstreamCall::Environment environment() { return {*addresses_, counters_, weak_from_this()}; }
  UpstreamCounters& counters() { return counters_; }
  const UpstreamCounters& counters() const { return counters_; }
  ReplyCache& replies() { return replies_; }
  const ReplyCache& replies() const { return replies_; }
  ArrayStore& arrays() { return arrays_; }
  const ArrayStore& arrays() const { return arrays_; }
  NodeSessions& sessions() { return sessions_; }
  const NodeSessions& sessions() const { return sessions_; }

  // Brings a reply that ReplyCache::Join has made: from the disk, or else from upstream.
  void Fetch(const std::string& key, const std::shared_ptr<SharedReply>& reply);

  // Whether arrays of a kind of replies are on disk and not in memory, and brings them. `then` is
  // called in any case, on another thread or on this one.
  bool CanRestoreArrays(const std::string& kind) const;
  void RestoreArrays(const std::string& kind, const std::function<void()>& then);

  // Drops replies and arrays in memory. Returns their number and bytes.
  ReplyCache::Dropped DropReplies();

  // The replies on disk; null if none are kept there.
  const ReplyFiles* files() const { return files_.get(); }

  void Fill(v1::GetServerStatisticsResponse* response) const override;
  void Fill(v1::GetCacheStatisticsResponse* response) const override;
  std::vector<MemoryHolder> holders() override;

 private:
  Node(const UpstreamOptions& options, const LeaseOptions& leases, size_t memory_bytes,
       std::unique_ptr<UpstreamAddresses> addresses, std::unique_ptr<ReplyFiles> files,
       std::unique_ptr<ArrayFiles> array_files, Schedule schedule);
  // False once nothing runs work any more.
  bool Run(std::function<void()> work);
  void Keep(const std::string& key, const std::shared_ptr<SharedReply>& reply);
  void SaveArrays(const std::string& kind, const std::vector<std::string>& digests);

  const UpstreamOptions options_;
  std::string query_socket_;
  const std::vector<ForwardedMethod> methods_;
  const std::unique_ptr<UpstreamAddresses> addresses_;
  const std::unique_ptr<ReplyFiles> files_;        // null without a directory
  const std::unique_ptr<ArrayFiles> array_files_;  // likewise
  UpstreamCounters counters_;
  ReplyCache replies_;
  ArrayStore arrays_;  // a part of the budget of replies
  NodeSessions sessions_;
  Mutex schedule_mu_;
  Schedule schedule_ ABSL_GUARDED_BY(schedule_mu_);  // null after Stop
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_H_

#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_SESSIONS_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_SESSIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/stages/lease_options.h"
#include "server/upstream/node_stage.h"
#include "server/upstream/shared_reply.h"
#include "server/upstream/upstream_call.h"

namespace stagedoor::server {

// The handles that a node daemon grants to processes, and the sessions upstream that they are
// leases on. Handles of equal stages share one lease upstream, which is renewed as long as there
// are any; a handle whose process edits gets a session of its own first. Sessions with a name are
// not among them: their handles are those of upstream. Calls that arrive while a stage is opened
// wait for it. Thread-safe; outlives its calls upstream.
class NodeSessions {
 public:
  using Clock = LeaseOptions::Clock;
  using Stage = std::shared_ptr<NodeStage>;
  // Gets the stage, or the status of the call that could not open it.
  using Opened = std::function<void(const grpc::Status&, const Stage&)>;

  // `open`, `close` and `renew` are the methods of these names; all must outlive the object.
  struct Methods {
    const ForwardedMethod& open;
    const ForwardedMethod& close;
    const ForwardedMethod& renew;
  };
  NodeSessions(const UpstreamCall::Environment& environment, const Methods& methods,
               const LeaseOptions& options);
  // Calls upstream keep `owner` alive, of which this object is a part. To be called first.
  void SetOwner(std::weak_ptr<const void> owner) { environment_.owner = std::move(owner); }
  NodeSessions(const NodeSessions&) = delete;
  NodeSessions& operator=(const NodeSessions&) = delete;

  // Opens a stage upstream, or shares one that is open. `done` may run before the function returns.
  void Open(v1::OpenStageRequest request, const ForwardedCaller& caller, const Opened& done);
  // Grants a handle on a stage. RESOURCE_EXHAUSTED if there are too many; ABORTED if a process has
  // begun to edit the session for itself, so that it must be opened again.
  struct Grant {
    std::string handle;
    Clock::duration ttl;
  };
  absl::StatusOr<Grant> AddHandle(const Stage& stage, Clock::duration ttl);

  // Whether a node daemon has granted a handle: this one, or one before it.
  static bool IsOwn(std::string_view handle);
  // The stage of a handle, whose time to live restarts. NOT_FOUND (STAGE_NOT_FOUND).
  absl::StatusOr<Stage> Find(std::string_view handle);
  // The time until a handle expires, if it is not used again. NOT_FOUND as for Find.
  absl::StatusOr<Clock::duration> TimeLeft(std::string_view handle) const;
  // Sets the time to live of a handle, and returns the one granted. Errors as for Find.
  absl::StatusOr<Clock::duration> Renew(std::string_view handle, Clock::duration ttl);
  absl::Status Close(std::string_view handle);

  // Interrupts a watch of the session of a handle as soon as that has another one.
  void AddWatch(std::string_view handle, const std::shared_ptr<SharedReply>& watch);
  // Gives a handle a session that no other handle shares, if it is to be private.
  void Separate(std::string_view handle, const ForwardedCaller& caller, Opened done);
  // Opens a stage again whose lease of this generation upstream does not know any more. An error if
  // that is impossible or results in another snapshot; then the handles are dropped.
  void Reopen(const Stage& stage, uint64_t generation,
              std::function<void(const grpc::Status&)> done);
  // Whether an error of upstream says that it does not know a lease, or not as one of the caller.
  static bool IsLost(const grpc::Status& status);
  // Asks upstream whether a caller may use a stage.
  void CheckAccess(const Stage& stage, const ForwardedCaller& caller,
                   std::function<void(const grpc::Status&)> done);

  // Drops handles that have expired, and renews or closes leases upstream. To be called
  // periodically.
  void Sweep();

  size_t handles() const;
  size_t stages() const;

 private:
  struct Handle {
    Stage stage;
    Clock::duration ttl;
    Clock::time_point expiry;
    std::vector<std::weak_ptr<SharedReply>> watches;
  };
  // Equal stages that may share a session.
  struct Shareable {
    std::weak_ptr<NodeStage> stage;
    Clock::time_point opened;
    bool opening = false;
    std::vector<Opened> waiting;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  Clock::duration Allowed(Clock::duration ttl) const;
  // Opens a stage of its own.
  void OpenUpstream(const v1::OpenStageRequest& request, const ForwardedCaller& caller,
                    Opened done);
  // Replaces the session of a handle, unless it has another one than `before`.
  void Replace(std::string_view handle, const Stage& before, const Stage& own);
  UpstreamRequest MakeOpen(v1::OpenStageRequest request, const ForwardedCaller& caller) const;
  void CheckReopened(const Stage& stage, uint64_t generation, const ForwardedCaller& caller,
                     const grpc::Status& lost,
                     const std::function<void(const grpc::Status&)>& done);
  void CloseUpstream(const Stage& stage);
  void Drop(const Stage& stage);
  void FinishSharing(const std::string& key, const grpc::Status& status, const Stage& stage);

  UpstreamCall::Environment environment_;
  const Methods methods_;
  const LeaseOptions options_;
  mutable Mutex mu_;
  std::unordered_map<std::string, Handle, Hash, std::equal_to<>> handles_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Shareable> shareable_ ABSL_GUARDED_BY(mu_);
  std::vector<Stage> stages_ ABSL_GUARDED_BY(mu_);  // that are open upstream
  std::map<const NodeStage*, std::vector<std::function<void(const grpc::Status&)>>> reopening_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_SESSIONS_H_

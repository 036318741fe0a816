#ifndef STAGEDOOR_SERVER_SHARING_SESSION_SHARING_H_
#define STAGEDOOR_SERVER_SHARING_SESSION_SHARING_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/task_group.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/shared_sessions.h"
#include "server/sharing/recipe_uses.h"
#include "server/sharing/stored_session.h"
#include "server/stages/lease_table.h"
#include "server/stages/session_follower.h"
#include "server/stages/session_table.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "server/store/counting_session_store.h"
#include "server/store/session_store.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// Shares the sessions and leases of this replica with others through a SessionStore, so that any of
// them can answer for a handle after this one has died.
//
// Each replica that serves a session has a StageSession of its own. Edits are recorded in the store
// before they are published, in one order for all replicas; the others learn of them soon after, or
// when they are asked for a snapshot that they do not know. Reads do not need the store, but
// restoring does. If the store cannot be reached, private sessions are opened all the same, and
// stored later.
//
// Thread-safe.
class SessionSharing final : public SharedSessions {
 public:
  // How much longer than locally leases live in the store: use is reported late.
  static constexpr std::chrono::seconds kMargin{30};

  // The slots of time in which uses of recipes are counted: see SessionStore::RecordUses.
  static constexpr std::chrono::minutes kUseSlot{5};

  struct Options {
    LeaseTable::Clock::duration max_lease_ttl = LeaseOptions().max_ttl;
    RequestLimits limits = {};  // of work that is not done for a call
    // How often to report which recipes clients use.
    std::chrono::milliseconds use_interval{60000};
  };

  // The objects of this replica that sharing reads and changes.
  struct Local {
    const AssetState assets;
    LeaseTable& leases;
    SessionTable& sessions;
    SessionFollower& follower;
  };

  // All must outlive the object. Work that is not done for a call is done on `executor`.
  SessionSharing(SessionStore& store, const Local& local, Executor& executor,
                 const Options& options);
  ~SessionSharing() override;

  absl::StatusOr<std::shared_ptr<StageSession>> Share(
      RequestContext& context, const v1::OpenStageRequest& request,
      std::shared_ptr<StageSession> session) override;
  absl::StatusOr<std::shared_ptr<StageSession>> FindNamed(RequestContext& context,
                                                          std::string_view name) override;
  absl::Status ShareLease(RequestContext& context, const LeaseTable::Living& lease) override;
  absl::Status UpdateLease(RequestContext& context, const LeaseTable::Living& lease) override;
  absl::Status RestoreLease(RequestContext& context, const std::string& handle) override;
  absl::Status EndLease(RequestContext& context, const std::string& handle,
                        absl::Status removed) override;
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> RestoreSnapshot(
      RequestContext& context, StageSession& session, const std::string& fingerprint) override;

  // Reports the use of leases and recipes to the store, and stores what could not be stored before,
  // or was lost there. To be called about every second. Does not wait, and has no effect while an
  // earlier call is at work.
  void Report();

  // The recipes that the clients of all replicas have opened most in the last minutes, the most
  // used first.
  absl::StatusOr<std::vector<store::v1::RecipeRecord>> HottestRecipes(RequestContext& context,
                                                                      size_t count);

  struct Stats {
    size_t sessions = 0;           // that this replica serves
    uint64_t restored_leases = 0;  // that other replicas granted
    uint64_t store_calls = 0;
    uint64_t store_failures = 0;  // calls that failed because the store could not be reached
  };
  Stats GetStats() const;

 private:
  using SessionPointer = std::shared_ptr<StageSession>;

  // The ID of a named session of the caller.
  static std::string NamedId(std::string_view name);
  // Makes the session one that is shared under `id`, and enters it. Returns the one that is
  // entered.
  SessionPointer Enter(const std::string& id, SessionPointer session);
  SessionPointer FindLocal(const std::string& id);
  // Makes a session from its records. Null if there are none.
  absl::StatusOr<SessionPointer> Restore(RequestContext& context, const std::string& id);
  absl::StatusOr<SessionPointer> MakeSession(RequestContext& context, const std::string& id,
                                             const SessionStore::Session& found);
  // The lease of a handle that was granted to the caller. NOT_FOUND (STAGE_NOT_FOUND).
  absl::StatusOr<store::v1::LeaseRecord> FindLease(RequestContext& context,
                                                   const std::string& handle);
  absl::Status WriteLease(RequestContext& context, const LeaseTable::Living& lease);
  // Stores what is missing of the leases and their sessions.
  absl::Status StoreAgain(RequestContext& context, const std::vector<LeaseTable::Living>& leases);
  absl::Status RenewUsed(RequestContext& context, const std::vector<LeaseTable::Living>& used);
  void ReportUses(RequestContext& context);
  void OnChange(std::optional<std::string_view> id);
  std::vector<SessionPointer> LocalSessions() const;
  // Schedules work with a context of its own.
  void Schedule(std::function<void(RequestContext&)> work);

  CountingSessionStore store_;
  const Local local_;
  StageCache& stages_;
  const RequestLimits limits_;
  const SessionStore::Ttl session_ttl_;  // that of the longest lease
  const std::chrono::milliseconds use_interval_;
  RecipeUses uses_;
  std::atomic<bool> reporting_{false};  // guards uses_reported_
  RequestContext::Clock::time_point uses_reported_ = RequestContext::Clock::now();
  std::atomic<bool> incomplete_{false};  // whether the store may miss something

  std::atomic<uint64_t> restored_leases_{0};

  mutable Mutex mu_;
  std::unordered_map<std::string, std::weak_ptr<StageSession>> sessions_ ABSL_GUARDED_BY(mu_);
  size_t sweep_at_ ABSL_GUARDED_BY(mu_) = 64;
  std::set<RequestContext*> contexts_ ABSL_GUARDED_BY(mu_);  // of the work in progress
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<TaskGroup> tasks_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SHARING_SESSION_SHARING_H_

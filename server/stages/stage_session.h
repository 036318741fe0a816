#ifndef STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/stages/change_signal.h"
#include "server/stages/request_id_table.h"
#include "server/stages/session_recorder.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

// A stage with the edits that its clients made: its newest snapshot and, as long as memory permits,
// earlier ones that clients may have pinned (StageCache::history). A session starts on a shared
// stage; the first edit gives it a stage of its own. Thread-safe.
class StageSession {
 public:
  // `cache` must outlive the session, and keeps the snapshots that edits replace. `routing_key` is
  // that of `stage_key`. `name` is empty for a private session.
  StageSession(StageCache& cache, StageKey stage_key, std::string routing_key,
               std::shared_ptr<const StageSnapshot> snapshot, std::string name = {});
  ~StageSession();

  const std::string& name() const { return name_; }
  // The routing key of the stage that the session was opened on.
  const std::string& routing_key() const { return routing_key_; }
  Interpolation interpolation() const { return interpolation_; }
  ChangePolicy policy() const { return policy_; }
  // The fingerprint of the AccessScope with which its assets are read; empty if there is none.
  const std::string& scope() const { return scope_; }
  StageKey stage_key() const;

  // The newest snapshot if `fingerprint` is empty, else the one with this fingerprint.
  // FAILED_PRECONDITION (SNAPSHOT_GONE) if it is not kept.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Snapshot(std::string_view fingerprint) const;
  std::shared_ptr<const StageSnapshot> Newest() const;
  // How many leases share the newest snapshot, through this session or others.
  uint32_t lease_count() const;

  // Notifies `signal` when there is a new snapshot.
  void Watch(const std::shared_ptr<ChangeSignal>& signal);

  // Shares the session with other replicas: edits are published once they are recorded. To be
  // called before anyone else has the session.
  void SetRecorder(std::unique_ptr<SessionRecorder> recorder) { recorder_ = std::move(recorder); }
  SessionRecorder* recorder() const { return recorder_.get(); }  // null if it is not shared
  // Publishes what edits have made of the session on other replicas. UNAVAILABLE if that cannot be
  // known; the errors of opening the stage. No effect without a recorder.
  absl::Status CatchUp(RequestContext& context);
  // Records the session if that is missing elsewhere: see SessionRecorder.
  absl::StatusOr<bool> StoreIfMissing(RequestContext& context);
  // Takes note of edits that other replicas have made, and that clients may repeat.
  void Remember(std::vector<RequestIdTable::Done> done);

  // The conditions of an edit.
  struct Precondition {
    std::string expected_snapshot;  // if not empty, the fingerprint of the newest snapshot
    RepeatableRequest request;
  };
  // Changes the StageKey with `change` and publishes the resulting snapshot. Edits of one session
  // are serialized; readers keep their snapshots. If `change` or opening the stage fails, the
  // session is unchanged. An edit whose request was carried out before returns the fingerprint of
  // then. If the session is fixed, `change` is given the layers to keep (kept_layers), and removes
  // them to use the current versions.
  // ABORTED (SNAPSHOT_CONFLICT) if another snapshot was expected.
  absl::StatusOr<std::string> Edit(RequestContext& context, const Precondition& precondition,
                                   const std::function<absl::Status(StageKey&)>& change);

  // Publishes a snapshot that was made from `before` with StageCache::Reopen. False, and without
  // effect, if `before` is not the newest snapshot any more.
  bool Replace(const std::shared_ptr<const StageSnapshot>& before,
               const std::shared_ptr<const StageSnapshot>& after);

 private:
  friend class SessionLease;

  void AddLease();
  void DropLease();
  size_t ByteSize() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // A stage that was changed, but not published yet.
  struct Changed {
    StageKey stage_key;
    std::shared_ptr<const StageSnapshot> snapshot;
  };
  absl::StatusOr<Changed> Apply(RequestContext& context,
                                const std::function<absl::Status(StageKey&)>& change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);
  // The result of an edit that was made before. Nothing if it has to be made, on what is expected.
  absl::StatusOr<std::optional<std::string>> Check(const Precondition& precondition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);
  // False if the session was edited elsewhere.
  absl::StatusOr<bool> Record(RequestContext& context, const Precondition& precondition,
                              const Changed& changed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);
  // One attempt of an edit. Nothing if the session was edited elsewhere.
  absl::StatusOr<std::optional<std::string>> TryEdit(
      RequestContext& context, const Precondition& precondition,
      const std::function<absl::Status(StageKey&)>& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);
  // Whether there was something to catch up with.
  absl::StatusOr<bool> CatchUpLocked(RequestContext& context)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);
  void SetNewest(std::shared_ptr<const StageSnapshot> snapshot, StageKey stage_key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(edit_mu_);

  StageCache& cache_;
  const Interpolation interpolation_;
  const ChangePolicy policy_;
  const std::string scope_;
  const std::string name_;
  const std::string routing_key_;
  std::unique_ptr<SessionRecorder> recorder_;  // null if the session is not shared
  RequestIdTable edits_;                       // the fingerprints that repeatable edits resulted in
  Mutex edit_mu_;                              // held during a whole edit; acquired before mu_
  mutable Mutex mu_;
  StageKey stage_key_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const StageSnapshot> newest_ ABSL_GUARDED_BY(mu_);
  uint32_t leases_ ABSL_GUARDED_BY(mu_) = 0;
  ChangeSignals watchers_ ABSL_GUARDED_BY(mu_);
  Reservation memory_;  // for the key and the name
};

// Holds a session for one lease, which counts as a holder of the session's newest snapshot.
class SessionLease {
 public:
  SessionLease() = default;
  explicit SessionLease(std::shared_ptr<StageSession> session) : session_(std::move(session)) {
    if (session_) session_->AddLease();
  }
  ~SessionLease() {
    if (session_) session_->DropLease();
  }
  SessionLease(SessionLease&& other) noexcept : session_(std::move(other.session_)) {}
  SessionLease& operator=(SessionLease&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }

  const std::shared_ptr<StageSession>& session() const { return session_; }

 private:
  std::shared_ptr<StageSession> session_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

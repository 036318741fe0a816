#ifndef STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {

// The stage behind one handle: its newest snapshot and, as long as memory permits, earlier ones
// that clients may have pinned (StageCache::history). A session starts on a shared stage; the first
// edit gives it a stage of its own. Thread-safe.
class StageSession {
 public:
  // `cache` must outlive the session, and keeps the snapshots that edits replace. `client_name` is
  // the name that the client gave when it opened the stage.
  StageSession(StageCache& cache, StageKey stage_key, std::shared_ptr<const StageSnapshot> snapshot,
               std::string client_name = {});
  ~StageSession();

  // The newest snapshot if `number` is 0, else the one with this number.
  // FAILED_PRECONDITION (SNAPSHOT_GONE) if it is not kept.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Snapshot(uint64_t number) const;
  StageKey stage_key() const;
  Interpolation interpolation() const { return interpolation_; }
  const std::string& client_name() const { return client_name_; }
  // How many sessions share the newest snapshot, including this one.
  uint32_t session_count() const;

  // Changes the StageKey with `change` and publishes the resulting snapshot. Edits of one session
  // are serialized; readers keep their snapshots. If `change` or opening the stage fails, the
  // session is unchanged.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Edit(
      RequestContext& context, const std::function<absl::Status(StageKey&)>& change);

 private:
  size_t ByteSize() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  StageCache& cache_;
  const Interpolation interpolation_;
  const std::string client_name_;
  Mutex edit_mu_;  // held during a whole edit; acquired before mu_
  mutable Mutex mu_;
  StageKey stage_key_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const StageSnapshot> newest_ ABSL_GUARDED_BY(mu_);
  MemoryCharge memory_;  // for the key and the name
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

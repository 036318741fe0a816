#ifndef STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "server/stages/stage_cache.h"

namespace stagedoor {

// What one handle sees: a stage's newest snapshot, and the ones before it that may still be pinned,
// as long as memory lasts (StageCache::history).
// Sessions begin on a shared stage; the first edit gives a session a stage of its own. Thread-safe.
class StageSession {
 public:
  // `cache` outlives it, and keeps the snapshots that edits replace. `client_name` is what the
  // holder of its handle calls itself.
  StageSession(StageCache& cache, StageKey stage_key, std::shared_ptr<const StageSnapshot> snapshot,
               std::string client_name = {});
  ~StageSession();

  // The newest snapshot (0), or one that is still held.
  // FAILED_PRECONDITION (SNAPSHOT_GONE) for others.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Snapshot(uint64_t number) const;
  StageKey stage_key() const;
  Interpolation interpolation() const { return interpolation_; }
  const std::string& client_name() const { return client_name_; }
  // How many sessions share the newest snapshot, this one included.
  uint32_t session_count() const;

  // Publishes the snapshot of a changed StageKey. Edits of one session come one after another;
  // readers keep what they have. Errors of `change` and of opening leave everything as it was.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Edit(
      RequestContext& context, const std::function<absl::Status(StageKey&)>& change);

 private:
  size_t ByteSize() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  StageCache& cache_;
  const Interpolation interpolation_;
  const std::string client_name_;
  Mutex edit_mu_;  // held over a whole edit; taken before mu_
  mutable Mutex mu_;
  StageKey stage_key_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const StageSnapshot> newest_ ABSL_GUARDED_BY(mu_);
  MemoryCharge memory_;  // of the key and the name
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_SESSION_H_

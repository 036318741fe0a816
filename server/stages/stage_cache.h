#ifndef STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/mutex.h"
#include "base/single_flight.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/stage.h"
#include "server/stages/snapshot_history.h"
#include "server/stages/snapshot_reaper.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_budget.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor {

struct StageCacheOptions {
  using Clock = std::chrono::steady_clock;
  // Stages nobody holds are kept, for who comes next, within these bounds.
  size_t max_idle_stages = 64;
  // Of all stages together, held or idle: see StageBudget.
  size_t max_bytes = size_t{4} << 30;
  std::function<Clock::time_point()> now = Clock::now;
};

// The open stages, one per StageKey however many clients hold it. A stage is opened once even if
// many ask at the same moment, and anew when one of its layers has changed. Thread-safe.
//
// What they hold in memory has one budget. Over it stages that nobody holds go first, then the
// snapshots that edits have replaced, oldest first; when that does not help, opening and editing
// stages is refused, also half-way through composing one, and memos stop growing.
class StageCache {
 public:
  // What a session layer given as text is read with.
  // `sources`, if not null, knows the mapped files behind the layers; it outlives the cache.
  StageCache(const StageEnvironment& environment, const LayerFormat* text_format,
             StageCacheOptions options, SourceWatch* sources = nullptr);
  ~StageCache();

  struct Opened {
    std::shared_ptr<const StageSnapshot> snapshot;
    bool fresh = false;  // opened by this call
  };
  // Errors: those of Stage::Open, with the layer's reason; RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED);
  // DATA_LOSS if a file was overwritten in place while the stage was composed.
  absl::StatusOr<Opened> Open(RequestContext& context, const StageKey& stage_key);

  // A stage that is not shared: of an edit of `before`, from which all is taken over that the edit
  // does not affect. Errors as of Open.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> OpenEdited(RequestContext& context,
                                                                  const StageKey& stage_key,
                                                                  const StageSnapshot& before);

  // Whether a layer of the snapshot has another version now, or an asset that was missing may have
  // come.
  bool IsStale(RequestContext& context, const StageSnapshot& snapshot) const;

  // Identifiers of the layers of the snapshot that have another version now.
  std::vector<std::string> ChangedLayers(RequestContext& context,
                                         const StageSnapshot& snapshot) const;

  const StageEnvironment& environment() const { return environment_; }
  SourceWatch* sources() const { return sources_; }
  StageBudget& budget() { return budget_; }
  // The snapshots that edits have replaced.
  SnapshotHistory& history() { return history_; }

  // Of the shared stages; bytes are those of the budget.
  LruCacheStats Stats() const;
  // Those that nobody holds.
  std::vector<std::shared_ptr<const StageSnapshot>> Idle() const;

  // Drops what nobody holds and the bounds do not allow; over the budget also replaced snapshots.
  // They are destroyed elsewhere: does not wait for that. Call it when a stage was given back.
  void Trim();
  // Drops as much as the budget wants and waits until it is destroyed. BUDGET_EXHAUSTED where that
  // is not enough; the context's error if that comes first.
  absl::Status MakeRoom(RequestContext& context);
  // Whether something that was dropped still holds memory.
  bool is_destroying() const { return reaper_.busy(); }

 private:
  using Pointer = std::shared_ptr<const StageSnapshot>;
  struct Layers {
    std::shared_ptr<const Layer> root;
    std::shared_ptr<const Layer> session;  // null: none
    size_t own_bytes = 0;                  // of those that are in no cache
  };
  struct Entry {
    Pointer snapshot;
    uint64_t tick;  // of the last use
  };

  absl::StatusOr<Layers> OpenLayers(RequestContext& context, const StageKey& stage_key) const;
  // `before`: what to take over from, where it can be; null: nothing.
  absl::StatusOr<Pointer> Compose(RequestContext& context, const StageKey& stage_key,
                                  const StageSnapshot* before, size_t key_bytes);
  Pointer Find(const std::string& key);
  // Forgets the stage unless another has taken its place.
  void Forget(const std::string& key, const Pointer& stale);
  // Takes out the stage that was idle the longest, if more than `most` are idle.
  Pointer TakeIdle(size_t most);
  // Drops what is missed the least while over the budget: layers that nobody holds, and if that is
  // not enough an idle stage, else a replaced snapshot. False: no stage or snapshot was dropped.
  bool DropOne();
  // As far as the number of idle stages and the budget want it, one at a time: what is being
  // destroyed may be all that is too much, and then this is called again.
  void DropSome();

  StageBudget budget_;
  SnapshotReaper reaper_;
  const StageEnvironment environment_;
  const LayerFormat* const text_format_;
  SourceWatch* const sources_;
  const StageCacheOptions options_;
  SnapshotHistory history_;
  SingleFlight<std::string, Pointer> flights_;
  std::atomic<uint64_t> last_number_{0};

  mutable Mutex mu_;
  std::unordered_map<std::string, Entry> stages_ ABSL_GUARDED_BY(mu_);  // by StageKey::CacheKey
  uint64_t last_tick_ ABSL_GUARDED_BY(mu_) = 0;
  LruCacheStats stats_ ABSL_GUARDED_BY(mu_);  // the counters
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_

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
#include "base/request_context.h"
#include "base/single_flight.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/stage.h"
#include "server/stages/snapshot_history.h"
#include "server/stages/snapshot_reaper.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_budget.h"
#include "server/stages/stage_cache_options.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {

// The open stages, one per StageKey regardless of how many clients hold it. Concurrent requests for
// the same stage open it once; it is reopened if one of its layers has changed. Thread-safe.
// Corresponds to OpenUSD's UsdStageCache, with eviction.
//
// A stage that is fixed (ChangePolicy) is not reopened as long as a client holds it.
//
// All stages share one memory budget. Above it, idle stages are dropped first, then the snapshots
// that edits have replaced, oldest first. If that does not suffice, opening and editing stages
// fails, even half-way through composition, and the attribute tables stop growing.
class StageCache {
 public:
  // The environment's layers must know the text format, which reads session layers that are given
  // as text. `sources` watches the mapped files of the layers; it may be null and must outlive the
  // cache.
  StageCache(const StageEnvironment& environment, StageCacheOptions options,
             SourceWatch* sources = nullptr);
  ~StageCache();

  struct Opened {
    std::shared_ptr<const StageSnapshot> snapshot;
    bool fresh = false;  // whether this call opened it
  };
  // Errors: those of Stage::Open and PrepareResolverContext, with a reason for the layer;
  // RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED); DATA_LOSS if a file was overwritten in place while the
  // stage was composed.
  absl::StatusOr<Opened> Open(RequestContext& context, const StageKey& stage_key) {
    return Open(context, stage_key, stage_key.CacheKey());
  }
  // As Open, for a caller that already has `cache_key`, the CacheKey of `stage_key`.
  absl::StatusOr<Opened> Open(RequestContext& context, const StageKey& stage_key,
                              const std::string& cache_key);

  // Opens the stage that follows `before` after its assets have changed, reusing everything that
  // they do not affect. Takes the place of `before` for calls of Open. Concurrent calls for a stage
  // open it once. Errors as for Open, which then still returns `before`.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> Reopen(RequestContext& context,
                                                              const StageKey& stage_key,
                                                              const StageSnapshot& before);

  // Opens an unshared stage for an edit of `before`, reusing everything that the edit does not
  // affect. Errors as for Open.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> OpenEdited(RequestContext& context,
                                                                  const StageKey& stage_key,
                                                                  const StageSnapshot& before);

  struct FileCheck {
    // Identifiers of the layers and pin files that have a different version now, or cannot be
    // opened any more.
    std::vector<std::string> changed_layers;
    // Whether any of them has changed, or an asset that was missing may exist by now.
    bool stale = false;
  };
  // Compares the layers and pin files of the snapshot with what is there now, many at once. A
  // version that cannot be determined at the moment (UNAVAILABLE) counts as unchanged. Errors:
  // those of the context.
  absl::StatusOr<FileCheck> CheckFiles(RequestContext& context, const StageSnapshot& snapshot);

  const StageEnvironment& environment() const { return environment_; }
  SourceWatch* sources() const { return sources_; }
  StageBudget& budget() { return budget_; }
  // The snapshots that edits have replaced.
  SnapshotHistory& history() { return history_; }

  // Statistics of the shared stages. The byte counts are those of the budget.
  LruCacheStats Stats() const;
  // The shared stages that no client holds.
  std::vector<std::shared_ptr<const StageSnapshot>> Idle() const;

  // Drops idle stages beyond the limits and, above the budget, replaced snapshots. Does not wait
  // for their destruction. To be called when a stage is released.
  void Trim();
  // Drops all idle stages. Does not wait for their destruction; EvictIdle does, unless the
  // context's error comes first.
  void DropIdle();
  absl::Status EvictIdle(RequestContext& context);
  // Drops idle stages and replaced snapshots until the budget is met, waiting for their
  // destruction. BUDGET_EXHAUSTED if that does not suffice; the context's error if that comes
  // first.
  absl::Status MakeRoom(RequestContext& context);
  // Whether dropped snapshots still hold memory.
  bool is_destroying() const { return reaper_.busy(); }

 private:
  using Pointer = std::shared_ptr<const StageSnapshot>;
  struct Layers {
    std::shared_ptr<const Layer> root;
    std::shared_ptr<const Layer> session;  // may be null
  };
  struct Composed {
    std::shared_ptr<const Stage> stage;
    std::shared_ptr<const Layer> session;  // may be null
  };
  using Time = StageCacheOptions::Clock::time_point;
  struct Entry {
    Pointer snapshot;
    uint64_t tick;  // time of the last use
    Time checked;   // when the files were known to be unchanged
  };
  struct Found {
    Pointer snapshot;  // null if there is none
    bool trusted;      // whether its files need no check yet
  };

  absl::StatusOr<Layers> OpenLayers(RequestContext& context, const StageKey& stage_key,
                                    const ResolverContext& resolver_context) const;
  // In these, `before` is the snapshot to reuse parts of; may be null.
  absl::StatusOr<Composed> MakeStage(RequestContext& context, const StageKey& stage_key,
                                     const StageSnapshot* before,
                                     const std::shared_ptr<PathScope>& paths) const;
  absl::StatusOr<Composed> MakeStageInScope(RequestContext& context, const StageKey& stage_key,
                                            const StageSnapshot* before) const;
  absl::StatusOr<Pointer> Compose(RequestContext& context, const StageKey& stage_key,
                                  const std::string& cache_key, const StageSnapshot* before);
  Found Find(const std::string& key, ChangePolicy policy);
  // Composes a stage, counts that, and enters it into the table: without `before`, or instead of
  // `replaced` if that is still there. Both may be null.
  absl::StatusOr<Pointer> Load(RequestContext& context, const StageKey& stage_key,
                               const std::string& cache_key, const StageSnapshot* before,
                               const StageSnapshot* replaced);
  // Whether the files of a stage are unchanged. Concurrent calls for a stage check them once.
  absl::StatusOr<bool> IsCurrent(RequestContext& context, const std::string& key,
                                 const Pointer& snapshot);
  // Makes the next Open check the files of the snapshot.
  void Distrust(const StageSnapshot& snapshot);
  // Removes the stage unless another has replaced it.
  void Forget(const std::string& key, const Pointer& stale);
  // Removes and returns the least recently used idle stage if more than `most` are idle, else null.
  Pointer TakeIdle(size_t most);
  // Drops unused layers and, if still over the budget, an idle stage or else a replaced snapshot.
  // False if no stage or snapshot was dropped.
  bool DropOne();
  // Drops surplus idle stages and, above the budget, one stage or snapshot at a time, since
  // destroying it may suffice. Called again once it is destroyed.
  void DropSome();

  StageBudget budget_;
  SnapshotReaper reaper_;
  const StageEnvironment environment_;
  SourceWatch* const sources_;
  const StageCacheOptions options_;
  SnapshotHistory history_;
  SingleFlight<std::string, Pointer> flights_;
  SingleFlight<std::string, bool> checks_;
  std::atomic<uint64_t> last_number_{0};

  mutable Mutex mu_;
  std::unordered_map<std::string, Entry> stages_ ABSL_GUARDED_BY(mu_);  // by TableKey
  uint64_t last_tick_ ABSL_GUARDED_BY(mu_) = 0;
  LruCacheStats stats_ ABSL_GUARDED_BY(mu_);  // only the counters are used
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_

#ifndef STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/mutex.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/stage.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor {

struct StageCacheOptions {
  // Stages nobody holds are kept, for who comes next, within these bounds.
  size_t max_idle_stages = 64;
  size_t max_bytes = size_t{4} << 30;
};

// The open stages, one per recipe however many clients hold it. A stage is opened once even if many
// ask at the same moment, and anew when one of its layers has changed. Thread-safe.
class StageCache {
 public:
  // What a session layer given as text is read with.
  // `sources`, if not null, knows the mapped files behind the layers; it outlives the cache.
  StageCache(const StageEnvironment& environment, const LayerFormat* text_format,
             StageCacheOptions options, SourceWatch* sources = nullptr);

  struct Opened {
    std::shared_ptr<const StageSnapshot> snapshot;
    bool fresh = false;  // opened by this call
  };
  // Errors: those of Stage::Open, with the layer's reason; DATA_LOSS if a file was overwritten in
  // place while the stage was composed.
  absl::StatusOr<Opened> Open(RequestContext& context, const StageRecipe& recipe);

  // A stage that is not shared: of an edit of `before`, from which all is taken over that the edit
  // does not affect.
  absl::StatusOr<std::shared_ptr<const StageSnapshot>> OpenEdited(RequestContext& context,
                                                                  const StageRecipe& recipe,
                                                                  const StageSnapshot& before);

  // Whether a layer of the snapshot has another version now, or an asset that was missing may have
  // come.
  bool IsStale(RequestContext& context, const StageSnapshot& snapshot) const;

  // Identifiers of the layers of the snapshot that have another version now.
  std::vector<std::string> ChangedLayers(RequestContext& context,
                                         const StageSnapshot& snapshot) const;

  const StageEnvironment& environment() const { return environment_; }
  SourceWatch* sources() const { return sources_; }
  LruCacheStats Stats() const { return cache_.Stats(); }
  // Drops what nobody holds and the bounds do not allow.
  void Trim() { cache_.Trim(); }

 private:
  struct Layers {
    std::shared_ptr<const Layer> root;
    std::shared_ptr<const Layer> session;  // null: none
  };
  absl::StatusOr<Layers> OpenLayers(RequestContext& context, const StageRecipe& recipe) const;
  // `before`: what to take over from, where it can be; null: nothing.
  absl::StatusOr<std::shared_ptr<const Stage>> OpenStage(RequestContext& context,
                                                         const StageRecipe& recipe,
                                                         const StageSnapshot* before) const;

  const StageEnvironment environment_;
  const LayerFormat* const text_format_;
  SourceWatch* const sources_;
  LruCache<std::string, StageSnapshot> cache_;
  std::atomic<uint64_t> last_number_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_CACHE_H_

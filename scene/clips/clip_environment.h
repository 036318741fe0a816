// ClipEnvironment: what makes clip sets of a prim's metadata; one per daemon.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/clips/clip_cache.h"
#include "scene/clips/clip_set.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// Thread-safe. Owns the shared cache of clip layers; stages share sets that are equal. Outlives its
// clip sources.
class ClipEnvironment {
 public:
  struct Options {
    ClipCacheOptions cache;
    Executor* executor = nullptr;  // opens clips ahead of the reads; null: never
  };
  // `registry` outlives it.
  ClipEnvironment(LayerRegistry& registry, Options options)
      : cache_(registry, std::move(options.cache)), executor_(options.executor) {}

  ClipCache& cache() { return cache_; }

  // The sets that the `clips` metadata of a prim define, strongest first; empty when it has none.
  // They are worked out when they are first asked for an attribute; malformed ones then give no
  // values and a warning.
  ClipSources MakeClipSources(RequestContext& context, const PrimIndexRef& index);

  // Equal for prims whose own clip metadata is equal: what instances must have in common.
  std::string InstanceKey(RequestContext& context, const PrimIndexRef& index) const;

  // The set of a definition. INVALID_ARGUMENT where it is malformed; null where something is
  // missing that OpenUSD silently asks for (prim path, active).
  absl::StatusOr<std::shared_ptr<const ClipSet>> MakeSet(RequestContext& context,
                                                         const ClipSetDefinition& definition);

 private:
  std::shared_ptr<const ClipSet> Intern(size_t hash, ClipSet::Definition definition);

  ClipCache cache_;
  Executor* const executor_;
  Mutex mu_;
  std::unordered_multimap<size_t, std::weak_ptr<const ClipSet>> sets_ ABSL_GUARDED_BY(mu_);
  size_t sweep_at_ ABSL_GUARDED_BY(mu_) = 64;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

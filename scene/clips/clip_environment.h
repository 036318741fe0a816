#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/task_group.h"
#include "scene/clips/clip_cache.h"
#include "scene/clips/clip_set.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// Makes the clip sets of prims from their metadata; one per daemon.
//
// Corresponds to OpenUSD's Usd_ClipCache (Usd_ClipCache::PopulateClipsForPrim), but is shared by
// all stages and owns the cache of clip layers. Implements Core Specification 12.3.4.1 Clip Sets.
//
// Thread-safe. Stages share equal sets. Outlives the clip sources that it makes.
class ClipEnvironment {
 public:
  struct Options {
    ClipCacheOptions cache;
    Executor* executor = nullptr;  // opens clips ahead of reads; if null, none are
  };
  // `registry` outlives the environment, whose destruction waits for clips that are being opened
  // ahead.
  ClipEnvironment(LayerRegistry& registry, Options options)
      : cache_(registry, std::move(options.cache)) {
    if (options.executor != nullptr) read_ahead_.emplace(*options.executor);
  }

  ClipCache& cache() { return cache_; }

  // The sets that the `clips` metadata of a prim define, strongest first; empty if it has none.
  // Each is built when it is first asked for an attribute; a malformed one provides no values and
  // is a warning on every request that asks it.
  // Clips resolve in `resolver_context`.
  ClipSources MakeClipSources(RequestContext& context, const ResolverContext& resolver_context,
                              const PrimIndexRef& index);

  // A key that is equal for prims with equal clip metadata of their own. Only prims with equal keys
  // may share a prototype (11.3.3 Scene Graph Instancing).
  std::string InstanceKey(RequestContext& context, const PrimIndexRef& index) const;

  // The set of a definition. INVALID_ARGUMENT if it is malformed; null if required metadata is
  // missing (primPath, active), which OpenUSD ignores silently too. Corresponds to
  // Usd_ClipSet::New.
  absl::StatusOr<std::shared_ptr<const ClipSet>> MakeSet(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         const ClipSetDefinition& definition);

 private:
  // The existing set that is equal to `definition`, or a new one.
  std::shared_ptr<const ClipSet> Intern(size_t hash, ClipSet::Definition definition);

  ClipCache cache_;
  std::optional<TaskGroup> read_ahead_;  // uses cache_; empty without an executor
  Mutex mu_;
  std::unordered_multimap<size_t, std::weak_ptr<const ClipSet>> sets_ ABSL_GUARDED_BY(mu_);
  size_t sweep_at_ ABSL_GUARDED_BY(mu_) = 64;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

// ClipEnvironment: what makes clip sets of a prim's metadata; one per daemon.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

#include <memory>
#include <string>

#include "base/request_context.h"
#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"

namespace stagedoor {

// Thread-safe. Owns the shared cache of clip layers.
class ClipEnvironment {
 public:
  virtual ~ClipEnvironment() = default;

  // The sets that the `clips` metadata of a prim define, strongest first; empty when it has none.
  // Malformed sets are left out with a warning on the context.
  virtual ClipSources MakeClipSources(RequestContext& context, const PrimIndexRef& index) = 0;

  // Equal for prims whose own clip metadata is equal: what instances must have in common.
  virtual std::string InstanceKey(const PrimIndexRef& index) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_ENVIRONMENT_H_

// ClipSource: a clip set as value resolution sees it.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/prefetch_tally.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Immutable, thread-safe.
class ClipSource {
 public:
  virtual ~ClipSource() = default;

  virtual const std::string& name() const = 0;
  // Where it is authored, which decides its strength.
  virtual const LayerStack& layer_stack() const = 0;
  virtual size_t layer_index() const = 0;
  // The anchoring site, with variant selections: the set speaks for what is below it there.
  virtual Path prim_path() const = 0;
  // Null when the set has no values for the attribute (it is not in the manifest), or is malformed.
  // `path` is the attribute's at a site of that layer stack, at or below prim_path().
  virtual std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context,
                                                         Path path) const = 0;
  // Opens the clips that are active at stage times in [first, last], in this order, until the cache
  // is full of what `tally` counts.
  virtual void Prefetch(RequestContext& context, double first, double last,
                        PrefetchTally* tally) const = 0;
};

// The sets that affect a prim, strongest first.
using ClipSources = std::vector<std::shared_ptr<const ClipSource>>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

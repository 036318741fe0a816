#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/prefetch_tally.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"

namespace stagedoor {

// A clip set as value resolution sees it, at its anchor (Core Specification 12.3.4.5 Value
// Resolution of Clip Values). Corresponds to what OpenUSD's Usd_ClipSet knows of its source:
// sourceLayerStack, sourceLayerIndex and sourcePrimPath.
//
// Immutable and thread-safe.
class ClipSource {
 public:
  virtual ~ClipSource() = default;

  // The name of the set in the `clips` dictionary.
  virtual const std::string& name() const = 0;
  // The layer that anchors the set, which decides its strength: just weaker than the local opinions
  // of that layer.
  virtual const LayerStack& layer_stack() const = 0;
  virtual size_t layer_index() const = 0;
  // The path of the anchoring site, with variant selections. The set provides values for attributes
  // of that prim and its descendants.
  virtual Path prim_path() const = 0;
  // Null if the set has no values for the attribute (it is not in the manifest) or is malformed.
  // `path` is the path of the attribute at a site in layer_stack(), at or below prim_path().
  virtual std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context,
                                                         Path path) const = 0;
  // Opens the clips that are active at stage times in [first, last], in that order, until those
  // that `tally` counts fill the cache.
  virtual void Prefetch(RequestContext& context, double first, double last,
                        PrefetchTally* tally) const = 0;
  // Calls take(text) with texts that say which clips have a part in values at stage times in
  // [first, last], and what is in their files: equal texts mean equal values. Opens these clips;
  // those that cannot be read have a text of their own. Incomplete once the request is over.
  virtual void VisitVersions(RequestContext& context, double first, double last,
                             const std::function<void(std::string_view)>& take) const = 0;
};

// The sets that affect a prim, strongest first ("Strength Ordering" in OpenUSD's documentation of
// value clips).
using ClipSources = std::vector<std::shared_ptr<const ClipSource>>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

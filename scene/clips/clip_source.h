// ClipSource: a clip set as value resolution sees it.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"
#include "scene/values/array.h"
#include "scene/values/value.h"

namespace stagedoor {

// What one clip set has to say of one attribute. All times are those of the layer stack the set is
// authored in. Immutable, thread-safe; calls may open clip layers.
class ClipAttribute {
 public:
  virtual ~ClipAttribute() = default;

  // Union over the clips, ascending; shared by all attributes it is equal for.
  virtual Array<double> SampleTimes(RequestContext& context) const = 0;
  virtual size_t SampleCount(RequestContext& context) const { return SampleTimes(context).size(); }
  // The samples at or around a time; none if there are no samples.
  virtual std::optional<std::pair<double, double>> Bracketing(RequestContext& context,
                                                              double time) const = 0;
  virtual bool MightBeTimeVarying(RequestContext& context) const = 0;
  // A ValueBlock where the clips say there is no value; empty if they say nothing. `pre` asks for
  // the limit from below, `linear` for interpolation where the type allows it. Failures of a clip
  // file are warnings on the context.
  virtual Value ValueAt(RequestContext& context, double time, bool pre, bool linear) const = 0;
  // The layer and path in it that answer at a time, for stacks and Explain; null layer for none.
  virtual std::pair<std::shared_ptr<const Layer>, Path> SpecAt(RequestContext& context,
                                                               double time) const = 0;
  // Lines for Explain: set, active clip, stage time to clip time, samples used.
  virtual std::vector<std::string> ExplainAt(RequestContext& context, double time) const = 0;
};

class ClipSource {
 public:
  virtual ~ClipSource() = default;

  virtual const std::string& name() const = 0;
  // Where it is authored, which decides its strength.
  virtual const LayerStack& layer_stack() const = 0;
  virtual size_t layer_index() const = 0;
  virtual Path prim_path() const = 0;  // in that layer stack's namespace
  // Null when the set has no values for the attribute (it is not in the manifest). `path` is the
  // attribute's in the layer stack's namespace, without variant selections.
  virtual std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context,
                                                         Path path) const = 0;
};

// The sets that affect a prim, strongest first.
using ClipSources = std::vector<std::shared_ptr<const ClipSource>>;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SOURCE_H_

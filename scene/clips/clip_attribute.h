// ClipAttribute: what one clip set has to say of one attribute.
//
// All times are the set's: offset() takes them to the stage. Immutable, thread-safe; calls may open
// clip layers.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_ATTRIBUTE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_ATTRIBUTE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/values/array.h"
#include "scene/values/scalar_types.h"
#include "scene/values/value.h"

namespace stagedoor {

class ClipAttribute {
 public:
  virtual ~ClipAttribute() = default;

  // The set's time to stage time.
  virtual const LayerOffset& offset() const = 0;

  // Values come from splines: there are no samples, and lists of them come from weaker opinions.
  virtual bool has_spline() const = 0;
  // Union over the clips, ascending; shared by all attributes it is equal for. Opens all clips
  // once.
  virtual Array<double> SampleTimes(RequestContext& context) const = 0;
  virtual size_t SampleCount(RequestContext& context) const { return SampleTimes(context).size(); }
  // Those in [first, last]; opens only the clips that are active there.
  virtual std::vector<double> SampleTimesIn(RequestContext& context, double first,
                                            double last) const = 0;
  // The samples at or around a time; none if there are no samples.
  virtual std::optional<std::pair<double, double>> Bracketing(RequestContext& context,
                                                              double time) const = 0;
  virtual bool MightBeTimeVarying(RequestContext& context) const = 0;
  // A ValueBlock where the clips say there is no value. `pre` asks for the limit from below,
  // `linear` for interpolation where the type allows it. Failures of a clip file are warnings on
  // the context.
  virtual Value ValueAt(RequestContext& context, double time, bool pre, bool linear) const = 0;
  // Of splines: all of them joined to one, as flattening writes it. Empty where there are none, or
  // it would be too large.
  virtual Value WholeSpline(RequestContext& context) const = 0;
  // The spec that stands in the property stack for a time: the active clip's, or the authored
  // manifest's where the clip has no value; null layer for none.
  virtual std::pair<std::shared_ptr<const Layer>, Path> SpecAt(RequestContext& context, double time,
                                                               bool pre) const = 0;
  // The layer of the active clip, which asset paths in its values are relative to; null for none.
  virtual std::shared_ptr<const Layer> LayerAt(RequestContext& context, double time) const = 0;
  // Lines for Explain: set, active clip, stage time to clip time, samples used.
  virtual std::vector<std::string> ExplainAt(RequestContext& context, double time) const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_ATTRIBUTE_H_

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
#include "scene/values/layer_offset.h"
#include "scene/values/value.h"

namespace stagedoor {

// A time at which the value of clips is asked for, twice: samples are found in the time of the set,
// but values between them are interpolated in stage time, as in OpenUSD. Mapped from one to the
// other, either may be off by rounding.
struct ClipTime {
  double local = 0;  // in the set's own time
  double stage = 0;
};

// The values that one clip set provides for one attribute.
//
// Implements Core Specification 12.3.4.5 Value Resolution of Clip Values. Corresponds to the
// methods of OpenUSD's Usd_ClipSet that take an attribute path; the methods below name theirs.
//
// All other times are in the set's own time; offset() maps them to stage time. Immutable and
// thread-safe. The shared_ptr from ClipSource::Attribute keeps the clip set alive. Calls may open
// clip layers; a clip that cannot be read is a warning on the context.
class ClipAttribute {
 public:
  virtual ~ClipAttribute() = default;

  // Maps the set's time to stage time (12.3.2.1 Layer Offset and Scale).
  virtual const LayerOffset& offset() const = 0;

  // Whether values come from splines in the clips. If so there are no samples, and lists of sample
  // times come from weaker opinions.
  virtual bool has_spline() const = 0;
  // Whether values may be edits: array edits or path expressions, which are composed over those of
  // weaker opinions. The second asks for clips that have a part in values in [first, last] only:
  // those active then, and those of the samples around. True even if there are none, but false for
  // most.
  virtual bool composes() const = 0;
  // Whether a clip whose samples were read so far may hold edits. If not, values and samples that
  // were asked for before are none, which costs less than to ask MayHoldEdits() for their clips.
  virtual bool MayHaveReadEdits() const = 0;
  virtual bool MayHoldEdits(RequestContext& context, double first, double last) const = 0;
  // The sample times of all clips, ascending; attributes with equal lists share one array. Opens
  // every clip once. Corresponds to Usd_ClipSet::ListTimeSamplesForPath.
  virtual Array<double> SampleTimes(RequestContext& context) const = 0;
  virtual size_t SampleCount(RequestContext& context) const { return SampleTimes(context).size(); }
  // The sample times in [first, last]; opens only the clips that are active there. Corresponds to
  // Usd_ClipSet::GetTimeSamplesInInterval.
  virtual std::vector<double> SampleTimesIn(RequestContext& context, double first,
                                            double last) const = 0;
  // The sample times at or around `time`, equal if one sample answers alone; none if there are no
  // samples. Corresponds to Usd_ClipSet::GetBracketingTimeSamplesForPath.
  virtual std::optional<std::pair<double, double>> Bracketing(RequestContext& context,
                                                              double time) const = 0;
  // Corresponds to UsdAttribute::ValueMightBeTimeVarying.
  virtual bool MightBeTimeVarying(RequestContext& context) const = 0;
  // The value at `time`; a ValueBlock if the clips block it or have no value. `pre` asks for the
  // limit from below (UsdTimeCode::PreTime), `linear` for interpolation if the type supports it
  // (12.5.2 Linear), otherwise samples are held. Corresponds to Usd_ClipSet::QueryTimeSample.
  virtual Value ValueAt(RequestContext& context, ClipTime time, bool pre, bool linear) const = 0;
  // The splines of all clips joined into one, as flattening writes it. Empty if the attribute has
  // no splines or the result would be too large.
  virtual Value WholeSpline(RequestContext& context) const = 0;
  // The spec that the property stack lists for `time`: the active clip's, or the authored
  // manifest's if the clip has no value; the layer is null if there is neither. Corresponds to what
  // UsdProperty::GetPropertyStack inserts for clips.
  virtual std::pair<std::shared_ptr<const Layer>, Path> SpecAt(RequestContext& context, double time,
                                                               bool pre) const = 0;
  // The layer that supplies the value at `time`, which asset paths in the value are relative to;
  // null if it cannot be opened.
  virtual std::shared_ptr<const Layer> LayerAt(RequestContext& context, double time) const = 0;
  // Lines for Explain: the clip set, the active clip, the mapping of stage time to clip time, the
  // samples used.
  virtual std::vector<std::string> ExplainAt(RequestContext& context, double time) const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_ATTRIBUTE_H_

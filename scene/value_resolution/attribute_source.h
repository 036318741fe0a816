// AttributeSource: where an attribute's values come from, worked out once.
//
// Compiling walks the opinions (and clip sets between them) strongest first and stops at the one
// that answers; the compiled source is then asked at any number of times without walking again.
// Immutable and thread-safe; valid as long as the snapshot whose index and clip sets it was
// compiled from.
//
// Rules (Core Specification, "value resolution"; OpenUSD where it is silent):
//  - at default time the strongest default answers; a block hides weaker ones and means no value;
//  - at numeric times the strongest of samples, spline or default answers; within a spec samples
//  beat the
//    spline and the spline beats the default; clips come after the layer that anchors them;
//  - a blocked default gives the fallback at numeric times; a blocked sample gives no value;
//  - AnimationBlock hides weaker samples, splines and clips, not weaker defaults.
#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"
#include "scene/value_resolution/property_walk.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/value.h"

namespace stagedoor {

class PrimDefinition;

enum class ResolveInfoSource : uint8_t {
  kNone,
  kFallback,
  kDefault,
  kTimeSamples,
  kValueClips,
  kSpline
};

// What resolution needs to know of an attribute. Everything is borrowed from the snapshot.
struct AttributeSite {
  const PrimIndexRef* index = nullptr;
  Token name;
  const ClipSources* clips = nullptr;          // null: none
  const PrimDefinition* definition = nullptr;  // that has the fallback; null: no schema
  bool in_prototype = false;                   // of instances
};

class AttributeSource {
 public:
  // `numeric` false compiles for default time only.
  static AttributeSource Compile(RequestContext& context, const AttributeSite& site, bool numeric);

  ResolveInfoSource kind() const { return kind_; }
  // The answering (or weakest asked) opinion was a block.
  bool blocked() const { return blocked_; }
  // The spec that answers; null for fallbacks, clips and no value.
  const PropertyOpinion* opinion() const { return opinion_ ? &*opinion_ : nullptr; }
  const ClipAttribute* clip_attribute() const { return clip_.get(); }
  // Source time to stage time; not set for a default that holds no times.
  const LayerOffset& offset() const { return offset_; }
  // It keeps an array in memory, or sources of weaker opinions.
  bool IsLarge() const { return value_.is_array() || weaker_ || samples_; }
  // With an array that nobody else holds, and the sources of weaker opinions.
  size_t byte_size() const;

  // Empty when there is no value or the answer is a block; Invalid for damaged data. Time codes are
  // in stage time; asset paths as authored.
  Value ValueAt(RequestContext& context, TimeCode time, Interpolation interpolation) const;

  // The spline of a spline source in stage time, of clips the one that theirs make together; empty
  // for other sources.
  Value RetimedSpline(RequestContext& context) const;

  // The samples of a layer in stage time, each with the value it has there: asking for a value at
  // its time may miss it by rounding. None for other sources and where array edits apply over
  // weaker samples.
  std::optional<std::vector<std::pair<double, Value>>> RetimedSamples() const;

  // In stage time, in the order of the source: descending behind a negative rate, else ascending.
  Array<double> SampleTimes(RequestContext& context) const;
  // Those in [first, last]; of clips, opens only the ones that are active there.
  Array<double> SampleTimesIn(RequestContext& context, double first, double last) const;
  size_t SampleCount(RequestContext& context) const;
  std::optional<std::pair<double, double>> Bracketing(RequestContext& context, double time) const;
  bool MightBeTimeVarying(RequestContext& context) const;

 private:
  friend class SourceCompiler;

  // Whether it is a block, or edits of one.
  bool EndsInBlock() const;
  Value SampleValue(double time, bool pre, bool linear) const;
  // Of clips whose time runs backwards.
  Value HeldClipValue(RequestContext& context, TimeCode time) const;
  Value RawValueAt(RequestContext& context, TimeCode time, Interpolation interpolation) const;

  ResolveInfoSource kind_ = ResolveInfoSource::kNone;
  bool blocked_ = false;
  std::optional<PropertyOpinion> opinion_;
  LayerOffset offset_;
  LayerOffset inverse_;
  Value value_;  // default or fallback; holds the samples or spline otherwise
  std::shared_ptr<const ClipAttribute> clip_;
  bool in_prototype_ = false;
  std::shared_ptr<const AttributeSource> weaker_;  // what an array edit is applied over
  // What has the samples instead: OpenUSD looks for them past splines of clips.
  std::shared_ptr<const AttributeSource> samples_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_

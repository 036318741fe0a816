#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/clips/clip_source.h"
#include "scene/composition/prim_index.h"
#include "scene/value_resolution/property_walk.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/layer_offset.h"
#include "scene/values/spline.h"
#include "scene/values/value.h"

namespace stagedoor {

class PrimDefinition;

// The kind of opinion that answers. Corresponds to UsdResolveInfoSource.
enum class ResolveInfoSource : uint8_t {
  kNone,
  kFallback,
  kDefault,
  kTimeSamples,
  kValueClips,
  kSpline
};

// The information about an attribute that value resolution needs. Everything is borrowed from the
// snapshot.
struct AttributeSite {
  const PrimIndexRef* index = nullptr;
  Token name;
  const ClipSources* clips = nullptr;          // may be null if there are none
  const PrimDefinition* definition = nullptr;  // for the fallback; null without a schema
  bool in_prototype = false;                   // whether the prim is in a prototype
};

// Where the walk over the opinions goes on after clips.
struct SourceRest {
  AttributeSite site;
  uint32_t first_site = 0;
  uint32_t clip_node = 0;  // the node at which the clips were found
  size_t clip_set = 0;     // their place among the sets
  bool animation_hidden = false;
  bool samples_only = false;
};

// A sample that AttributeSource::SamplesCovering found.
struct AttributeSample {
  // In stage time.
  double time = 0;
  // The time of the sample in the source's own time, in which its value is looked up: `time` mapped
  // back may miss the sample by rounding.
  double source_time = 0;
  // Whether the sample is the limit from the left, which differs from the value at the time.
  bool pre = false;

  TimeCode code() const { return pre ? TimeCode::PreTime(time) : TimeCode::At(time); }
};

// Where the values of an attribute come from, determined once (Core Specification 12.3 Attribute
// Resolution).
//
// Corresponds to OpenUSD's UsdAttributeQuery with its UsdResolveInfo. Compile is
// UsdStage::_GetResolveInfo: it walks the opinions, and the clip sets between them, from strongest
// to weakest and stops at the one that answers. The compiled source is then queried at any number
// of times without another walk.
//
// Immutable and thread-safe; valid as long as the snapshot from which it was compiled.
//
// Rules (where the specification is silent, those of OpenUSD):
// - 12.3.1: at default time the strongest default answers; a block hides weaker ones and means that
//   there is no value.
// - 12.3.2: at numeric times the strongest time samples, spline or default answer. Within a spec,
//   samples beat the spline and the spline beats the default.
// - 12.3.4.5: clips come just after the layer that anchors them.
// - 12.3.6: at numeric times a blocked default gives the fallback, a blocked sample no value.
// - An AnimationBlock hides weaker samples, splines and clips, but not weaker defaults.
// - Edits, which are array edits and path expressions, are composed over the weaker value. Their
//   samples and the weaker ones between them form one list; values are composed at its times, with
//   held weaker values, and interpolated between them. This composes array edits. Path expressions
//   need the namespaces of their opinions, so the caller composes these, with Weaker.
class AttributeSource {
 public:
  // Determines the source for numeric times, or for default time if `numeric` is false. Corresponds
  // to UsdStage::_GetResolveInfo.
  static AttributeSource Compile(RequestContext& context, const AttributeSite& site, bool numeric);
  // The source of an authored value that is known to be the same at all times.
  static AttributeSource Constant(Value value);
  // The opinion of one spec, or of value clips, whatever other opinions there are; of kind kNone if
  // the spec has none. `offset` maps layer time to stage time.
  static AttributeSource OfSpec(const Layer& layer, SpecId spec, const LayerOffset& offset,
                                bool numeric);
  static AttributeSource OfClips(std::shared_ptr<const ClipAttribute> clips);

  ResolveInfoSource kind() const { return kind_; }
  // Whether the walk ended at a blocked default. Corresponds to UsdResolveInfo::ValueIsBlocked.
  bool blocked() const { return blocked_; }
  // True if time samples, a spline, clips or a default supply the value. Corresponds to
  // UsdResolveInfo::HasAuthoredValue.
  bool HasAuthoredValue() const { return kind_ >= ResolveInfoSource::kDefault && !blocked_; }
  // True if a source for numeric times is that of default time too: no animation has a part in it,
  // no damaged samples, and no block, which means the fallback at numeric times only.
  bool AnswersDefaultTime() const {
    return kind_ <= ResolveInfoSource::kDefault && !blocked_ && !weaker_ && !value_.is_invalid();
  }
  // The spec that answers; null for fallbacks, clips and if there is no value.
  const PropertyOpinion* opinion() const { return opinion_ ? &*opinion_ : nullptr; }
  // The clips that answer; null for other sources.
  const ClipAttribute* clip_attribute() const { return clip_.get(); }
  // Maps the source's time to stage time (12.3.2.1 Layer Offset and Scale). The identity for
  // defaults that hold no times, where it is not needed.
  const LayerOffset& offset() const { return offset_; }
  // The source of the value that edits are composed over; null if the source has no edits.
  std::shared_ptr<const AttributeSource> Weaker(RequestContext& context) const;
  // Whether the source keeps an array, time samples or sources of weaker opinions in memory.
  bool IsLarge() const { return value_.is_array() || weaker_ || samples_; }
  // Includes an array that only this source refers to, and the sources of weaker opinions.
  size_t byte_size() const;

  // The value at `time`: empty if there is none or it is blocked, invalid if data is damaged. Time
  // codes in the value are in stage time; asset paths are as authored. Corresponds to
  // UsdAttributeQuery::Get.
  Value ValueAt(RequestContext& context, TimeCode time, Interpolation interpolation) const;

  // For loops over many attributes, which would otherwise wait for memory at each: prefetches the
  // object that holds the samples into the processor's cache, and the samples around `time`, which
  // are found through that object. To be called some attributes ahead.
  void PrefetchSamples() const;
  void PrefetchSamplesAt(TimeCode time) const;

  // The opinion of the source itself at `time`: as ValueAt, but blocks and array edits are returned
  // as they are.
  Value OpinionAt(RequestContext& context, TimeCode time, Interpolation interpolation) const;

  // The spline in stage time; of clips, the one that their splines form together. Empty for other
  // sources. Corresponds to UsdAttribute::GetSpline.
  Value RetimedSpline(RequestContext& context) const;

  // The samples of a layer in stage time, each with its value: a query at such a time may miss the
  // sample by rounding. None for other sources, and if array edits apply over weaker samples.
  std::optional<std::vector<std::pair<double, Value>>> RetimedSamples() const;

  // The sample times in stage time, in the order of the source: descending behind a negative rate,
  // otherwise ascending. Corresponds to UsdAttributeQuery::GetTimeSamples.
  Array<double> SampleTimes(RequestContext& context) const;
  // The sample times in [first, last] of stage time; of clips, opens only those that are active
  // there. Corresponds to UsdAttributeQuery::GetTimeSamplesInInterval.
  Array<double> SampleTimesIn(RequestContext& context, double first, double last) const;
  // The number of samples. Corresponds to UsdAttributeQuery::GetNumTimeSamples.
  size_t SampleCount(RequestContext& context) const;
  // The sample times at or around `time`, in stage time; none without samples. Corresponds to
  // UsdAttributeQuery::GetBracketingTimeSamples.
  std::optional<std::pair<double, double>> Bracketing(RequestContext& context, double time) const;
  // The samples that determine the values in [first, last] of stage time, ascending: those inside,
  // and the ones just outside, unless there are samples at the ends. A single one if the value is
  // the same throughout. None if the value does not come from samples or a spline.
  //
  // The samples of a spline are its knots, and the finite ends of the interval; a knot at which the
  // value jumps has two, of which the first is the limit from the left (behind a negative rate,
  // only the value at the knot). A spline in clips that would be too large to join has only the
  // ends. `first` must be less than infinity and `last` greater than -infinity.
  // RESOURCE_EXHAUSTED for more than `most` samples.
  absl::StatusOr<std::vector<AttributeSample>> SamplesCovering(RequestContext& context,
                                                               double first, double last,
                                                               size_t most) const;
  // The value of such a sample, as ValueAt.
  Value ValueAt(RequestContext& context, const AttributeSample& sample,
                Interpolation interpolation) const;
  // Corresponds to UsdAttributeQuery::ValueMightBeTimeVarying.
  bool MightBeTimeVarying(RequestContext& context) const;
  // True if there is at most one sample, so that the value is the same at all numeric times. Clips
  // and splines are taken to vary without opening or evaluating them.
  bool IsSteady(RequestContext& context) const;
  // Whether the values at `first` and at `last` of stage time, and at all times between them, are
  // certainly the same: because one sample determines them or, if values are `held`, because no
  // sample is in between. Both times must be finite, and `first` not later than `last`.
  bool IsConstantIn(RequestContext& context, double first, double last, bool held) const;

 private:
  friend class SourceCompiler;

  // Whether the source is a block, or array edits of one.
  bool EndsInBlock() const;
  // The sample times around a time, in the source's time, of this source without weaker ones.
  std::optional<std::pair<double, double>> OwnBracketing(RequestContext& context,
                                                         double time) const;
  // Whether the value that the source holds at `time`, in its own time, is an edit.
  bool EditGoverns(RequestContext& context, double time) const;
  // Whether values in [first, last] of the source's time may be edits.
  bool ComposesIn(RequestContext& context, double first, double last) const;
  // The value at `time`, in the source's time, held and composed over the held weaker value.
  Value ComposedAt(RequestContext& context, double time, bool pre) const;
  // The value between the samples of this source and of weaker ones. None if no edit has a part in
  // it.
  std::optional<Value> BetweenComposed(RequestContext& context, TimeCode time) const;
  // The value of time samples at `time`, in the source's time.
  Value SampleValue(double time, bool pre, bool linear) const;
  // The value between two of the samples around `source_time`, that of `stage_time`; none at a
  // sample, and before and after all of them.
  std::optional<Value> BetweenSamples(double source_time, double stage_time) const;
  // The value of clips behind a negative rate, where samples are held. `time` is the source's.
  Value HeldClipValue(RequestContext& context, double time, bool pre) const;
  // Maps stage time to the source's time.
  double SourceTime(TimeCode time) const;
  // Maps a time of the source for its clips.
  ClipTime InClips(double time) const { return {.local = time, .stage = offset_.Apply(time)}; }
  void SetOffset(const LayerOffset& offset);
  // The value before array edits are applied and time codes mapped.
  Value OwnValueAt(RequestContext& context, TimeCode time, Interpolation interpolation) const;
  // OwnValueAt() for a time of the source.
  Value RawValueAt(RequestContext& context, double time, bool pre,
                   Interpolation interpolation) const;
  // Applies array edits and maps time codes.
  Value Finished(RequestContext& context, Value value, TimeCode time,
                 Interpolation interpolation) const;
  // Whether held values in [first, last] are those of one sample; `samples` covers the interval.
  bool HoldsOneIn(RequestContext& context, double first, double last,
                  const std::vector<AttributeSample>& samples) const;
  // The times of SamplesCovering in the source's time, for other sources than splines.
  absl::StatusOr<std::vector<double>> TimesCovering(RequestContext& context, double begin,
                                                    double end, size_t most) const;
  // The samples of SamplesCovering of a spline, whose `time` is in the source's time, too.
  absl::StatusOr<std::vector<AttributeSample>> SplineSamples(RequestContext& context, double begin,
                                                             double end, size_t most) const;

  ResolveInfoSource kind_ = ResolveInfoSource::kNone;
  bool blocked_ = false;
  std::optional<PropertyOpinion> opinion_;
  LayerOffset offset_;   // source time to stage time
  LayerOffset inverse_;  // stage time to source time
  Value value_;          // the default or fallback, or holds the samples or the spline
  std::shared_ptr<const ClipAttribute> clip_;
  bool in_prototype_ = false;
  std::shared_ptr<const AttributeSource> weaker_;  // what edits are composed over
  std::shared_ptr<const SourceRest> rest_;         // the same for clips, which seldom have edits
  // The source of sample lists if the values come from splines in clips: OpenUSD looks for samples
  // past those.
  std::shared_ptr<const AttributeSource> samples_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_ATTRIBUTE_SOURCE_H_

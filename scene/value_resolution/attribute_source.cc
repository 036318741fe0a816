#include "scene/value_resolution/attribute_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/pacer.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/heap_bytes.h"
#include "scene/values/array_edit.h"
#include "scene/values/interpolation.h"
#include "scene/values/layer_offset.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/refused_value.h"
#include "scene/values/retiming.h"
#include "scene/values/spline_evaluation.h"
#include "scene/values/spline_pieces.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

using TimeSpan = std::span<const double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether a value is composed over weaker ones: an array edit or a path expression, but not an
// array of these.
bool IsEdit(const Value& value) { return value.Is<ArrayEdit>() || value.Is<PathExpressionValue>(); }

// A guess at the interval that contains `time`, right if samples are evenly spaced, as most are.
size_t GuessInterval(TimeSpan times, double time) {
  const double share = (time - times.front()) / (times.back() - times.front());
  const double guess = share * static_cast<double>(times.size() - 1);
  const bool sane = guess >= 0 && guess < static_cast<double>(times.size() - 1);
  return sane ? static_cast<size_t>(guess) : 0;
}

// The indices of the samples at or around `time`; equal if one sample answers alone.
std::pair<size_t, size_t> Around(TimeSpan times, double time) {
  if (times.size() > 8) {
    const size_t guess = GuessInterval(times, time);
    if (times[guess] < time && time < times[guess + 1]) return {guess, guess + 1};
    if (times[guess] == time) return {guess, guess};
  }
  const size_t after = std::lower_bound(times.begin(), times.end(), time) - times.begin();
  if (after == times.size()) return {after - 1, after - 1};
  if (times[after] == time || after == 0) return {after, after};
  return {after - 1, after};
}

// The times without infinite ones, at which a sample may be authored to hold a value but which
// OpenUSD does not list.
Array<double> Finite(const Array<double>& times) {
  const double* begin = times.begin();
  const double* end = times.end();
  while (begin != end && std::isinf(*begin)) ++begin;
  while (begin != end && std::isinf(end[-1])) --end;
  return Array<double>::View(begin, end - begin, times.owner());
}

Array<double> Retimed(const Array<double>& all, const LayerOffset& offset) {
  Array<double> times = Finite(all);
  if (offset.IsIdentity()) return times;
  double* out;
  Array<double> result = Array<double>::Uninitialized(times.size(), &out);
  std::transform(times.begin(), times.end(), out, [&](double t) { return offset.Apply(t); });
  return result;
}

// Maps stage time to the time of a spline. As in OpenUSD the earliest time is not mapped, whatever
// the offset.
double SplineTime(const LayerOffset& inverse, TimeCode time) {
  const double local = time.is_earliest() ? time.value() : inverse.Apply(time.value());
  return std::clamp(local, std::numeric_limits<double>::lowest(),
                    std::numeric_limits<double>::max());
}

Array<double> Between(const Array<double>& times, double first, double last) {
  const double* from = std::lower_bound(times.begin(), times.end(), first);
  const double* to = std::upper_bound(from, times.end(), last);
  return Array<double>::View(from, to - from, times.owner());
}

// The sample times of both, ascending and without duplicates.
Array<double> Union(const Array<double>& a, const Array<double>& b) {
  if (b.empty() && std::is_sorted(a.begin(), a.end())) return a;
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return Array<double>::FromVector(std::move(all));
}

}  // namespace

AttributeSource AttributeSource::Constant(Value value) {
  AttributeSource source;
  source.kind_ = ResolveInfoSource::kDefault;
  source.value_ = std::move(value);
  return source;
}

AttributeSource AttributeSource::OfSpec(const Layer& layer, SpecId spec, const LayerOffset& offset,
                                        bool numeric) {
  AttributeSource source;
  source.SetOffset(offset);
  const auto take = [&](ResolveInfoSource kind, Token field) {
    source.value_ = layer.Get(spec, field);
    const TimeSamples* samples = source.value_.samples();
    if (source.value_.empty() || (samples && samples->size() == 0)) return false;
    // Damaged data answers like a value.
    source.kind_ = source.value_.is_invalid() ? ResolveInfoSource::kDefault : kind;
    return true;
  };
  const FieldKeys& fields = Fields();
  const bool animated = numeric && (take(ResolveInfoSource::kTimeSamples, fields.timeSamples) ||
                                    take(ResolveInfoSource::kSpline, fields.spline));
  if (!animated) take(ResolveInfoSource::kDefault, fields.default_);
  return source;
}

AttributeSource AttributeSource::OfClips(std::shared_ptr<const ClipAttribute> clips) {
  AttributeSource source;
  source.kind_ = ResolveInfoSource::kValueClips;
  source.SetOffset(clips->offset());
  source.clip_ = std::move(clips);
  return source;
}

void AttributeSource::SetOffset(const LayerOffset& offset) {
  offset_ = offset;
  inverse_ = offset.Inverse();
}

size_t AttributeSource::byte_size() const {
  size_t bytes = sizeof(*this);
  const ArrayBase* array = value_.array();
  if (array && array->owner() && array->owner()->Unique()) bytes += HeapBytes(value_);
  for (const auto& source : {weaker_, samples_}) {
    if (source) bytes += source->byte_size();
  }
  if (rest_) bytes += sizeof(SourceRest);
  return bytes;
}

Value AttributeSource::ValueAt(RequestContext& context, TimeCode time,
                               Interpolation interpolation) const {
  const bool interpolates =
      interpolation == Interpolation::kLinear && offset_.scale > 0 && !time.is_default();
  if (weaker_ && interpolates) {
    if (auto value = BetweenComposed(context, time)) return *std::move(value);
  }
  Value own = OwnValueAt(context, time, interpolation);
  // The clips that have a part in the value have been read now.
  if (rest_ && interpolates && clip_->MayHaveReadEdits()) {
    if (auto value = BetweenComposed(context, time)) return *std::move(value);
  }
  return Finished(context, std::move(own), time, interpolation);
}

void AttributeSource::PrefetchSamples() const {
  if (kind_ == ResolveInfoSource::kTimeSamples) __builtin_prefetch(value_.samples());
}

void AttributeSource::PrefetchSamplesAt(TimeCode time) const {
  if (kind_ != ResolveInfoSource::kTimeSamples || time.is_default()) return;
  const TimeSamples& samples = *value_.samples();
  samples.Prefetch(Around(samples.times(), SourceTime(time)).first);
}

Value AttributeSource::OpinionAt(RequestContext& context, TimeCode time,
                                 Interpolation interpolation) const {
  Value value = OwnValueAt(context, time, interpolation);
  if (value.is_invalid()) FailIfRefused(context, value);
  return offset_.IsIdentity() || !HoldsTimes(value) ? value : Retime(value, offset_);
}

Value AttributeSource::OwnValueAt(RequestContext& context, TimeCode time,
                                  Interpolation interpolation) const {
  const double source_time = SourceTime(time);
  // As OpenUSD does, looks for the samples in the source's time, and interpolates in stage time:
  // the value at the stage time of a sample is that of the sample, where rounding makes times
  // differ.
  if (interpolation == Interpolation::kLinear && offset_.scale > 0 && !offset_.IsIdentity()) {
    if (kind_ == ResolveInfoSource::kValueClips) {
      return clip_->ValueAt(context, {.local = source_time, .stage = time.value()},
                            time.is_pre_time(),
                            /*linear=*/true);
    }
    if (kind_ == ResolveInfoSource::kTimeSamples) {
      if (auto value = BetweenSamples(source_time, time.value())) return *std::move(value);
    }
  }
  return RawValueAt(context, source_time, time.is_pre_time(), interpolation);
}

double AttributeSource::SourceTime(TimeCode time) const {
  return kind_ == ResolveInfoSource::kSpline ? SplineTime(inverse_, time)
                                             : inverse_.Apply(time.value());
}

Value AttributeSource::Finished(RequestContext& context, Value value, TimeCode time,
                                Interpolation interpolation) const {
  if (value.is_block()) return Value();
  if (value.is_invalid()) FailIfRefused(context, value);
  if (value.Is<ArrayEdit>()) {
    const auto weaker = Weaker(context);
    const Value below = weaker ? weaker->ValueAt(context, time, interpolation) : Value();
    // 12.3.6: at default time a block is no value, also under edits. At numeric times it is treated
    // as no opinion, and edits apply to an empty array.
    if (time.is_default() && weaker_ && weaker_->EndsInBlock()) return Value();
    const Value retimed = Retime(value, offset_);
    return ApplyArrayEdit(*retimed.Get<ArrayEdit>(), below);
  }
  const bool in_layer_time = kind_ != ResolveInfoSource::kFallback && !offset_.IsIdentity();
  if (in_layer_time && HoldsTimes(value)) return Retime(value, offset_);
  return value;
}

bool AttributeSource::ComposesIn(RequestContext& context, double first, double last) const {
  return weaker_ || (rest_ && clip_->MayHoldEdits(context, first, last));
}

bool AttributeSource::EditGoverns(RequestContext& context, double time) const {
  if (kind_ != ResolveInfoSource::kTimeSamples) {
    return IsEdit(RawValueAt(context, time, /*pre=*/false, Interpolation::kHeld));
  }
  const TimeSamples& samples = *value_.samples();
  return IsEdit(samples.At(Around(samples.times(), time).first));
}

Value AttributeSource::ComposedAt(RequestContext& context, double time, bool pre) const {
  const double on_stage = offset_.Apply(time);
  const TimeCode code = pre ? TimeCode::PreTime(on_stage) : TimeCode::At(on_stage);
  // Clips have samples where their files have none, at which the values of their files interpolate.
  const bool clips = kind_ == ResolveInfoSource::kValueClips;
  const auto own = clips ? Interpolation::kLinear : Interpolation::kHeld;
  return Finished(context, RawValueAt(context, time, pre, own), code, Interpolation::kHeld);
}

std::optional<Value> AttributeSource::BetweenComposed(RequestContext& context,
                                                      TimeCode time) const {
  const double local = inverse_.Apply(time.value());
  const auto own = ComposesIn(context, local, local) ? OwnBracketing(context, local) : std::nullopt;
  if (!own) return std::nullopt;  // a default: composing and interpolating commute
  const double before = std::nextafter(local, -kInfinity);
  const bool edit = EditGoverns(context, time.is_pre_time() ? before : local);
  if (!edit && !EditGoverns(context, own->second)) return std::nullopt;
  // The nearest sample times of both, in the source's time.
  double lower = -kInfinity;
  double upper = kInfinity;
  const auto narrow = [&](double at) {
    if (at <= local) lower = std::max(lower, at);
    if (at >= local) upper = std::min(upper, at);
  };
  narrow(own->first);
  narrow(own->second);
  const auto below = edit ? Weaker(context)->Bracketing(context, time.value()) : std::nullopt;
  if (below) narrow(inverse_.Apply(below->first));
  if (below) narrow(inverse_.Apply(below->second));
  if (lower == local && time.is_pre_time()) {
    Value limit = ComposedAt(context, local, /*pre=*/true);
    const Value at = ComposedAt(context, local, /*pre=*/false);
    return CanInterpolate(limit, at) ? Interpolate(limit, at, 1) : limit;
  }
  if (lower == local || std::isinf(lower) || std::isinf(upper)) {
    return ComposedAt(context, local, /*pre=*/false);
  }
  Value value = ComposedAt(context, lower, /*pre=*/false);
  if (!InterpolatesLinearly(value.type())) return value;
  return Interpolate(value, ComposedAt(context, upper, /*pre=*/false),
                     (local - lower) / (upper - lower));
}

bool AttributeSource::EndsInBlock() const {
  return blocked_ || (weaker_ && weaker_->EndsInBlock());
}

Value AttributeSource::RawValueAt(RequestContext& context, double time, bool pre,
                                  Interpolation interpolation) const {
  // Where time runs backwards, OpenUSD holds the sample that is earlier in the layer.
  const bool linear = interpolation == Interpolation::kLinear && offset_.scale > 0;
  switch (kind_) {
    case ResolveInfoSource::kNone:
      return Value();
    case ResolveInfoSource::kFallback:
    case ResolveInfoSource::kDefault:
      return value_;
    case ResolveInfoSource::kTimeSamples:
      return SampleValue(time, pre, linear);
    case ResolveInfoSource::kSpline:
      return EvaluateSplineValue(*value_.Get<Spline>(), time,
                                 pre ? SplineSide::kPre : SplineSide::kAt)
          .value_or(Value());
    case ResolveInfoSource::kValueClips:
      if (interpolation == Interpolation::kLinear && !linear) {
        return HeldClipValue(context, time, pre);
      }
      return clip_->ValueAt(context, InClips(time), pre, linear);
  }
  return Value();
}

Value AttributeSource::HeldClipValue(RequestContext& context, double time, bool pre) const {
  // Time runs backwards here, so what is held is the lower bracket in the time of the clips.
  const double local = pre ? std::nextafter(time, -std::numeric_limits<double>::infinity()) : time;
  // Linear at that time: where only `times` of the set has an entry, the clip itself interpolates.
  if (const auto around = clip_->Bracketing(context, local)) {
    return clip_->ValueAt(context, InClips(around->first), /*pre=*/false, /*linear=*/true);
  }
  return clip_->ValueAt(context, InClips(time), pre, /*linear=*/true);
}

Value AttributeSource::SampleValue(double time, bool pre, bool linear) const {
  const TimeSamples& samples = *value_.samples();
  // 12.5.1: before the first sample and after the last one their values are held.
  auto [lower, upper] = Around(samples.times(), time);
  if (lower == upper) {
    const bool limit = pre && lower > 0 && samples.times()[lower] == time;
    if (!limit) return samples.At(lower);
    // 12.5: interpolated values reach the sample; held values, and those before a block, do not.
    Value before = samples.At(lower - 1);
    if (!linear || before.is_block()) return before;
    // Interpolation takes the shorter way between quaternions, so the limit may be the negative of
    // the sample.
    const Value at = samples.At(lower);
    return CanInterpolate(before, at) ? Interpolate(before, at, 1) : before;
  }
  if (!linear) return samples.At(lower);
  const double begin = samples.times()[lower];
  const double end = samples.times()[upper];
  return samples.Between(lower, (time - begin) / (end - begin));
}

std::optional<Value> AttributeSource::BetweenSamples(double source_time, double stage_time) const {
  const TimeSamples& samples = *value_.samples();
  const auto [lower, upper] = Around(samples.times(), source_time);
  if (lower == upper) return std::nullopt;
  const double begin = offset_.Apply(samples.times()[lower]);
  const double end = offset_.Apply(samples.times()[upper]);
  if (!(begin < end)) return std::nullopt;
  return samples.Between(lower, (stage_time - begin) / (end - begin));
}

Value AttributeSource::RetimedSpline(RequestContext& context) const {
  const Value value = clip_ ? clip_->WholeSpline(context) : value_;
  const Spline* spline = value.Get<Spline>();
  return spline ? Value(MapSpline(*spline, offset_)) : Value();
}

std::optional<std::vector<std::pair<double, Value>>> AttributeSource::RetimedSamples() const {
  if (kind_ != ResolveInfoSource::kTimeSamples || weaker_) return std::nullopt;
  const TimeSamples& samples = *value_.samples();
  std::vector<std::pair<double, Value>> result;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double time = samples.times()[i];
    if (std::isinf(time)) continue;
    Value value = samples.At(i);
    if (!offset_.IsIdentity() && HoldsTimes(value)) value = Retime(value, offset_);
    result.emplace_back(offset_.Apply(time), std::move(value));
  }
  return result;
}

Array<double> AttributeSource::SampleTimes(RequestContext& context) const {
  if (samples_) return samples_->SampleTimes(context);
  Array<double> times;
  if (kind_ == ResolveInfoSource::kTimeSamples)
    times = Retimed(value_.samples()->times_array(), offset_);
  if (kind_ == ResolveInfoSource::kValueClips)
    times = Retimed(clip_->SampleTimes(context), offset_);
  if (!ComposesIn(context, -kInfinity, kInfinity)) return times;
  // Weaker samples count where the value is an edit.
  const Array<double> below = Weaker(context)->SampleTimes(context);
  std::vector<double> counting;
  Pacer pacer(context);
  for (const double time : below) {
    if (!pacer.Go(4)) break;
    if (EditGoverns(context, inverse_.Apply(time))) counting.push_back(time);
  }
  return Union(times, Array<double>::FromVector(std::move(counting)));
}

Array<double> AttributeSource::SampleTimesIn(RequestContext& context, double first,
                                             double last) const {
  if (!(first <= last)) return {};
  if (samples_) return samples_->SampleTimesIn(context, first, last);
  // As in OpenUSD, what is in the interval is decided in the source's own time.
  double begin = inverse_.Apply(first);
  double end = inverse_.Apply(last);
  if (offset_.scale < 0) std::swap(begin, end);
  if (ComposesIn(context, begin, end)) return Between(SampleTimes(context), first, last);
  if (kind_ == ResolveInfoSource::kTimeSamples) {
    return Retimed(Between(value_.samples()->times_array(), begin, end), offset_);
  }
  if (kind_ != ResolveInfoSource::kValueClips) return {};
  return Retimed(Array<double>::FromVector(clip_->SampleTimesIn(context, begin, end)), offset_);
}

size_t AttributeSource::SampleCount(RequestContext& context) const {
  if (samples_) return samples_->SampleCount(context);
  if (kind_ == ResolveInfoSource::kTimeSamples && !weaker_) return value_.samples()->size();
  if (ComposesIn(context, -kInfinity, kInfinity)) return SampleTimes(context).size();
  return kind_ == ResolveInfoSource::kValueClips ? clip_->SampleCount(context) : 0;
}

std::optional<std::pair<double, double>> AttributeSource::Bracketing(RequestContext& context,
                                                                     double time) const {
  if (samples_) return samples_->Bracketing(context, time);
  // Edits merge the samples of several layers, so their list is searched in stage time; other
  // sources are searched in their own time.
  const double local = inverse_.Apply(time);
  auto found = weaker_ ? std::nullopt : OwnBracketing(context, local);
  // The clip that has the sample before `time` has been read now, and no other one can add samples.
  if (weaker_ || (rest_ && clip_->MayHaveReadEdits() && ComposesIn(context, local, local))) {
    const Array<double> times = SampleTimes(context);
    if (times.empty()) return std::nullopt;
    const auto [lower, upper] = Around(times.span(), time);
    return std::pair(times[lower], times[upper]);
  }
  if (found) *found = {offset_.Apply(found->first), offset_.Apply(found->second)};
  return found;
}

std::optional<std::pair<double, double>> AttributeSource::OwnBracketing(RequestContext& context,
                                                                        double time) const {
  if (kind_ == ResolveInfoSource::kTimeSamples) {
    const TimeSpan times = value_.samples()->times();
    const auto [lower, upper] = Around(times, time);
    return std::pair(times[lower], times[upper]);
  }
  if (kind_ == ResolveInfoSource::kValueClips) return clip_->Bracketing(context, time);
  return std::nullopt;
}

bool AttributeSource::MightBeTimeVarying(RequestContext& context) const {
  if (weaker_ && weaker_->MightBeTimeVarying(context)) return true;
  switch (kind_) {
    case ResolveInfoSource::kTimeSamples:
      return value_.samples()->size() > 1 || (weaker_ && IsEdit(value_.samples()->At(0)));
    case ResolveInfoSource::kValueClips:
      // OpenUSD does not find the clips of prims in prototypes for this query.
      return !in_prototype_ && clip_->MightBeTimeVarying(context);
    case ResolveInfoSource::kSpline:
      return true;  // OpenUSD does not look at the knots
    default:
      return false;
  }
}

}  // namespace stagedoor

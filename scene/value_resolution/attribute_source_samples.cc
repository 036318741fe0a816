// The samples of an AttributeSource that determine its values in an interval.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/values/spline_knot_times.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

using TimeList = std::vector<double>;

// How far beside a repeated knot its values are looked up, relative to its time: more than rounding
// when the time is mapped back, and too little to change values.
constexpr double kBeside = 1e-14;

constexpr double kBesideClip = 1e-9;
constexpr size_t kMostCompared = 4096;  // samples between two times

absl::Status TooManySamples(size_t most) {
  return ResourceExhaustedError("the interval has more than ", most, " samples");
}

// The part of sorted `times` in [begin, end], with its neighbors on either side.
absl::StatusOr<TimeList> Covering(std::span<const double> times, double begin, double end,
                                  size_t most) {
  if (times.empty()) return TimeList();
  auto from = std::upper_bound(times.begin(), times.end(), begin);
  if (from != times.begin()) --from;
  auto to = std::lower_bound(from, times.end(), end);
  if (to != times.end()) ++to;
  if (static_cast<size_t>(to - from) > most) return TooManySamples(most);
  return TimeList(from, to);
}

// As OpenUSD, a clip set may list other samples than it finds around a time, so both are asked.
absl::StatusOr<TimeList> ClipTimes(RequestContext& context, const ClipAttribute& clip, double begin,
                                   double end, size_t most) {
  TimeList times = clip.SampleTimesIn(context, begin, end);
  SD_RETURN_IF_ERROR(context.Check());
  if (times.size() > most) return TooManySamples(most);
  if (std::isfinite(begin)) {
    if (const auto around = clip.Bracketing(context, begin)) times.push_back(around->first);
  }
  if (std::isfinite(end)) {
    if (const auto around = clip.Bracketing(context, end)) times.push_back(around->second);
  }
  SD_RETURN_IF_ERROR(context.Check());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() > most) return TooManySamples(most);
  return times;
}

}  // namespace

absl::StatusOr<TimeList> AttributeSource::TimesCovering(RequestContext& context, double begin,
                                                        double end, size_t most) const {
  if (kind_ == ResolveInfoSource::kTimeSamples) {
    return Covering(value_.samples()->times(), begin, end, most);
  }
  if (kind_ == ResolveInfoSource::kValueClips) {
    return ClipTimes(context, *clip_, begin, end, most);
  }
  return TimeList();
}

absl::StatusOr<std::vector<AttributeSample>> AttributeSource::SplineSamples(RequestContext& context,
                                                                            double begin,
                                                                            double end,
                                                                            size_t most) const {
  const Value whole = clip_ ? clip_->WholeSpline(context) : value_;
  SD_RETURN_IF_ERROR(context.Check());
  std::vector<SplineKnotTime> knots;
  if (const Spline* spline = whole.Get<Spline>()) {
    auto found = KnotTimesIn(*spline, begin, end, most);
    if (!found) return TooManySamples(most);
    knots = *std::move(found);
  }
  std::vector<AttributeSample> samples;
  const auto add = [&](double time, bool pre, double beside = 0) {
    samples.push_back({.time = time, .source_time = time + (pre ? -beside : beside), .pre = pre});
  };
  if (std::isfinite(begin)) add(begin, /*pre=*/false);
  for (const SplineKnotTime& knot : knots) {
    if (knot.time == begin) continue;
    const double beside = knot.jump && knot.repeated ? kBeside * (1 + std::abs(knot.time)) : 0;
    if (knot.jump && offset_.scale > 0) add(knot.time, /*pre=*/true, beside);
    add(knot.time, /*pre=*/false, beside);
  }
  if (std::isfinite(end) && (samples.empty() || samples.back().time != end)) {
    add(end, /*pre=*/false);
  }
  if (samples.size() > most) return TooManySamples(most);
  return samples;
}

absl::StatusOr<std::vector<AttributeSample>> AttributeSource::SamplesCovering(
    RequestContext& context, double first, double last, size_t most) const {
  std::vector<AttributeSample> samples;
  double begin = inverse_.Apply(first);
  double end = inverse_.Apply(last);
  if (offset_.scale < 0) std::swap(begin, end);
  if (ComposesIn(context, begin,
                 end)) {  // the samples of several layers, whose list is in stage time
    const Array<double> all = SampleTimes(context);
    SD_ASSIGN_OR_RETURN(const TimeList times, Covering(all.span(), first, last, most));
    for (const double time : times) {
      samples.push_back({.time = time, .source_time = inverse_.Apply(time), .pre = false});
    }
    return samples;
  }
  if (kind_ == ResolveInfoSource::kSpline || (clip_ && clip_->has_spline())) {
    SD_ASSIGN_OR_RETURN(samples, SplineSamples(context, begin, end, most));
  } else {
    SD_ASSIGN_OR_RETURN(const TimeList times, TimesCovering(context, begin, end, most));
    for (const double time : times) {
      samples.push_back({.time = time, .source_time = time, .pre = false});
    }
  }
  for (AttributeSample& sample : samples) sample.time = offset_.Apply(sample.time);
  if (offset_.scale < 0) std::reverse(samples.begin(), samples.end());
  return samples;
}

bool AttributeSource::IsSteady(RequestContext& context) const {
  if (kind_ == ResolveInfoSource::kValueClips || kind_ == ResolveInfoSource::kSpline) return false;
  return SampleCount(context) <= 1;
}

bool AttributeSource::IsConstantIn(RequestContext& context, double first, double last,
                                   bool held) const {
  if (first == last) return true;
  const auto samples = SamplesCovering(context, first, last, kMostCompared);
  if (!samples.ok() || !context.Check().ok()) return false;
  return samples->size() < 2 || (held && HoldsOneIn(context, first, last, *samples));
}

bool AttributeSource::HoldsOneIn(RequestContext& context, double first, double last,
                                 const std::vector<AttributeSample>& samples) const {
  // In the source's time, in which values are looked up. Behind a negative scale, the order of the
  // times is another one there, but still the sample before a time is held.
  double begin = inverse_.Apply(first);
  double end = inverse_.Apply(last);
  const bool backward = offset_.scale < 0;
  if (backward) std::swap(begin, end);
  if (ComposesIn(context, begin, end)) return false;
  const double sample = (backward ? samples.back() : samples.front()).source_time;
  const double next = (backward ? samples[samples.size() - 2] : samples[1]).source_time;
  // Before the first sample, its value is held too.
  if (kind_ == ResolveInfoSource::kTimeSamples) return end < next;
  if (kind_ != ResolveInfoSource::kValueClips || clip_->has_spline()) return false;
  // A clip may be played backward, so that the value of a sample ends just after its time; and its
  // times are rounded when they are mapped to those of the set.
  const auto beside = [](double time) { return kBesideClip * (1 + std::abs(time)); };
  return begin > sample + beside(sample) && end < next - beside(next);
}

Value AttributeSource::ValueAt(RequestContext& context, const AttributeSample& sample,
                               Interpolation interpolation) const {
  const double time = sample.source_time;
  if (weaker_) return ValueAt(context, sample.code(), interpolation);
  Value own = RawValueAt(context, time, sample.pre, interpolation);
  if (rest_ && clip_->MayHaveReadEdits() && ComposesIn(context, time, time)) {
    return ValueAt(context, sample.code(), interpolation);
  }
  return Finished(context, std::move(own), sample.code(), interpolation);
}

}  // namespace stagedoor

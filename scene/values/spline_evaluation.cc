#include "scene/values/spline_evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "scene/values/cubic.h"
#include "scene/values/half.h"
#include "scene/values/layer_offset.h"
#include "scene/values/time_code_value.h"

namespace stagedoor {
namespace {

using Knot = SplineKnot;

// A knot as evaluation sees it: an authored one, or an echo of it, shifted in time and value.
struct KnotView {
  const Knot* knot = nullptr;
  double time = 0;
  double offset = 0;

  double value() const { return knot->value + offset; }
  double pre_value() const { return knot->ValueBefore() + offset; }
  KnotInterpolation next() const { return knot->next; }
};

// The knots with inner loops unrolled (section 12.5.3.4.2), computed on demand: the authored knots
// before the looped interval, the repeated knots of the prototype, an echo of its first knot at the
// end, and the authored knots after the interval.
class UnrolledKnots {
 public:
  explicit UnrolledKnots(const Spline& spline) : knots_(spline.knots) {
    if (!HasInnerLoops(spline)) {
      before_ = knots_.size();
      return;
    }
    const SplineLoopParams& loop = *spline.loop;
    span_ = loop.proto_end - loop.proto_start;
    value_step_ = loop.value_offset;
    pre_loops_ = std::max(loop.pre_loops, 0);
    loops_ = pre_loops_ + 1 + std::max(loop.post_loops, 0);
    proto_start_ = loop.proto_start;
    proto_end_ = loop.proto_end;
    begin_ = loop.proto_start - static_cast<double>(pre_loops_) * span_;
    end_ = loop.proto_start + static_cast<double>(loops_ - pre_loops_) * span_;
    proto_first_ = LowerBound(loop.proto_start);
    proto_count_ = LowerBound(loop.proto_end) - proto_first_;
    before_ = LowerBound(begin_);
    after_ = std::upper_bound(knots_.begin(), knots_.end(), end_,
                              [](double t, const Knot& k) { return t < k.time; }) -
             knots_.begin();
    echoed_ = loops_ * proto_count_ + 1;
  }

  // The first or last knot as extrapolation sees it, or with `inner` its neighbor. An echo only if
  // the looped interval extends beyond the authored knots; the neighbor is then an echo too,
  // otherwise the authored one.
  KnotView End(bool first, bool inner) const {
    if (first) return begin_ < knots_.front().time ? (*this)[inner] : View(inner, 0);
    const int64_t back = inner ? 2 : 1;
    return end_ > knots_.back().time ? (*this)[size() - back] : View(knots_.size() - back, 0);
  }

  // The time in the prototype that is repeated at `time`, and the offset of its value. Rounds like
  // OpenUSD, so that a knot that a repetition has at `time` may be missed.
  std::pair<double, double> InPrototype(double time) const {
    if (!(time > begin_ && time < end_)) return {time, 0};
    double iteration = 0;
    if (time < proto_start_) iteration = -std::ceil((proto_start_ - time) / span_);
    if (time >= proto_end_) iteration = std::floor((time - proto_end_) / span_) + 1;
    return {time - iteration * span_, iteration * value_step_};
  }

  int64_t size() const { return before_ + echoed_ + (echoed_ ? knots_.size() - after_ : 0); }

  KnotView operator[](int64_t i) const {
    if (i < before_) return View(i, 0);
    i -= before_;
    if (i >= echoed_) return View(after_ + (i - echoed_), 0);
    return View(proto_first_ + i % proto_count_, i / proto_count_ - pre_loops_);
  }

  // The index of the first knot at or after `time`; size() if there is none.
  int64_t FirstAtOrAfter(double time) const {
    int64_t low = 0;
    int64_t high = size();
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if ((*this)[middle].time < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  int64_t LowerBound(double time) const {
    return std::lower_bound(knots_.begin(), knots_.end(), time,
                            [](const Knot& k, double t) { return k.time < t; }) -
           knots_.begin();
  }
  KnotView View(int64_t index, int64_t iteration) const {
    const Knot& knot = knots_[index];
    const double shift = static_cast<double>(iteration);
    return {&knot, knot.time + shift * span_, shift * value_step_};
  }

  const std::vector<Knot>& knots_;
  double begin_ = std::numeric_limits<double>::infinity();  // begin and end of the looped interval
  double end_ = -std::numeric_limits<double>::infinity();
  double proto_start_ = 0;
  double proto_end_ = 0;
  double span_ = 0;
  double value_step_ = 0;
  int64_t before_ = 0;  // number of authored knots before the looped interval
  int64_t proto_first_ = 0;
  int64_t proto_count_ = 1;
  int64_t pre_loops_ = 0;
  int64_t loops_ = 0;
  int64_t echoed_ = 0;
  int64_t after_ = 0;  // index of the first authored knot after the looped interval
};

struct Widths {
  double first;
  double second;
};

// Tangent widths as fractions of the interval, shortened in proportion if time would run backwards
// (section 12.5.3.5 Non-monotonic Curves). The time curve of a Bézier segment is monotonic if the
// two widths are inside a certain ellipse.
Widths WithoutRegression(Widths w) {
  constexpr double kWritten = 1e-5;  // extra shortening, to be safely inside the ellipse
  constexpr double kRead = 1e-6;     // tolerance for detecting a regression
  if (w.first <= 1 && w.second <= 1) return w;
  const double p = w.first + kRead;
  const double q = w.second + kRead;
  if (!(p * p + q * q - 2 * (p + q) + p * q + 1 > 0)) return w;
  if (w.first < kRead) return {w.first, 1 - kWritten};
  if (w.second < kRead) return {1 - kWritten, w.second};
  const double ratio = w.first / w.second;
  const double second = (std::sqrt(ratio) + ratio + 1) / (ratio * ratio + ratio + 1);
  return {ratio * second - kWritten, second - kWritten};
}

// The widths of the two tangents of a segment, shortened if they are regressive.
Widths SegmentWidths(const SplineKnot& from, const SplineKnot& to, double interval) {
  const Widths raw = {from.post_tangent_width / interval, to.pre_tangent_width / interval};
  const Widths kept = WithoutRegression(raw);
  return {kept.first == raw.first ? from.post_tangent_width : kept.first * interval,
          kept.second == raw.second ? to.pre_tangent_width : kept.second * interval};
}

double EvaluateBezier(const KnotView& from, const KnotView& to, double time) {
  const auto [w0, w1] = SegmentWidths(*from.knot, *to.knot, to.time - from.time);
  const Cubic times = Cubic::FromPoints(from.time - time, from.time + w0 - time,
                                        to.time - w1 - time, to.time - time);
  const double t = RisingZero(times);
  const double v0 = from.value();
  const double v1 = to.pre_value();
  return Cubic::FromPoints(v0, v0 + w0 * from.knot->post_tangent_slope,
                           v1 - w1 * to.knot->pre_tangent_slope, v1)
      .At(t);
}

double EvaluateHermite(const KnotView& from, const KnotView& to, double time) {
  const double interval = to.time - from.time;
  const double t = (time - from.time) / interval;
  const double v0 = from.value();
  const double v1 = to.pre_value();
  const double third = interval / 3;
  return Cubic::FromPoints(v0, v0 + third * from.knot->post_tangent_slope,
                           v1 - third * to.knot->pre_tangent_slope, v1)
      .At(t);
}

double SegmentSlope(const KnotView& from, const KnotView& to) {
  return (to.pre_value() - from.value()) / (to.time - from.time);
}

std::optional<double> EvaluateSegment(const Spline& spline, const KnotView& from,
                                      const KnotView& to, double time) {
  switch (from.next()) {
    case KnotInterpolation::kValueBlock:
      return std::nullopt;
    case KnotInterpolation::kHeld:
      return from.value();
    case KnotInterpolation::kLinear:
      return from.value() + SegmentSlope(from, to) * (time - from.time);
    case KnotInterpolation::kCurve:
      return spline.curve_type == CurveType::kBezier ? EvaluateBezier(from, to, time)
                                                     : EvaluateHermite(from, to, time);
  }
  return std::nullopt;
}

// The slope before the first knot (`before`) or after the last one (section 12.5.3.4.1). `inner` is
// the neighbor of that knot, or null.
std::optional<double> ExtrapolationSlope(const Extrapolation& extrapolation, const KnotView& end,
                                         const KnotView* inner, bool before) {
  switch (extrapolation.mode) {
    case ExtrapolationMode::kValueBlock:
      return std::nullopt;
    case ExtrapolationMode::kSloped:
      return extrapolation.slope;
    case ExtrapolationMode::kLinear:
      break;
    default:
      return 0.0;
  }
  if (!inner || end.knot->dual_valued) return 0.0;
  const KnotView& from = before ? end : *inner;
  const KnotView& to = before ? *inner : end;
  switch (from.next()) {
    case KnotInterpolation::kLinear:
      return SegmentSlope(from, to);
    case KnotInterpolation::kCurve:
      return before ? end.knot->post_tangent_slope : end.knot->pre_tangent_slope;
    default:
      return 0.0;
  }
}

// Where to evaluate instead of a time in an extrapolated loop.
struct Folded {
  double time;
  SplineSide side;
  double offset = 0;
};

// The part of the spline that extrapolation loops repeat.
struct LoopRange {
  KnotView first;
  KnotView last;
};

// The whole spline, or the part before (pre) or after (post) the loop boundary. Nothing if the
// boundary is not at a knot, in which case the extrapolation has no value.
std::optional<LoopRange> LoopRangeOf(const UnrolledKnots& knots, const Extrapolation& extrapolation,
                                     bool before) {
  LoopRange range{knots.End(true, false), knots.End(false, false)};
  if (extrapolation.loop_boundary) {
    const int64_t i = knots.FirstAtOrAfter(*extrapolation.loop_boundary);
    if (i >= knots.size() || knots[i].time != *extrapolation.loop_boundary) return std::nullopt;
    (before ? range.last : range.first) = knots[i];
  }
  return range;
}

Folded FoldLoops(ExtrapolationMode mode, const LoopRange& range, double time, SplineSide side,
                 bool before) {
  const auto& [first, last] = range;
  const double span = last.time - first.time;
  const double distance = (before ? first.time - time : time - last.time) / span;
  double loops = std::trunc(distance);
  // At a boundary between loops, the side that faces the knots belongs to the nearer loop.
  const bool near_side = loops == distance && before == (side == SplineSide::kAt);
  if (!near_side) loops += 1;
  const double hop = before ? loops : -loops;
  Folded folded{time + hop * span, side};
  if (mode == ExtrapolationMode::kLoopRepeat) {
    const double rise =
        before ? last.pre_value() - first.pre_value() : last.value() - first.value();
    folded.offset = -hop * rise;
  } else if (mode == ExtrapolationMode::kLoopOscillate && std::fmod(loops, 2) != 0) {
    folded.time = first.time + (span - (folded.time - first.time));
    folded.side = side == SplineSide::kPre ? SplineSide::kAt : SplineSide::kPre;
  }
  return folded;
}

// As in OpenUSD, the neighbors of a knot are the authored ones, even if an echo is closer.
std::optional<double> EvaluateAtKnot(const Spline& spline, const KnotView& at, SplineSide side) {
  if (side == SplineSide::kAt) {
    const bool last = at.knot == &spline.knots.back();
    const bool blocked = last ? spline.post.mode == ExtrapolationMode::kValueBlock
                              : at.next() == KnotInterpolation::kValueBlock;
    return blocked ? std::nullopt : std::optional(at.value());
  }
  if (at.knot == &spline.knots.front()) {
    const bool blocked = spline.pre.mode == ExtrapolationMode::kValueBlock;
    return blocked ? std::nullopt : std::optional(at.pre_value());
  }
  const Knot& before = at.knot[-1];
  if (before.next == KnotInterpolation::kValueBlock) return std::nullopt;
  if (before.next == KnotInterpolation::kHeld) return before.value + at.offset;
  return at.pre_value();
}

std::optional<double> EvaluateUnrolled(const Spline& spline, const UnrolledKnots& knots,
                                       double time, SplineSide side) {
  const int64_t size = knots.size();
  const int64_t i = knots.FirstAtOrAfter(time);
  if (i < size && knots[i].time == time) {
    return EvaluateAtKnot(spline, knots[i], side);
  }
  if (i > 0 && i < size) return EvaluateSegment(spline, knots[i - 1], knots[i], time);
  const bool before = i == 0;
  const KnotView end = knots.End(before, false);
  std::optional<KnotView> inner;
  if (spline.knots.size() > 1) inner = knots.End(before, true);
  const std::optional<double> slope =
      ExtrapolationSlope(before ? spline.pre : spline.post, end, inner ? &*inner : nullptr, before);
  if (!slope) return std::nullopt;
  const double base = before ? end.pre_value() : end.value();
  return *slope == 0 ? base : base + *slope * (time - end.time);
}

std::optional<double> EvaluateAt(const Spline& spline, const UnrolledKnots& knots, double time,
                                 SplineSide side) {
  const auto [proto_time, offset] = knots.InPrototype(time);
  const std::optional<double> value = EvaluateUnrolled(spline, knots, proto_time, side);
  return value ? std::optional(*value + offset) : std::nullopt;
}

// Sets slope and width of one tangent of the knot at `i` by OpenUSD's autoEase algorithm: a third
// of the segment wide, and flat at the ends, at extrema and at discontinuities.
void EaseTangent(const std::vector<Knot>& knots, size_t i, bool pre, Knot* knot) {
  const Knot* before = i > 0 ? &knots[i - 1] : nullptr;
  const Knot* after = i + 1 < knots.size() ? &knots[i + 1] : nullptr;
  if (!(pre ? before : after)) return;
  const double width = (pre ? knot->time - before->time : after->time - knot->time) / 3;
  double slope = 0;
  const bool broken = !before || !after || knot->dual_valued ||
                      knot->next == KnotInterpolation::kValueBlock ||
                      before->next == KnotInterpolation::kValueBlock;
  if (!broken) {
    const double rise = (knot->value - before->value) / (knot->time - before->time);
    const double next_rise = (after->ValueBefore() - knot->value) / (after->time - knot->time);
    if (rise * next_rise > 0) {
      // A cubic weight favors the nearer neighbor; the slope is capped at three times either slope.
      const double u = (knot->time - before->time) / (after->time - before->time) - 0.5;
      const double weight = 0.5 + u * (0.5 + 2 * u * u);
      slope = (1 - weight) * rise + weight * next_rise;
      slope = rise > 0 ? std::min({slope, 3 * rise, 3 * next_rise})
                       : std::max({slope, 3 * rise, 3 * next_rise});
    }
  }
  (pre ? knot->pre_tangent_slope : knot->post_tangent_slope) = slope;
  (pre ? knot->pre_tangent_width : knot->post_tangent_width) = width;
}

double RoundTo(ValueType type, double x) {
  if (type == ValueType::kFloat) return static_cast<float>(x);
  if (type == ValueType::kHalf) return Half(static_cast<float>(x));
  return x;
}

double LargestOf(ValueType type) {
  constexpr double kLargestHalf = 65504;
  if (type == ValueType::kHalf) return kLargestHalf;
  return type == ValueType::kFloat ? std::numeric_limits<float>::max()
                                   : std::numeric_limits<double>::max();
}

// Rounds the slope of a tangent to the type. A slope that is too large for it becomes its largest
// number, and the tangent wider, so that its end is as high as before.
void FitTangent(ValueType type, double* slope, double* width) {
  const double largest = LargestOf(type);
  if (std::abs(*slope) > largest) {
    *width *= std::abs(*slope) / largest;
    *slope = std::copysign(largest, *slope);
  }
  *slope = RoundTo(type, *slope);
}

}  // namespace

bool HasInnerLoops(const Spline& spline) {
  if (!spline.loop || !(spline.loop->proto_end > spline.loop->proto_start)) return false;
  if (spline.loop->pre_loops <= 0 && spline.loop->post_loops <= 0) return false;
  const double start = spline.loop->proto_start;
  const auto it = std::lower_bound(spline.knots.begin(), spline.knots.end(), start,
                                   [](const Knot& k, double t) { return k.time < t; });
  return it != spline.knots.end() && it->time == start;
}

std::optional<double> EvaluateSpline(const Spline& spline, double time, SplineSide side) {
  if (spline.knots.empty() || !std::isfinite(time)) return std::nullopt;
  const UnrolledKnots knots(spline);
  const double first = knots.End(true, false).time;
  const double last = knots.End(false, false).time;
  Folded folded{time, side};
  const bool pre = side == SplineSide::kPre;
  const bool before = time < first || (pre && time == first);
  const bool after = time > last || (!pre && time == last);
  const Extrapolation& extrapolation = before ? spline.pre : spline.post;
  if ((before || after) && extrapolation.IsLoop() && knots.size() > 1) {
    const std::optional<LoopRange> range = LoopRangeOf(knots, extrapolation, before);
    if (!range) return std::nullopt;
    if (range->last.time > range->first.time) {
      folded = FoldLoops(extrapolation.mode, *range, time, side, before);
    }
  }
  const std::optional<double> value = EvaluateAt(spline, knots, folded.time, folded.side);
  if (!value) return std::nullopt;
  return *value + folded.offset;
}

std::optional<Value> EvaluateSplineValue(const Spline& spline, double time, SplineSide side) {
  const std::optional<double> value = EvaluateSpline(spline, time, side);
  if (!value) return std::nullopt;
  if (spline.value_type == ValueType::kDuration) return Value(Duration{*value});
  if (spline.time_valued) return Value(TimeCodeValue{*value});
  switch (spline.value_type) {
    case ValueType::kFloat:
      return Value(static_cast<float>(*value));
    case ValueType::kHalf:
      return Value(Half(static_cast<float>(*value)));
    default:
      return Value(*value);
  }
}

void AdjustRegressiveTangents(Spline* spline) {
  if (spline->curve_type != CurveType::kBezier) return;
  for (size_t i = 1; i < spline->knots.size(); ++i) {
    Knot& from = spline->knots[i - 1];
    Knot& to = spline->knots[i];
    if (from.next != KnotInterpolation::kCurve) continue;
    const Widths widths = SegmentWidths(from, to, to.time - from.time);
    from.post_tangent_width = widths.first;
    to.pre_tangent_width = widths.second;
  }
}

void UpdateTangents(Spline* spline) {
  SetHermiteWidths(spline);
  std::vector<Knot>& knots = spline->knots;
  for (size_t i = 0; i < knots.size(); ++i) {
    Knot& knot = knots[i];
    if (knot.pre_tangent_algorithm == TangentAlgorithm::kAutoEase) {
      EaseTangent(knots, i, true, &knot);
      FitTangent(spline->value_type, &knot.pre_tangent_slope, &knot.pre_tangent_width);
    }
    if (knot.post_tangent_algorithm == TangentAlgorithm::kAutoEase) {
      EaseTangent(knots, i, false, &knot);
      FitTangent(spline->value_type, &knot.post_tangent_slope, &knot.post_tangent_width);
    }
  }
}

std::optional<std::vector<SplineKnot>> BakeInnerLoops(const Spline& spline, size_t limit) {
  const UnrolledKnots knots(spline);
  if (knots.size() > static_cast<int64_t>(limit)) return std::nullopt;
  std::vector<Knot> result;
  result.reserve(static_cast<size_t>(knots.size()));
  for (int64_t i = 0; i < knots.size(); ++i) {
    const KnotView view = knots[i];
    result.push_back(*view.knot);
    result.back().time = view.time;
    result.back().value = view.value();
    result.back().pre_value = view.pre_value();
  }
  return result;
}

SplineKnot SplitSegment(const Spline& spline, double time, SplineKnot* from, SplineKnot* to) {
  const double interval = to->time - from->time;
  const KnotView left{from, from->time, 0};
  const KnotView right{to, to->time, 0};
  SplineKnot middle;
  middle.time = time;
  middle.next = from->next;
  if (from->next != KnotInterpolation::kCurve) {
    middle.value = EvaluateSegment(spline, left, right, time).value_or(0);
    return middle;
  }
  const bool bezier = spline.curve_type == CurveType::kBezier;
  const Widths w =
      bezier ? SegmentWidths(*from, *to, interval) : Widths{interval / 3, interval / 3};
  const double t =
      bezier ? RisingZero(Cubic::FromPoints(from->time - time, from->time + w.first - time,
                                            to->time - w.second - time, to->time - time))
             : (time - from->time) / interval;
  const auto mix = [t](double a, double b) { return a + t * (b - a); };
  // De Casteljau's algorithm, in time and in value.
  const double v0 = from->value;
  const double v3 = to->ValueBefore();
  const double v1 = v0 + w.first * from->post_tangent_slope;
  const double v2 = v3 - w.second * to->pre_tangent_slope;
  const double t1 = from->time + w.first;
  const double t2 = to->time - w.second;
  const double left_t = mix(mix(from->time, t1), mix(t1, t2));
  const double left_v = mix(mix(v0, v1), mix(v1, v2));
  const double right_t = mix(mix(t1, t2), mix(t2, to->time));
  const double right_v = mix(mix(v1, v2), mix(v2, v3));
  middle.value = mix(left_v, right_v);
  const double slope = right_t > left_t ? (right_v - left_v) / (right_t - left_t) : 0;
  middle.pre_tangent_width = std::max(time - left_t, 0.0);
  middle.post_tangent_width = std::max(right_t - time, 0.0);
  middle.pre_tangent_slope = middle.post_tangent_slope = slope;
  from->post_tangent_width = t * w.first;
  to->pre_tangent_width = (1 - t) * w.second;
  return middle;
}

std::optional<double> SlopeBeyond(const Extrapolation& extrapolation, const SplineKnot& first,
                                  const SplineKnot* second, bool before) {
  const KnotView end{&first, first.time, 0};
  const KnotView inner{second, second ? second->time : 0, 0};
  return ExtrapolationSlope(extrapolation, end, second ? &inner : nullptr, before);
}

Spline RetimeSpline(const Spline& spline, const LayerOffset& offset) {
  Spline result = spline;
  const double slope_scale = spline.time_valued ? 1 : 1 / offset.scale;
  const auto map_value = [&](double v) {
    if (spline.value_type == ValueType::kDuration) return v * offset.scale;
    return spline.time_valued ? offset.Apply(v) : v;
  };
  for (Extrapolation* e : {&result.pre, &result.post}) {
    if (e->loop_boundary) e->loop_boundary = offset.Apply(*e->loop_boundary);
  }
  result.pre.slope *= slope_scale;
  result.post.slope *= slope_scale;
  if (result.loop) {
    result.loop->proto_start = offset.Apply(result.loop->proto_start);
    result.loop->proto_end = offset.Apply(result.loop->proto_end);
    if (spline.time_valued) result.loop->value_offset *= offset.scale;
  }
  for (Knot& knot : result.knots) {
    knot.time = offset.Apply(knot.time);
    knot.value = map_value(knot.value);
    knot.pre_value = map_value(knot.pre_value);
    knot.pre_tangent_width *= offset.scale;
    knot.post_tangent_width *= offset.scale;
    knot.pre_tangent_slope *= slope_scale;
    knot.post_tangent_slope *= slope_scale;
  }
  return result;
}

}  // namespace stagedoor

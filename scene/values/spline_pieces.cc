#include "scene/values/spline_pieces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "scene/values/half.h"
#include "scene/values/layer_offset.h"
#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

using KnotList = std::vector<SplineKnot>;

// Limit for the number of knots that loops may become.
constexpr size_t kMaxKnots = size_t{1} << 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An empty spline of the same type.
Spline Like(const Spline& spline) {
  Spline result;
  result.curve_type = spline.curve_type;
  result.value_type = spline.value_type;
  result.time_valued = spline.time_valued;
  return result;
}

void SetPreTangent(SplineKnot* knot, double width, double slope) {
  knot->pre_tangent_width = width;
  knot->pre_tangent_slope = slope;
}

void SetPostTangent(SplineKnot* knot, double width, double slope) {
  knot->post_tangent_width = width;
  knot->post_tangent_slope = slope;
}

// Sets the left side of the knot to that of `left`.
void SetLeft(SplineKnot* knot, const SplineKnot& left) {
  knot->pre_value = left.ValueBefore();
  knot->dual_valued = knot->pre_value != knot->value;
  SetPreTangent(knot, left.pre_tangent_width, left.pre_tangent_slope);
}

// Appends knots. The last knot and the first appended one are at the same time and become one knot.
void Append(KnotList* knots, const KnotList& more) {
  if (knots->empty()) {
    *knots = more;
    return;
  }
  const SplineKnot left = knots->back();
  knots->back() = more.front();
  knots->back().time = left.time;
  SetLeft(&knots->back(), left);
  knots->insert(knots->end(), more.begin() + 1, more.end());
}

// Reverses the order of the knots and swaps their sides, after their times were negated.
void Reverse(KnotList* knots) {
  for (size_t i = knots->size(); i-- > 0;) {
    SplineKnot& knot = (*knots)[i];
    if (knot.dual_valued) std::swap(knot.value, knot.pre_value);
    std::swap(knot.pre_tangent_width, knot.post_tangent_width);
    std::swap(knot.pre_tangent_slope, knot.post_tangent_slope);
    knot.next = i > 0 ? (*knots)[i - 1].next : KnotInterpolation::kHeld;
  }
  std::reverse(knots->begin(), knots->end());
}

// The part of a spline that extrapolation loops repeat.
class Period {
 public:
  Period(const KnotList& knots, const Extrapolation& loop, bool before) : before_(before) {
    auto first = knots.begin();
    auto last = knots.end();
    if (loop.loop_boundary) {
      const auto boundary = std::find_if(
          first, last, [&](const SplineKnot& k) { return k.time == loop.loop_boundary; });
      valid_ = boundary != last;
      if (!valid_) return;
      (before ? last : first) = before ? boundary + 1 : boundary;
    }
    knots_.assign(first, last);
    span_ = knots_.back().time - knots_.front().time;
    valid_ = span_ > 0;
    oscillates_ = loop.mode == ExtrapolationMode::kLoopOscillate;
    if (loop.mode == ExtrapolationMode::kLoopRepeat) {
      rise_ = before ? knots_.back().ValueBefore() - knots_.front().ValueBefore()
                     : knots_.back().value - knots_.front().value;
    }
  }

  bool valid() const { return valid_; }
  // The time after which the values repeat.
  double length() const { return oscillates_ ? 2 * span_ : span_; }

  // Adds to *knots all repetitions from the end of the spline to `time`. False if these would be
  // too many knots.
  bool Extend(double time, KnotList* knots) const {
    const double distance = before_ ? knots_.front().time - time : time - knots_.back().time;
    const double count = std::ceil(distance / span_);
    if (!(count * static_cast<double>(knots_.size()) < static_cast<double>(kMaxKnots)))
      return false;
    if (!before_) {
      for (int i = 1; i <= static_cast<int>(count); ++i) Append(knots, Echo(i));
      return true;
    }
    KnotList extended;
    for (int i = static_cast<int>(count); i > 0; --i) Append(&extended, Echo(i));
    Append(&extended, *knots);
    *knots = std::move(extended);
    return true;
  }

 private:
  // The knots of one repetition, counted from the end of the spline.
  KnotList Echo(int number) const {
    const double hop = before_ ? -number : number;
    KnotList echo = knots_;
    const bool mirrored = oscillates_ && number % 2 != 0;
    const double sum = before_ ? 2 * knots_.front().time + (hop + 1) * span_
                               : 2 * knots_.back().time + (hop - 1) * span_;
    for (SplineKnot& knot : echo) {
      knot.time = mirrored ? sum - knot.time : knot.time + hop * span_;
      knot.value += hop * rise_;
      knot.pre_value += hop * rise_;
      if (!mirrored) continue;
      knot.pre_tangent_slope = -knot.pre_tangent_slope;
      knot.post_tangent_slope = -knot.post_tangent_slope;
    }
    if (mirrored) Reverse(&echo);
    return echo;
  }

  KnotList knots_;
  const bool before_;
  bool valid_ = false;
  bool oscillates_ = false;
  double span_ = 0;
  double rise_ = 0;
};

// Cuts one spline; see CutSpline.
class Cutter {
 public:
  Cutter(const Spline& spline, double begin, double end, ExtrapolationMode beyond)
      : spline_(spline), begin_(begin), end_(end), out_(Like(spline)) {
    out_.pre.mode = out_.post.mode = beyond;
  }

  std::optional<Spline> Cut() {
    std::optional<KnotList> knots = BakeInnerLoops(spline_, kMaxKnots);
    if (!knots) return std::nullopt;
    knots_ = *std::move(knots);
    if (knots_.empty()) return out_;
    for (SplineKnot& knot : knots_) {
      knot.pre_tangent_algorithm = knot.post_tangent_algorithm = TangentAlgorithm::kNone;
    }
    SetPreTangent(&knots_.front(), 0, 0);
    SetPostTangent(&knots_.back(), 0, 0);
    if (knots_.back().time > spline_.knots.back().time) {
      knots_.back().next = KnotInterpolation::kHeld;  // the echo at the end of an inner loop
    }
    if (begin_ == -kInfinity) out_.pre = spline_.pre;
    if (end_ == kInfinity) out_.post = spline_.post;
    if (!ExtendLoops()) return std::nullopt;
    if (begin_ != -kInfinity) CutBefore();
    if (end_ != kInfinity) CutAfter();
    out_.knots = std::move(knots_);
    // Keep the outer widths of the end knots, which are those of the segments that were cut.
    const double before = out_.knots.front().pre_tangent_width;
    const double after = out_.knots.back().post_tangent_width;
    SetHermiteWidths(&out_);
    out_.knots.front().pre_tangent_width = before;
    out_.knots.back().post_tangent_width = after;
    return std::move(out_);
  }

 private:
  bool ExtendLoops() {
    const KnotList whole = knots_;
    if (whole.size() < 2) return true;
    if (spline_.pre.IsLoop()) {
      const Period period(whole, spline_.pre, true);
      const double wanted = begin_ != -kInfinity ? begin_ : end_ - period.length();
      if (period.valid() && wanted < whole.front().time && wanted != -kInfinity) {
        if (!period.Extend(begin_ != -kInfinity ? wanted : wanted - period.length(), &knots_)) {
          return false;
        }
      }
      if (begin_ == -kInfinity && end_ != kInfinity) KeepLoopBefore(period, whole);
    }
    if (spline_.post.IsLoop()) {
      const Period period(whole, spline_.post, false);
      const double wanted = end_ != kInfinity ? end_ : begin_ + period.length();
      if (period.valid() && wanted > whole.back().time && wanted != kInfinity) {
        if (!period.Extend(end_ != kInfinity ? wanted : wanted + period.length(), &knots_)) {
          return false;
        }
      }
      if (end_ == kInfinity && begin_ != -kInfinity) KeepLoopAfter(period, whole);
    }
    return true;
  }

  // Makes the loop before the spline repeat the last period that the cut leaves complete.
  void KeepLoopBefore(const Period& period, const KnotList& whole) {
    if (!period.valid()) return;
    if (end_ > whole.back().time) {
      if (!out_.pre.loop_boundary) out_.pre.loop_boundary = whole.back().time;
      return;
    }
    size_t last = knots_.size() - 1;
    while (last > 0 && knots_[last].time >= end_) --last;
    const double boundary = knots_[last].time;
    const double first = boundary - period.length();
    std::erase_if(knots_,
                  [&](const SplineKnot& k) { return k.time < first && !Near(k.time, first); });
    LoopBetween(&out_.pre, boundary);
    // The first knot has no left side.
    knots_.front().dual_valued = false;
    SetPreTangent(&knots_.front(), 0, 0);
  }

  // As KeepLoopBefore, for the loop after the spline.
  void KeepLoopAfter(const Period& period, const KnotList& whole) {
    if (!period.valid()) return;
    if (begin_ < whole.front().time) {
      if (!out_.post.loop_boundary) out_.post.loop_boundary = whole.front().time;
      return;
    }
    const auto first = std::find_if(knots_.begin(), knots_.end(),
                                    [&](const SplineKnot& k) { return k.time >= begin_; });
    if (first == knots_.end()) return;
    const double boundary = first->time;
    const double last = boundary + period.length();
    std::erase_if(knots_,
                  [&](const SplineKnot& k) { return k.time > last && !Near(k.time, last); });
    LoopBetween(&out_.post, boundary);
    EndAt(&knots_.back());
  }

  static bool Near(double a, double b) { return std::abs(a - b) < 1e-9 * (1 + std::abs(b)); }

  // A period of an oscillating loop goes back and forth, so repeating it is a reset loop.
  static void LoopBetween(Extrapolation* loop, double boundary) {
    if (loop->mode == ExtrapolationMode::kLoopOscillate) loop->mode = ExtrapolationMode::kLoopReset;
    loop->loop_boundary = boundary;
  }

  // Removes the right side of a knot.
  static void EndAt(SplineKnot* knot) {
    knot->value = knot->ValueBefore();
    knot->dual_valued = false;
    knot->next = KnotInterpolation::kHeld;
    SetPostTangent(knot, 0, 0);
  }

  // A knot at a time outside the knots, where the value is extrapolated.
  SplineKnot Beyond(double time, bool before) const {
    const SplineKnot& end = before ? knots_.front() : knots_.back();
    const size_t size = knots_.size();
    const SplineKnot* inner = size < 2 ? nullptr : &knots_[before ? 1 : size - 2];
    const Extrapolation& extrapolation = before ? spline_.pre : spline_.post;
    // As in OpenUSD, a piece without knots of the spline has only authored slopes, and one before
    // the first knot measures them from the second knot.
    const bool outside = before ? end_ < end.time : begin_ > end.time;
    const bool touches = before ? end_ == end.time : begin_ == end.time;
    if ((outside || touches) && extrapolation.mode == ExtrapolationMode::kLinear) inner = nullptr;
    SplineKnot knot;
    knot.time = time;
    knot.next = KnotInterpolation::kValueBlock;
    const std::optional<double> slope = SlopeBeyond(extrapolation, end, inner, before);
    if (!slope) return knot;
    const double from = outside && before && size > 1 ? knots_[1].time : end.time;
    knot.value = (before ? end.ValueBefore() : end.value) + *slope * (time - from);
    knot.next = extrapolation.mode == ExtrapolationMode::kLinear ||
                        extrapolation.mode == ExtrapolationMode::kSloped
                    ? KnotInterpolation::kLinear
                    : KnotInterpolation::kHeld;
    const double width = std::abs(time - (before ? from : NearestBefore(time))) / 3;
    SetPreTangent(&knot, before ? 0 : width, *slope);
    SetPostTangent(&knot, before ? width : 0, *slope);
    return knot;
  }

  // The time of the knot before `time`: the last one of the spline, or the one at the beginning.
  double NearestBefore(double time) const {
    const double last = knots_.back().time;
    return begin_ > last && begin_ < time ? begin_ : last;
  }

  void CutBefore() {
    const double first = knots_.front().time;
    if (begin_ < first) {
      SplineKnot knot = Beyond(begin_, true);
      if (end_ < first) {
        SplineKnot last = Beyond(end_, true);
        SetPreTangent(&last, 0, 0);
        SetPostTangent(&last, 0, 0);
        knots_ = {knot, last};
      } else {
        knots_.insert(knots_.begin(), knot);
      }
      return;
    }
    if (begin_ > knots_.back().time) {
      const SplineKnot knot = Beyond(begin_, false);
      if (end_ == kInfinity) {
        knots_ = {knot};
      } else {
        knots_ = {knot, Beyond(end_, false)};
      }
      return;
    }
    const size_t i = IndexAt(begin_);
    if (knots_[i].time == begin_) {
      knots_[i].dual_valued = false;
      knots_.erase(knots_.begin(), knots_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      const SplineKnot knot = SplitSegment(spline_, begin_, &knots_[i], &knots_[i + 1]);
      knots_.erase(knots_.begin(), knots_.begin() + static_cast<std::ptrdiff_t>(i));
      knots_.front() = knot;
    }
  }

  void CutAfter() {
    if (end_ > knots_.back().time) {
      SplineKnot knot = Beyond(end_, false);
      knots_.back().next = knot.next;
      knots_.push_back(std::move(knot));
      return;
    }
    if (end_ < knots_.front().time) {
      knots_ = {Beyond(end_, true)};
      return;
    }
    const size_t i = IndexAt(end_);
    if (knots_[i].time == end_) {
      knots_.resize(i + 1);
      EndAt(&knots_[i]);
    } else {
      const SplineKnot knot = SplitSegment(spline_, end_, &knots_[i], &knots_[i + 1]);
      knots_.resize(i + 2);
      knots_.back() = knot;
    }
  }

  // The index of the last knot at or before a time.
  size_t IndexAt(double time) const {
    const auto after = std::upper_bound(knots_.begin(), knots_.end(), time,
                                        [](double t, const SplineKnot& k) { return t < k.time; });
    return static_cast<size_t>(after - knots_.begin()) - 1;
  }

  const Spline& spline_;
  const double begin_;
  const double end_;
  Spline out_;
  KnotList knots_;
};

// Not inlined, because GCC 12 would vectorize adjacent calls and drop the conversion to float.
[[gnu::noinline]] double Rounded(ValueType type, double x) {
  const float f = static_cast<float>(x);
  return type == ValueType::kHalf ? static_cast<float>(Half(f)) : f;
}

// Rounds values as a file would, so that values that become equal do not make a knot dual-valued.
void RoundValues(ValueType type, KnotList* knots) {
  if (type != ValueType::kFloat && type != ValueType::kHalf) return;
  for (SplineKnot& knot : *knots) {
    knot.value = Rounded(type, knot.value);
    knot.pre_value = Rounded(type, knot.pre_value);
    knot.pre_tangent_slope = Rounded(type, knot.pre_tangent_slope);
    knot.post_tangent_slope = Rounded(type, knot.post_tangent_slope);
  }
}

// Removes the tangents beside segments without values.
void DropTangentsOfBlocks(KnotList* knots) {
  for (size_t i = 0; i < knots->size(); ++i) {
    if ((*knots)[i].next != KnotInterpolation::kValueBlock) continue;
    SetPostTangent(&(*knots)[i], 0, 0);
    if (i + 1 < knots->size()) SetPreTangent(&(*knots)[i + 1], 0, 0);
  }
}

}  // namespace

std::optional<Spline> CutSpline(const Spline& spline, double begin, double end,
                                ExtrapolationMode beyond) {
  return Cutter(spline, begin, end, beyond).Cut();
}

Spline ConstantSpline(const Spline& like, double begin, double end, std::optional<double> value) {
  Spline result = Like(like);
  const ExtrapolationMode mode = value ? ExtrapolationMode::kHeld : ExtrapolationMode::kValueBlock;
  SplineKnot knot;
  knot.value = value.value_or(0);
  if (begin == -kInfinity) {
    result.pre.mode = mode;
  } else {
    knot.time = begin;
    if (!value) knot.next = KnotInterpolation::kValueBlock;
    result.knots.push_back(knot);
  }
  if (end == kInfinity) {
    result.post.mode = mode;
  } else {
    knot.time = end;
    result.knots.push_back(knot);
  }
  return result;
}

Spline MapSpline(const Spline& spline, const LayerOffset& map) {
  if (map.scale > 0) return RetimeSpline(spline, map);
  Spline whole = spline;
  if (HasInnerLoops(spline)) {
    if (auto knots = BakeInnerLoops(spline, kMaxKnots)) whole.knots = *std::move(knots);
  }
  whole.loop.reset();
  Spline result = RetimeSpline(whole, map);
  for (SplineKnot& knot : result.knots) {
    knot.pre_tangent_width = -knot.pre_tangent_width;
    knot.post_tangent_width = -knot.post_tangent_width;
  }
  Reverse(&result.knots);
  std::swap(result.pre, result.post);
  return result;
}

Spline JoinSplines(const std::vector<Spline>& pieces) {
  Spline result = Like(pieces.front());
  result.pre = pieces.front().pre;
  for (const Spline& piece : pieces) {
    KnotList knots = piece.knots;
    RoundValues(result.value_type, &knots);
    Append(&result.knots, knots);
  }
  result.post = pieces.back().post;
  // Joined pieces become a Bézier spline; the tangents of Hermite segments already have widths.
  if (pieces.size() > 1) result.curve_type = CurveType::kBezier;
  DropTangentsOfBlocks(&result.knots);
  AdjustRegressiveTangents(&result);
  return result;
}

}  // namespace stagedoor

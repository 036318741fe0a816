#include "scene/values/spline_knot_times.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

using KnotSpan = std::span<const SplineKnot>;

// The most knots that inner loops may become, as in spline_pieces.cc.
constexpr size_t kMaxBakedKnots = size_t{1} << 20;

bool IsBefore(const SplineKnot& knot, double time) { return knot.time < time; }

// Whether values are not curves in this extrapolation: the value may jump where it begins.
bool Breaks(const Extrapolation& e) {
  return e.mode == ExtrapolationMode::kValueBlock || e.IsLoop();
}

// Whether the value may jump at knot `i`: it has two values, or a segment without a curve on a
// side.
bool Jumps(const Spline& spline, KnotSpan knots, size_t i) {
  if (knots[i].dual_valued) return true;
  if (i == 0 && Breaks(spline.pre)) return true;
  if (i + 1 == knots.size()) {
    if (Breaks(spline.post)) return true;
  } else if (knots[i].next == KnotInterpolation::kValueBlock) {
    return true;
  }
  return i > 0 && (knots[i - 1].next == KnotInterpolation::kValueBlock ||
                   knots[i - 1].next == KnotInterpolation::kHeld);
}

// Collects the knot times of one spline; see KnotTimesIn.
class KnotTimes {
 public:
  KnotTimes(double begin, double end, size_t most) : begin_(begin), end_(end), most_(most) {}

  // Adds the knots of the spline itself.
  void AddPlain(const Spline& spline, KnotSpan knots) {
    auto knot = std::lower_bound(knots.begin(), knots.end(), begin_, IsBefore);
    for (; knot != knots.end() && knot->time <= end_ && !over(); ++knot) {
      const auto i = static_cast<size_t>(knot - knots.begin());
      const bool loops = HasInnerLoops(spline) || (i == 0 && spline.pre.IsLoop()) ||
                         (i + 1 == knots.size() && spline.post.IsLoop());
      times_.push_back({.time = knot->time, .jump = Jumps(spline, knots, i), .repeated = loops});
    }
  }

  // Adds those that a loop repeats before (`before`) or after the spline.
  void AddLoop(const Spline& spline, KnotSpan knots, bool before) {
    const Extrapolation& loop = before ? spline.pre : spline.post;
    if (!loop.IsLoop() || knots.size() < 2) return;
    if (loop.loop_boundary) {
      const auto boundary =
          std::lower_bound(knots.begin(), knots.end(), *loop.loop_boundary, IsBefore);
      if (boundary == knots.end() || boundary->time != *loop.loop_boundary) return;
      const auto index = static_cast<size_t>(boundary - knots.begin());
      knots = before ? knots.first(index + 1) : knots.subspan(index);
    }
    const double span = knots.back().time - knots.front().time;
    const double edge = before ? knots.front().time : knots.back().time;
    // The distances from the spline between which the interval is, and the repetitions in it.
    const double near = before ? edge - end_ : begin_ - edge;
    const double far = before ? edge - begin_ : end_ - edge;
    if (!(span > 0) || !(far > 0)) return;
    const double first = std::max(1., std::ceil(near / span));
    const double count = std::ceil(far / span) - first + 1;
    // All repetitions but the first and the last are in the interval with all their knots.
    if (!((count - 2) * static_cast<double>(knots.size() - 1) <= static_cast<double>(most_))) {
      over_ = true;
      return;
    }
    const bool oscillates = loop.mode == ExtrapolationMode::kLoopOscillate;
    const auto repetitions = static_cast<size_t>(count);
    for (size_t i = 0; i < repetitions && !over(); ++i) {
      AddRepetition(spline, knots, first + static_cast<double>(i), span, oscillates, before);
    }
  }

  bool over() const { return over_ || times_.size() > most_; }

  std::vector<SplineKnotTime> Take() {
    std::sort(times_.begin(), times_.end(),
              [](const SplineKnotTime& a, const SplineKnotTime& b) { return a.time < b.time; });
    return std::move(times_);
  }

 private:
  // The knots of the repetition of this number, counted from the spline, except for the one that it
  // shares with its neighbor on the side of the spline. They are computed like CutSpline's.
  void AddRepetition(const Spline& spline, KnotSpan knots, double number, double span,
                     bool oscillates, bool before) {
    const double hop = before ? -number : number;
    const bool mirrored = oscillates && std::fmod(number, 2) != 0;
    const double sum = before ? 2 * knots.front().time + (hop + 1) * span
                              : 2 * knots.back().time + (hop - 1) * span;
    const size_t shared = before == mirrored ? 0 : knots.size() - 1;
    for (size_t i = 0; i < knots.size() && !over(); ++i) {
      if (i == shared) continue;
      const double time = mirrored ? sum - knots[i].time : knots[i].time + hop * span;
      if (time < begin_ || time > end_) continue;
      // Where two repetitions meet, the value may jump; a held segment played backwards ends at the
      // knot where it begins.
      const bool jump = i == 0 || i + 1 == knots.size() || Jumps(spline, knots, i) ||
                        (mirrored && knots[i].next == KnotInterpolation::kHeld);
      times_.push_back({.time = time, .jump = jump, .repeated = true});
    }
  }

  const double begin_;
  const double end_;
  const size_t most_;
  std::vector<SplineKnotTime> times_;
  bool over_ = false;
};

}  // namespace

std::optional<std::vector<SplineKnotTime>> KnotTimesIn(const Spline& spline, double begin,
                                                       double end, size_t most) {
  std::vector<SplineKnot> baked;
  KnotSpan knots = spline.knots;
  if (HasInnerLoops(spline)) {
    auto with_loops = BakeInnerLoops(spline, kMaxBakedKnots);
    if (!with_loops) return std::nullopt;
    baked = *std::move(with_loops);
    knots = baked;
  }
  if (knots.empty() || !(begin <= end)) return std::vector<SplineKnotTime>();
  KnotTimes times(begin, end, most);
  times.AddPlain(spline, knots);
  times.AddLoop(spline, knots, /*before=*/true);
  times.AddLoop(spline, knots, /*before=*/false);
  if (times.over()) return std::nullopt;
  return times.Take();
}

}  // namespace stagedoor

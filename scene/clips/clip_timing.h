// ClipTiming: the `active` and `times` of a clip set, compiled once and shared by its attributes.
//
// "Stage time" here is the set's own, before layer offsets. It selects the entry that is active and
// maps piecewise linearly to the time in its clip. A jump (two entries of `times` at one stage
// time) is kept as a knot a hair before the stage time and one at it, so that the left side can be
// asked for and is among the samples. Linear memory; immutable and thread-safe.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_TIMING_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_TIMING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/values/linear_types.h"
#include "scene/values/value.h"

namespace stagedoor {

class ClipTiming {
 public:
  // How far before a jump its left side is.
  static constexpr double kJumpStep = 4.440892098500626e-09;
  static constexpr double kEarliest = -std::numeric_limits<double>::max();
  static constexpr double kLatest = std::numeric_limits<double>::max();
  static constexpr size_t kMaxEntries = size_t{1} << 24;  // of `active`, and of `times`

  struct Knot {
    double stage;
    double clip;
    bool jump = false;  // the left side of one
  };
  // Two knots of a linear piece of the curve; a jump's left side at its authored time.
  struct Segment {
    Knot begin{0, 0};
    Knot end{1, 1};

    double ToClip(double stage) const;
    double ToStage(double clip) const;
    // What a clip's time codes mean on the stage, and by what its durations are stretched.
    Value Retime(const Value& value) const;
  };

  // Pairs of (stage time, index of the asset) and (stage time, clip time), in any order.
  // INVALID_ARGUMENT: an index out of range, two clips at one time, three `times` at one stage
  // time, a time that is nan, more than kMaxEntries. Other errors: those of the context.
  static absl::StatusOr<ClipTiming> Make(RequestContext& context, std::span<const Vec2d> active,
                                         std::span<const Vec2d> times, size_t asset_count);

  // Entries of `active` by time. The first is active before its start too.
  size_t size() const { return starts_.size(); }
  double authored_start(size_t entry) const { return starts_[entry]; }
  double start(size_t entry) const { return entry == 0 ? kEarliest : starts_[entry]; }
  double end(size_t entry) const { return entry + 1 < size() ? starts_[entry + 1] : kLatest; }
  uint32_t asset(size_t entry) const { return assets_[entry]; }
  // `pre`: just before `time`.
  size_t ActiveAt(double time, bool pre = false) const;

  // Whether `times` was given; else stage and clip time are the same.
  bool has_curve() const { return !knots_.empty(); }
  // Ascending by stage time, the first and the last twice. A jump has at least two on either side.
  std::span<const Knot> knots() const { return knots_; }
  double ToClip(double time, bool pre = false) const;
  // ToClip, and the piece of the curve that tells what time codes mean there.
  double ToClip(double time, bool pre, Segment* segment) const;
  // Index of the knot that begins the piece around `time`; needs a curve.
  size_t SegmentAt(double time) const;
  // The piece from knot `i` on, jumps at their authored time.
  Segment PieceAt(size_t i) const;
  // ToClip for splines, which tell left from right at every knot; where the clip plays backwards,
  // `pre` is reversed.
  double ToClipDual(double time, bool* pre, Segment* segment) const;
  bool JumpsAt(double time) const;
  // ToClip, where no other time nearby is the same clip time: not where the curve stands still or
  // has ended, nor between the two sides of a jump.
  std::optional<double> ToClipOneToOne(double time) const;
  // The stage times of knots at or around `time`; none without a curve.
  std::optional<std::pair<double, double>> KnotsAround(double time) const;

  size_t byte_size() const {
    return starts_.capacity() * sizeof(double) + assets_.capacity() * sizeof(uint32_t) +
           knots_.capacity() * sizeof(Knot);
  }

 private:
  // Whether just before `time`, on the piece from knot `i` on, is the left side of a jump. A curve
  // that ends with one is continued by its right side in both directions.
  bool LeftOfJump(size_t i, double time) const {
    return knots_[i].jump && knots_[i + 1].stage == time;
  }
  absl::Status AddClips(Pacer& pacer, std::span<const Vec2d> active);
  absl::Status AddCurve(Pacer& pacer, std::span<const Vec2d> times);

  std::vector<double> starts_;
  std::vector<uint32_t> assets_;
  std::vector<Knot> knots_;
};

// The samples at or around `time` of ascending, not empty `times`.
std::pair<double, double> TimesAround(std::span<const double> times, double time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_TIMING_H_

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
#include "scene/values/retiming.h"
#include "scene/values/value.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The `active` and `times` metadata of a clip set, compiled once and shared by the attributes of
// the set.
//
// Implements Core Specification 12.3.4.3 Active Clips, 12.3.4.4 Stage time and Clip time and
// 12.3.4.8 Jump Discontinuities. Corresponds to the constructor of OpenUSD's Usd_ClipSet, which
// makes Usd_Clip::TimeMappings, and to the time mapping of Usd_Clip.
//
// "Stage time" here is the set's own time, before layer offsets. It selects the active entry, and
// maps piecewise linearly to the time in the entry's clip. A jump (two entries of `times` at one
// stage time) is kept, as in OpenUSD, as a knot just before the stage time and one at it, so that
// the left side can be queried and is among the sample times. Memory is linear in the entries.
// Immutable and thread-safe.
class ClipTiming {
 public:
  // How far before a jump its left side is: UsdTimeCode::SafeStep().
  static constexpr double kJumpStep = 4.440892098500626e-09;
  // Bounds of the active ranges of the first and the last clip (Usd_ClipTimesEarliest, -Latest).
  static constexpr double kEarliest = -std::numeric_limits<double>::max();
  static constexpr double kLatest = std::numeric_limits<double>::max();
  static constexpr size_t kMaxEntries = size_t{1} << 24;  // limit of `active`, and of `times`

  // A point of the timing curve. Corresponds to Usd_Clip::TimeMapping.
  struct Knot {
    double stage;
    double clip;
    bool jump = false;  // whether this is the left side of a jump
  };
  // A linear piece of the curve between two knots; the left side of a jump is at its authored time.
  struct Segment {
    Knot begin{0, 0};
    Knot end{1, 1};

    double ToClip(double stage) const;
    double ToStage(double clip) const;
    // Maps time codes of a clip from clip time to stage time, and scales durations; other values
    // are unchanged.
    Value Retime(const Value& value) const;
  };

  // Compiles pairs of (stage time, index of the asset) and of (stage time, clip time), each in any
  // order. INVALID_ARGUMENT for an index out of range, two clips at one time, three entries of
  // `times` at one stage time, a time that is nan, or more than kMaxEntries. Other errors: those of
  // the context. Corresponds to _ValidateClipFields and the constructor of Usd_ClipSet.
  static absl::StatusOr<ClipTiming> Make(RequestContext& context, std::span<const Vec2d> active,
                                         std::span<const Vec2d> times, size_t asset_count);

  // The entries of `active`, sorted by time. The first one is active before its start too, the last
  // one for all later times: entry i answers in [start(i), end(i)).
  size_t size() const { return starts_.size(); }
  double authored_start(size_t entry) const { return starts_[entry]; }
  double start(size_t entry) const { return entry == 0 ? kEarliest : starts_[entry]; }
  double end(size_t entry) const { return entry + 1 < size() ? starts_[entry + 1] : kLatest; }
  uint32_t asset(size_t entry) const { return assets_[entry]; }
  // The entry that is active at `time`, or with `pre` just before it. Corresponds to
  // Usd_ClipSet::GetActiveClip.
  size_t ActiveAt(double time, bool pre = false) const;

  // Whether `times` was given; otherwise stage time and clip time are equal.
  bool has_curve() const { return !knots_.empty(); }
  // Ascending by stage time, with the first and the last knot doubled. A jump has at least two
  // knots on either side.
  std::span<const Knot> knots() const { return knots_; }
  // Maps stage time to clip time; with `pre`, on the left side of a jump. Times outside of the
  // curve map to its ends. Corresponds to Usd_Clip::_TranslateTimeToInternal.
  double ToClip(double time, bool pre = false) const;
  // Maps stage time to clip time, and gives the piece of the curve by which time codes are retimed
  // there.
  double ToClip(double time, bool pre, Segment* segment) const;
  // The index of the knot that begins the piece around `time`; requires a curve.
  size_t SegmentAt(double time) const;
  // The piece that begins at knot `i`, with jumps at their authored time.
  Segment PieceAt(size_t i) const;
  // ToClip for splines, which distinguish the two sides of every knot. Inverts `pre` where the clip
  // plays backwards.
  double ToClipDual(double time, bool* pre, Segment* segment) const;
  // Whether a jump is authored at `time`.
  bool JumpsAt(double time) const;
  // ToClip if no other stage time nearby maps to the same clip time; none where the curve stands
  // still or has ended, and between the two sides of a jump.
  std::optional<double> ToClipOneToOne(double time) const;
  // The stage times of the knots at or around `time`; none without a curve.
  std::optional<std::pair<double, double>> KnotsAround(double time) const;

  size_t byte_size() const {
    return starts_.capacity() * sizeof(double) + assets_.capacity() * sizeof(uint32_t) +
           knots_.capacity() * sizeof(Knot);
  }

 private:
  // Whether the limit at `time` from below, on the piece from knot `i` on, is the left side of a
  // jump. A curve that ends with a jump is continued by its right side in both directions.
  bool LeftOfJump(size_t i, double time) const {
    return knots_[i].jump && knots_[i + 1].stage == time;
  }
  absl::Status AddClips(Pacer& pacer, std::span<const Vec2d> active);
  absl::Status AddCurve(Pacer& pacer, std::span<const Vec2d> times);

  std::vector<double> starts_;
  std::vector<uint32_t> assets_;
  std::vector<Knot> knots_;
};

// The samples at or around `time` in ascending `times`, which must not be empty; both are equal if
// one answers alone. Corresponds to SdfLayer::GetBracketingTimeSamplesForPath.
std::pair<double, double> TimesAround(std::span<const double> times, double time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_TIMING_H_

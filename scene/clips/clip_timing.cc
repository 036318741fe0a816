#include "scene/clips/clip_timing.h"

#include <algorithm>
#include <cmath>

#include "base/paced_sort.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/array_edit.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// std::lower_bound over at(i), with a guess first: clips and samples are mostly evenly spaced, and
// one per frame, so the guess usually hits and the search costs the same for any length.
template <typename At>
size_t GuessedLowerBound(size_t size, double time, At at) {
  if (size > 8) {
    const double first = at(0);
    const double step = (at(size - 1) - first) / static_cast<double>(size - 1);
    const double guess = std::ceil((time - first) / step);
    if (guess >= 1 && guess < static_cast<double>(size)) {
      const size_t i = static_cast<size_t>(guess);
      if (at(i) >= time && at(i - 1) < time) return i;
    }
  }
  size_t begin = 0;
  while (size > 0) {
    const size_t half = size / 2;
    const bool below = at(begin + half) < time;
    begin = below ? begin + half + 1 : begin;
    size = below ? size - half - 1 : half;
  }
  return begin;
}

// nan would break the order that sorting and searching rely on.
absl::Status CheckActive(Pacer& pacer, std::span<const Vec2d> active, size_t asset_count) {
  for (const Vec2d& entry : active) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (std::isnan(entry[0])) return InvalidArgumentError("a time in 'active' is not a number");
    if (!(entry[1] >= 0 && entry[1] < static_cast<double>(asset_count))) {
      return InvalidArgumentError("'active' has the clip index ", entry[1], ", but there are ",
                                  asset_count, " clips");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTimes(Pacer& pacer, std::span<const Vec2d> times) {
  for (const Vec2d& entry : times) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (std::isnan(entry[0]) || std::isnan(entry[1])) {
      return InvalidArgumentError("a time in 'times' is not a number");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(std::span<const Vec2d> active, std::span<const Vec2d> times) {
  if (active.size() <= ClipTiming::kMaxEntries && times.size() <= ClipTiming::kMaxEntries) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("'active' has ", active.size(), " entries and 'times' has ",
                              times.size(), ", which exceeds the limit of ",
                              ClipTiming::kMaxEntries, " entries each");
}

template <typename T, typename Map>
Value MapHeld(const Value& value, Map map) {
  if (const T* one = value.Get<T>()) return Value(map(*one));
  const Array<T>* many = value.Get<Array<T>>();
  if (!many) return value;
  T* out;
  Array<T> mapped = Array<T>::Uninitialized(many->size(), &out);
  std::transform(many->begin(), many->end(), out, map);
  return Value(std::move(mapped));
}

}  // namespace

double ClipTiming::Segment::ToClip(double stage) const {
  // Exact at the ends: at a knot the authored time is used, so that the sample there is found.
  if (begin.stage == end.stage || stage == begin.stage) return begin.clip;
  if (stage == end.stage) return end.clip;
  return (end.clip - begin.clip) / (end.stage - begin.stage) * (stage - begin.stage) + begin.clip;
}

double ClipTiming::Segment::ToStage(double clip) const {
  if (begin.clip == end.clip || clip == begin.clip) return begin.stage;
  if (clip == end.clip) return end.stage;
  return (end.stage - begin.stage) / (end.clip - begin.clip) * (clip - begin.clip) + begin.stage;
}

Value ClipTiming::Segment::Retime(const Value& value) const {
  if (value.type() == ValueType::kTimeCode) {
    return MapHeld<TimeCodeValue>(
        value, [this](TimeCodeValue t) { return TimeCodeValue{ToStage(t.value)}; });
  }
  if (value.type() == ValueType::kDuration) {
    // Where the clip stands still there is no rate; durations keep their length.
    const double scale =
        begin.clip == end.clip ? 1.0 : (end.stage - begin.stage) / (end.clip - begin.clip);
    return MapHeld<Duration>(value, [scale](Duration d) { return Duration{d.value * scale}; });
  }
  return value;
}

absl::StatusOr<ClipTiming> ClipTiming::Make(RequestContext& context, std::span<const Vec2d> active,
                                            std::span<const Vec2d> times, size_t asset_count) {
  SD_RETURN_IF_ERROR(CheckSizes(active, times));
  Pacer pacer(context);
  SD_RETURN_IF_ERROR(CheckActive(pacer, active, asset_count));
  SD_RETURN_IF_ERROR(CheckTimes(pacer, times));
  // Sorting takes as much memory again.
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(
      reserved.Grow(3 * active.size_bytes() + 2 * times.size() * sizeof(Knot), "clip times"));
  ClipTiming timing;
  SD_RETURN_IF_ERROR(timing.AddClips(pacer, active));
  if (!times.empty()) SD_RETURN_IF_ERROR(timing.AddCurve(pacer, times));
  return timing;
}

absl::Status ClipTiming::AddClips(Pacer& pacer, std::span<const Vec2d> active) {
  std::vector<Vec2d> sorted(active.begin(), active.end());
  SD_RETURN_IF_ERROR(PacedStableSort(pacer, sorted.begin(), sorted.end(),
                                     [](const Vec2d& a, const Vec2d& b) { return a[0] < b[0]; }));
  starts_.reserve(sorted.size());
  assets_.reserve(sorted.size());
  for (const Vec2d& entry : sorted) {
    SD_RETURN_IF_ERROR(pacer.Step());
    // Which of the two would be active is undefined; OpenUSD refuses the set too.
    if (!starts_.empty() && starts_.back() == entry[0]) {
      return InvalidArgumentError("'active' has more than one clip at time ", entry[0]);
    }
    starts_.push_back(entry[0]);
    assets_.push_back(static_cast<uint32_t>(entry[1]));
  }
  return absl::OkStatus();
}

absl::Status ClipTiming::AddCurve(Pacer& pacer, std::span<const Vec2d> times) {
  // One more knot at either end, like the sentinels in Usd_ClipSet: every time is then on a piece,
  // and on the outermost ones clip time stands still.
  knots_.reserve(times.size() + 2);
  knots_.push_back({0, 0});
  for (const Vec2d& entry : times) knots_.push_back({entry[0], entry[1]});
  // Stable (12.3.4.8): of two entries at one time the first authored one is the left side of the
  // jump.
  SD_RETURN_IF_ERROR(
      PacedStableSort(pacer, knots_.begin() + 1, knots_.end(),
                      [](const Knot& a, const Knot& b) { return a.stage < b.stage; }));
  for (size_t i = 3; i < knots_.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (knots_[i].stage == knots_[i - 2].stage) {
      return InvalidArgumentError("'times' has more than two entries at stage time ",
                                  knots_[i].stage);
    }
  }
  for (size_t i = 1; i + 1 < knots_.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    // A knot of its own for the left side is what puts it among the sample times.
    if (knots_[i].stage == knots_[i + 1].stage) {
      knots_[i].stage -= kJumpStep;
      knots_[i].jump = true;
    }
  }
  // A curve that begins with a jump is continued to the left by the right side of the jump.
  if (knots_[1].jump) knots_.erase(knots_.begin() + 1);
  knots_.front() = knots_[1];
  knots_.push_back(knots_.back());
  return absl::OkStatus();
}

size_t ClipTiming::ActiveAt(double time, bool pre) const {
  // 12.3.4.3: the first clip is active for all earlier times, the last one for all later times.
  if (size() < 2) return 0;
  size_t entry = GuessedLowerBound(starts_.size(), time, [this](size_t i) { return starts_[i]; });
  const bool starts_here = entry < size() && starts_[entry] == time;
  if (starts_here && entry > 0 && pre) return entry - 1;
  if (!starts_here && entry > 0) --entry;
  return entry;
}

size_t ClipTiming::SegmentAt(double time) const {
  if (time <= knots_.front().stage) return 0;
  if (time >= knots_.back().stage) return knots_.size() - 2;
  return GuessedLowerBound(knots_.size(), time, [this](size_t i) { return knots_[i].stage; }) - 1;
}

ClipTiming::Segment ClipTiming::PieceAt(size_t i) const {
  // The piece before a jump leads to the authored time: ending at the knot just before it would
  // change its slope, and every clip time on the piece with it.
  Segment piece{knots_[i], knots_[i + 1]};
  if (i > 0 && piece.end.jump) piece.end.stage = knots_[i + 2].stage;
  return piece;
}

double ClipTiming::ToClip(double time, bool pre) const {
  if (knots_.empty()) return time;
  const size_t i = SegmentAt(time);
  // On the left side of a jump the piece before it ends, at the clip time of the left entry.
  if (pre && LeftOfJump(i, time)) return knots_[i].clip;
  return PieceAt(i).ToClip(time);
}

double ClipTiming::ToClip(double time, bool pre, Segment* segment) const {
  if (knots_.empty()) {
    *segment = Segment();
    return time;
  }
  const size_t n = knots_.size();
  const size_t i = SegmentAt(time);
  if (pre && LeftOfJump(i, time)) {
    *segment = Segment{knots_[i - 1], {knots_[i + 1].stage, knots_[i].clip}};
    return knots_[i].clip;
  }
  const Segment piece = PieceAt(i);
  // Pieces within a jump or beyond the ends have no slope by which time codes could be retimed;
  // there the neighboring piece is used, as in OpenUSD.
  if (knots_[i + 1].jump) {
    *segment = piece;
  } else if (knots_[i].jump) {
    *segment = PieceAt(i + 1);
  } else if (i == 0 && n >= 4) {
    *segment = PieceAt(1);
  } else if (i + 2 == n && n >= 4) {
    *segment = PieceAt(n - 3);
  } else {
    *segment = piece;
  }
  return piece.ToClip(time);
}

double ClipTiming::ToClipDual(double time, bool* pre, Segment* segment) const {
  if (knots_.empty()) {
    *segment = Segment();
    return time;
  }
  const bool requested_pre = *pre;
  size_t i = SegmentAt(time);
  // At a knot, the direction of play is that of the piece that begins there; on the left side of a
  // jump it is that of the piece before the jump.
  if (knots_[i + 1].stage == time) {
    if (requested_pre && i > 0 && knots_[i].jump) {
      --i;
    } else if (i + 2 < knots_.size()) {
      ++i;
    }
  }
  // Where the clip plays backwards, the left side on the stage is the right side in the clip.
  if (knots_[i].clip > knots_[i + 1].clip) *pre = !*pre;
  // Beyond the ends one clip time is held, so there is no side to distinguish.
  double clamped = time;
  bool clamped_pre = requested_pre;
  if (time <= knots_.front().stage || time > knots_.back().stage) {
    clamped = std::clamp(time, knots_.front().stage, knots_.back().stage);
    *pre = false;
    clamped_pre = false;
  }
  return ToClip(clamped, clamped_pre, segment);
}

bool ClipTiming::JumpsAt(double time) const {
  if (knots_.empty()) return false;
  const size_t i = SegmentAt(time);
  if (knots_[i].jump) return knots_[i + 1].stage == time;
  // The last knot begins its own piece, so its jump is in the piece before.
  return i > 0 && knots_[i].stage == time && knots_[i - 1].jump;
}

std::optional<double> ClipTiming::ToClipOneToOne(double time) const {
  if (knots_.empty()) return time;
  if (time < knots_.front().stage || time > knots_.back().stage) return std::nullopt;
  const size_t i = SegmentAt(time);
  const Segment piece = PieceAt(i);
  // Where the clip stands still, all times on the piece show the same clip time, and only its two
  // knots are samples.
  const bool stands = piece.begin.clip == piece.end.clip;
  const bool at_knot = time == piece.begin.stage || time == piece.end.stage;
  const bool inside_jump = knots_[i].jump && time < knots_[i + 1].stage;
  if ((stands && !at_knot) || inside_jump) return std::nullopt;
  return piece.ToClip(time);
}

std::optional<std::pair<double, double>> ClipTiming::KnotsAround(double time) const {
  if (knots_.empty()) return std::nullopt;
  if (time <= knots_.front().stage) return std::pair(knots_.front().stage, knots_.front().stage);
  if (time >= knots_.back().stage) return std::pair(knots_.back().stage, knots_.back().stage);
  const size_t i = SegmentAt(time);
  if (knots_[i + 1].stage == time) return std::pair(time, time);
  return std::pair(knots_[i].stage, knots_[i + 1].stage);
}

std::pair<double, double> TimesAround(std::span<const double> times, double time) {
  if (time <= times.front()) return {times.front(), times.front()};
  if (time >= times.back()) return {times.back(), times.back()};
  const size_t i = GuessedLowerBound(times.size(), time, [&](size_t k) { return times[k]; });
  if (times[i] == time) return {time, time};
  return {times[i - 1], times[i]};
}

}  // namespace stagedoor

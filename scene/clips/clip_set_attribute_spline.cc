// ClipSetAttribute for attributes that the manifest declares to have splines (Core Specification
// 12.3.3 Spline Evaluation). Neither the specification nor OpenUSD's documentation says how splines
// in clips combine; the rules are those that OpenUSD's code follows.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "scene/clips/clip_set_attribute.h"
#include "scene/layer/field_keys.h"
#include "scene/values/half.h"
#include "scene/values/interpolation.h"
#include "scene/values/spline.h"
#include "scene/values/spline_evaluation.h"
#include "scene/values/spline_pieces.h"
#include "scene/values/time_code_value.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The most knots of a whole spline; larger ones are not written.
constexpr size_t kMaxKnots = size_t{1} << 20;

std::optional<double> NumberOf(const Value& value) {
  if (const double* d = value.Get<double>()) return *d;
  if (const float* f = value.Get<float>()) return *f;
  if (const Half* h = value.Get<Half>()) return static_cast<float>(*h);
  if (const TimeCodeValue* t = value.Get<TimeCodeValue>()) return t->value;
  if (const Duration* d = value.Get<Duration>()) return d->value;
  return std::nullopt;
}

// The value at the beginning of a piece, or the limit at its end; none if there is no value.
// One-sided, because the neighboring piece may have another value at the same knot.
std::optional<double> EdgeValue(const Spline& piece, bool begin) {
  const double time = begin ? piece.knots.front().time : piece.knots.back().time;
  return EvaluateSpline(piece, time, begin ? SplineSide::kAt : SplineSide::kPre);
}

// The pieces of a clip's spline in [begin, end) of the set's time; both may be infinite. `room` is
// the number of knots left for all clips: a curve that goes back and forth repeats the spline with
// each of its segments.
class ClipSplinePieces {
 public:
  ClipSplinePieces(Pacer& pacer, size_t* room, const Spline& spline, const ClipTiming& timing,
                   double begin, double end)
      : pacer_(pacer), room_(*room), spline_(spline), timing_(timing), begin_(begin), end_(end) {}

  // Returns false if the pieces cannot be written.
  bool AppendTo(std::vector<Spline>* pieces) const {
    if (spline_.knots.empty()) {
      pieces->push_back(ConstantSpline(spline_, begin_, end_, std::nullopt));
      return true;
    }
    if (!timing_.has_curve()) {
      auto piece = CutSpline(spline_, begin_, end_, ExtrapolationMode::kValueBlock);
      if (!piece || !Pay(piece->knots.size())) return false;
      pieces->push_back(*std::move(piece));
      return true;
    }
    const auto knots = timing_.knots();
    // 12.3.4.4: before the first entry of `times` and after the last one clip time stands still.
    if (begin_ < knots.front().stage) {
      pieces->push_back(Held(begin_, std::min(end_, knots.front().stage), knots.front().clip));
    }
    // The first and the last knot are doubled; the segments between the doubles are not needed.
    const size_t around = timing_.SegmentAt(begin_);
    for (size_t i = std::max<size_t>(around, 2) - 1; i + 2 < knots.size(); ++i) {
      if (knots[i].stage > end_) break;
      if (!pacer_.Go()) return false;
      if (!knots[i].jump && !AppendPiece(timing_.PieceAt(i), pieces)) return false;
    }
    if (end_ > knots.back().stage) {
      pieces->push_back(Held(std::max(begin_, knots.back().stage), end_, knots.back().clip));
    }
    return true;
  }

 private:
  Spline Held(double begin, double end, double clip_time) const {
    return ConstantSpline(spline_, begin, end, EvaluateSpline(spline_, clip_time));
  }

  bool AppendPiece(const ClipTiming::Segment& part, std::vector<Spline>* pieces) const {
    const double begin = std::max(begin_, part.begin.stage);
    const double end = std::min(end_, part.end.stage);
    if (!(begin < end)) return true;
    const double from = part.ToClip(begin);
    const double to = part.ToClip(end);
    if (from == to) {
      pieces->push_back(Held(begin, end, from));
      return true;
    }
    const auto cut =
        CutSpline(spline_, std::min(from, to), std::max(from, to), ExtrapolationMode::kHeld);
    if (!cut || !Pay(cut->knots.size())) return false;
    // Negative where the clip plays backwards, which reverses the piece.
    const double scale = (end - begin) / (to - from);
    Spline piece = MapSpline(*cut, {begin - scale * from, scale});
    // Set exactly, because rounding would leave gaps between the pieces.
    piece.knots.front().time = begin;
    piece.knots.back().time = end;
    pieces->push_back(std::move(piece));
    return true;
  }

  bool Pay(size_t knots) const {
    if (knots > room_) return false;
    room_ -= knots;
    return pacer_.Go(static_cast<int64_t>(16 * knots));
  }

  Pacer& pacer_;
  size_t& room_;
  const Spline& spline_;
  const ClipTiming& timing_;
  const double begin_;
  const double end_;
};

// Joins the pieces of all clips and fills the gaps between them (12.3.4.6, 12.3.4.7).
class WholeSplineBuilder {
 public:
  // `fill`: the manifest's default, or none if gaps have no value. `bridges`: whether gaps lead
  // from the value before them to the value after them.
  WholeSplineBuilder(const Spline& like, double first_start, std::optional<double> fill,
                     bool bridges)
      : like_(like), first_start_(first_start), fill_(fill), bridges_(bridges) {}

  // Adds a clip without a spline, active from `begin` on.
  void AddGap(double begin) {
    if (!gap_) gap_ = begin;
  }
  void Add(double begin, std::vector<Spline> pieces) {
    const Spline& first = pieces.front();
    EndGap(begin, first.knots.empty() ? std::nullopt : EdgeValue(first, /*begin=*/true));
    std::move(pieces.begin(), pieces.end(), std::back_inserter(pieces_));
  }
  Spline Finish() {
    EndGap(kInfinity, std::nullopt);
    Spline whole = JoinSplines(pieces_);
    if (held_before_) whole.pre.mode = ExtrapolationMode::kHeld;
    return whole;
  }

 private:
  void EndGap(double end, std::optional<double> next) {
    if (!gap_) return;
    const double begin = *std::exchange(gap_, std::nullopt);
    if (bridges_ && begin == -kInfinity && end != kInfinity) {
      held_before_ = true;  // the next piece extends to the left
      return;
    }
    std::optional<double> last = fill_;
    if (bridges_ && !pieces_.empty()) last = EdgeValue(pieces_.back(), /*begin=*/false);
    // As in OpenUSD, a gap before all pieces gets its knot at the first time of `active`.
    pieces_.push_back(ConstantSpline(like_, begin == -kInfinity ? first_start_ : begin, end, last));
    Spline& piece = pieces_.back();
    if (begin == -kInfinity && !last) piece.pre.mode = ExtrapolationMode::kValueBlock;
    if (!bridges_ || !last || begin == -kInfinity) return;
    piece.knots.front().next = KnotInterpolation::kLinear;
    if (next) piece.knots.back().value = *next;
  }

  const Spline& like_;
  const double first_start_;
  const std::optional<double> fill_;
  const bool bridges_;
  std::vector<Spline> pieces_;
  std::optional<double> gap_;  // where the current gap begins
  bool held_before_ = false;
};

}  // namespace

Value ClipSetAttribute::ClipSpline(RequestContext& context, size_t entry) const {
  if (DeclaredMissing(entry)) return Value();
  const ClipSet::Pin clip = set_.Open(context, entry);
  if (!clip) return Value();
  const SpecId spec = clip->layer()->tree().Find(path_);
  return spec == kNoSpec ? Value() : clip->layer()->Get(spec, Fields().spline);
}

bool ClipSetAttribute::HasSpline(RequestContext& context, size_t entry) const {
  return !ClipSpline(context, entry).empty();
}

Value ClipSetAttribute::QuerySpline(RequestContext& context, size_t entry, double time,
                                    bool pre) const {
  const Value held = ClipSpline(context, entry);
  const Spline* spline = held.Get<Spline>();
  if (!spline) return Value();
  // Splines have two sides at a knot; ToClipDual swaps them where the clip plays backwards.
  ClipTiming::Segment segment;
  const double clip_time = set_.timing().ToClipDual(time, &pre, &segment);
  const auto value =
      EvaluateSplineValue(*spline, clip_time, pre ? SplineSide::kPre : SplineSide::kAt);
  return value ? segment.Retime(*value) : Value(ValueBlock());
}

// As in OpenUSD, a blocked default counts as none here, unlike for samples.
bool ClipSetAttribute::BridgesSplines() const {
  return set_.interpolate_missing() && (default_.empty() || default_.is_block());
}

Value ClipSetAttribute::SplineValueAt(RequestContext& context, double time, bool pre) const {
  const size_t entry = set_.timing().ActiveAt(time, pre);
  Value value = QuerySpline(context, entry, time, pre);
  if (!value.empty()) return value;
  if (!BridgesSplines()) return Missing();
  return InterpolateMissingSpline(context, entry, time);
}

Value ClipSetAttribute::InterpolateMissingSpline(RequestContext& context, size_t entry,
                                                 double time) const {
  const ClipTiming& timing = set_.timing();
  // From the end of the nearest clip with a spline before, to the start of the nearest one after;
  // with a value on one side only, that value is held.
  Value before;
  Value after;
  size_t lower = entry;
  while (before.empty() && lower-- > 0 && context.Check().ok()) {
    before = QuerySpline(context, lower, timing.end(lower), /*pre=*/true);
  }
  size_t upper = entry;
  while (after.empty() && ++upper < timing.size() && context.Check().ok()) {
    after = QuerySpline(context, upper, timing.start(upper), /*pre=*/false);
  }
  if (before.empty()) return after.empty() ? Value(ValueBlock()) : after;
  if (after.empty() || before.is_block()) return before;
  const double begin = timing.end(lower);
  return Interpolate(before, after, (time - begin) / (timing.start(upper) - begin));
}

Value ClipSetAttribute::AnySpline(RequestContext& context) const {
  for (size_t entry = 0; entry < set_.timing().size() && context.Check().ok(); ++entry) {
    Value spline = ClipSpline(context, entry);
    if (spline.Is<Spline>()) return spline;
  }
  const auto manifest = set_.Manifest(context);
  return manifest ? manifest->Get(ordinal_, Fields().spline) : Value();
}

Value ClipSetAttribute::WholeSpline(RequestContext& context) const {
  if (!spline_) return Value();
  const ClipTiming& timing = set_.timing();
  const Value declared = AnySpline(context);
  const Spline* like = declared.Get<Spline>();
  if (!like) return Value();
  WholeSplineBuilder whole(*like, timing.authored_start(0), NumberOf(default_), BridgesSplines());
  Pacer pacer(context);
  size_t room = kMaxKnots;
  for (size_t entry = 0; entry < timing.size(); ++entry) {
    if (!context.Check().ok()) return Value();
    const double begin = entry == 0 ? -kInfinity : timing.start(entry);
    const double end = entry + 1 == timing.size() ? kInfinity : timing.end(entry);
    const Value held = ClipSpline(context, entry);
    const Spline* spline = held.Get<Spline>();
    if (!spline) {
      whole.AddGap(begin);
      continue;
    }
    std::vector<Spline> pieces;
    if (!ClipSplinePieces(pacer, &room, *spline, timing, begin, end).AppendTo(&pieces)) {
      return Value();
    }
    whole.Add(begin, std::move(pieces));
  }
  return Value(whole.Finish());
}

}  // namespace stagedoor

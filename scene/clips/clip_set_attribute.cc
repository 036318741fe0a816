#include "scene/clips/clip_set_attribute.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/request_scope.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/values/array_edit.h"
#include "scene/values/interpolation.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"
#include "scene/values/value_type.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// Samples closer than this count as one. The two sides of a jump are ClipTiming::kJumpStep apart.
constexpr double kSameTime = 1e-6;

Value Block() { return Value(ValueBlock()); }

// The index of the sample at exactly `time`; -1 if there is none.
std::ptrdiff_t IndexAt(const TimeSamples& samples, double time) {
  const std::ptrdiff_t i = samples.LastAtOrBefore(time);
  return i >= 0 && samples.times()[i] == time ? i : -1;
}

// The times of knots at which a blocked segment begins. With these a manifest marks clips without a
// spline, as it marks clips without samples with blocked samples.
std::vector<double> BlockedKnots(const Value& value) {
  std::vector<double> times;
  const Spline* spline = value.Get<Spline>();
  if (spline == nullptr) return times;
  for (const SplineKnot& knot : spline->knots) {
    if (knot.next == KnotInterpolation::kValueBlock) times.push_back(knot.time);
  }
  return times;
}

// An attribute that the manifest declares as uniform has no clip values, as in OpenUSD.
bool IsVarying(const Layer& layer, SpecId spec) {
  return layer.tree().type(spec) == SpecType::kAttribute &&
         layer.GetAs<Variability>(spec, Fields().variability).value_or(Variability::kVarying) ==
             Variability::kVarying;
}

// Whether an entry of `active` answers at the time that a clip time is mapped to. `time` is equal
// to that but for rounding, so the clip may end or begin between the two.
bool IsActiveAt(const ClipTiming& timing, size_t entry, double time, double clip_time) {
  if (!timing.has_curve()) return true;
  const double at = timing.PieceAt(timing.SegmentAt(time)).ToStage(clip_time);
  return timing.start(entry) <= at && at < timing.end(entry);
}

}  // namespace

ClipSetAttribute::ClipSetAttribute(const ClipSet& set, Path path, const Layer& manifest,
                                   SpecId spec)
    : set_(set), path_(path), ordinal_(spec), default_(manifest.Get(spec, Fields().default_)) {
  // 12.3.2: samples beat splines, so in a manifest that declares both, the spline means nothing.
  const Value samples = manifest.Get(spec, Fields().timeSamples);
  if (samples.samples()) declared_ = RefPtr<const TimeSamples>::Share(samples.samples());
  spline_ = !declared_ && manifest.Has(spec, Fields().spline);
  if (spline_) spline_blocks_ = BlockedKnots(manifest.Get(spec, Fields().spline));
  const std::string type = manifest.GetAs<Token>(spec, Fields().typeName).value_or(Token()).str();
  expression_ = type == "pathExpression";
  composes_ = !spline_ && (expression_ || type.ends_with("[]"));
  const ValueTypeName* known = FindValueTypeName(type);
  interpolates_ = known != nullptr && InterpolatesLinearly(known->type);
}

bool ClipSetAttribute::MayHaveReadEdits() const {
  return composes_ &&
         (expression_ || default_.Is<ArrayEdit>() || reads_edits_.load(std::memory_order_relaxed));
}

bool ClipSetAttribute::MayHoldEdits(RequestContext& context, double first, double last) const {
  if (!composes_ || expression_ || default_.Is<ArrayEdit>()) return composes_;
  if (std::isinf(first) && std::isinf(last)) {
    (void)SampleTimes(context);  // opens each clip once, and never again
    return MayHaveReadEdits();
  }
  const size_t end = std::max(set_.timing().ActiveAt(last), SampleEntry(context, last, true));
  const size_t begin = std::min(set_.timing().ActiveAt(first), SampleEntry(context, first, false));
  for (size_t entry = begin; entry <= end; ++entry) {
    if (!context.Spend(1).ok()) return false;
    const Held held = Samples(context, entry);
    if (held && held.samples->MayHoldEdits()) return true;
  }
  return false;
}

size_t ClipSetAttribute::SampleEntry(RequestContext& context, double time, bool next) const {
  const size_t entry = set_.timing().ActiveAt(time);
  if (next && !interpolates_) return entry;
  if (const Held held = Samples(context, entry)) {
    if (BetweenFileSamples(*held.samples, entry, time)) return entry;
  }
  const Times around = SamplesAround(context, time);
  return set_.timing().ActiveAt(next ? around.second : around.first);
}

ClipSetAttribute::Held ClipSetAttribute::Samples(RequestContext& context, size_t entry) const {
  Held held;
  held.pin = set_.Open(context, entry);
  if (held.pin) held.samples = held.pin->Samples(context, ordinal_, path_);
  NoteEdits(held.samples);
  return held;
}

bool ClipSetAttribute::DeclaredMissing(size_t entry) const {
  // Looked up at the start that `active` gives, where blocks are written, and not at start(), which
  // is kEarliest for the first clip.
  if (!spline_blocks_.empty()) {
    return std::binary_search(spline_blocks_.begin(), spline_blocks_.end(),
                              set_.timing().authored_start(entry));
  }
  if (!declared_) return false;
  const std::ptrdiff_t i = IndexAt(*declared_, set_.timing().authored_start(entry));
  return i >= 0 && declared_->BlockedAt(static_cast<size_t>(i));
}

bool ClipSetAttribute::Contributes(RequestContext& context, size_t entry) const {
  // 12.3.4.6, 12.3.4.7: unless missing values interpolate and there is no default, every clip
  // contributes, if only a default or a block.
  if (!set_.interpolate_missing() || !default_.empty()) return true;
  return !DeclaredMissing(entry) && Samples(context, entry);
}

bool ClipSetAttribute::HasValue(RequestContext& context, size_t entry) const {
  return !default_.empty() || Samples(context, entry);
}

Value ClipSetAttribute::Missing() const { return default_.empty() ? Block() : default_; }

Value ClipSetAttribute::Retimed(Value value, double time, bool pre) const {
  if (value.type() != ValueType::kTimeCode && value.type() != ValueType::kDuration) return value;
  // Time codes in a clip are in clip time, like its samples. The layer offset of the set, which
  // maps the set's time to stage time, is applied by the caller (AttributeSource).
  ClipTiming::Segment segment;
  (void)set_.timing().ToClip(time, pre, &segment);
  return segment.Retime(value);
}

Value ClipSetAttribute::QuerySamples(const TimeSamples& samples, double time, bool pre,
                                     bool linear) const {
  const double clip_time = set_.timing().ToClip(time, pre);
  const auto times = samples.times();
  // A sample time that comes from `active` or `times` may fall between two samples of the file;
  // there the value is interpolated in clip time.
  const std::ptrdiff_t last = samples.LastAtOrBefore(clip_time);
  const size_t lower = last < 0 ? 0 : static_cast<size_t>(last);
  const bool between = last >= 0 && times[lower] != clip_time && lower + 1 < times.size();
  if (!between || !linear) return Retimed(samples.At(lower), time, pre);
  const double alpha = (clip_time - times[lower]) / (times[lower + 1] - times[lower]);
  return Retimed(samples.Between(lower, alpha), time, pre);
}

Value ClipSetAttribute::Query(RequestContext& context, double time, bool pre, bool linear) const {
  const Held held = Samples(context, set_.timing().ActiveAt(time, pre));
  return held ? QuerySamples(*held.samples, time, pre, linear) : Missing();
}

Value ClipSetAttribute::ValueAt(RequestContext& context, ClipTime time, bool pre,
                                bool linear) const {
  if (spline_) return SplineValueAt(context, time.local, pre);
  Value value;
  if (ValueFromFile(context, time, pre, linear, &value)) return value;
  const ClipTiming& timing = set_.timing();
  const Times around = SamplesAround(context, time.local);
  if (pre && around.second - around.first < kSameTime) {
    // 12.3.4.8: up to a jump its left entry maps the time. Elsewhere the limit is that of the
    // interpolation from the sample before.
    const bool jumps = timing.JumpsAt(around.first);
    if (jumps && HasValue(context, timing.ActiveAt(around.first, /*pre=*/true))) {
      return Query(context, around.first, true, linear);
    }
    return ValueBefore(context, around.first, time, linear);
  }
  return ValueBetween(context, around, time, linear);
}

bool ClipSetAttribute::ValueFromFile(RequestContext& context, ClipTime at, bool pre, bool linear,
                                     Value* value) const {
  const ClipTiming& timing = set_.timing();
  const double time = at.local;
  const size_t entry = timing.ActiveAt(time);
  // The declaration holds even if the clip does have samples: OpenUSD does not look.
  if (declared_ && set_.interpolate_missing() && DeclaredMissing(entry)) return false;
  const Held held = Samples(context, entry);
  if (!held) return false;
  // One-to-one only: where the curve stands still or jumps, several times show this clip time, and
  // the general way decides which of them are samples.
  const std::optional<double> clip_time = pre ? std::nullopt : timing.ToClipOneToOne(time);
  const std::ptrdiff_t i = clip_time ? IndexAt(*held.samples, *clip_time) : -1;
  if (i >= 0 && IsActiveAt(timing, entry, time, *clip_time)) {
    *value = Retimed(held.samples->At(static_cast<size_t>(i)), time, false);
    return true;
  }
  const auto between = linear ? BetweenFileSamples(*held.samples, entry, time) : std::nullopt;
  if (!between) return false;
  *value = held.samples->Between(between->first, Fraction(between->second, at));
  return value->type() != ValueType::kTimeCode && value->type() != ValueType::kDuration;
}

std::optional<std::pair<size_t, ClipSetAttribute::Times>> ClipSetAttribute::BetweenFileSamples(
    const TimeSamples& samples, size_t entry, double time) const {
  const ClipTiming& timing = set_.timing();
  ClipTiming::Segment piece;
  double begin = timing.start(entry);
  double end = timing.end(entry);
  if (timing.has_curve()) {
    const size_t i = timing.SegmentAt(time);
    const ClipTiming::Knot& left = timing.knots()[i];
    const ClipTiming::Knot& right = timing.knots()[i + 1];
    // Inside a jump, and where the clip stands still or plays backwards, the general way decides.
    if (left.jump || left.clip >= right.clip || time <= left.stage || time >= right.stage) {
      return std::nullopt;
    }
    piece = timing.PieceAt(i);
    begin = std::max(begin, left.stage);
    end = std::min(end, right.stage);
  }
  const auto times = samples.times();
  const double clip_time = timing.has_curve() ? piece.ToClip(time) : time;
  const std::ptrdiff_t last = samples.LastAtOrBefore(clip_time);
  if (last < 0 || static_cast<size_t>(last) + 1 >= times.size()) return std::nullopt;
  double lower = times[last];
  double upper = times[last + 1];
  if (timing.has_curve()) {
    lower = piece.ToStage(lower);
    upper = piece.ToStage(upper);
    // Only if both map back exactly: otherwise the general way would interpolate between slightly
    // different times, and its value would differ in the last digits.
    if (piece.ToClip(lower) != times[last] || piece.ToClip(upper) != times[last + 1])
      return std::nullopt;
  }
  // Knots and starts of clips are samples too, and would end the interpolation.
  const double start = timing.authored_start(entry);
  const bool others_between = lower < begin || upper >= end || (start > lower && start < upper);
  if (others_between || time <= lower || time >= upper || upper - lower < kSameTime) {
    return std::nullopt;
  }
  return std::pair(static_cast<size_t>(last), Times(lower, upper));
}

double ClipSetAttribute::Fraction(Times around, ClipTime time) const {
  const double begin = offset().Apply(around.first);
  const double end = offset().Apply(around.second);
  if (begin < end) return (time.stage - begin) / (end - begin);
  return (time.local - around.first) / (around.second - around.first);
}

Value ClipSetAttribute::ValueBetween(RequestContext& context, Times around, ClipTime time,
                                     bool linear) const {
  const auto [lower, upper] = around;
  Value value = Query(context, lower, false, linear);
  if (upper - lower < kSameTime || !linear || value.is_block() ||
      !InterpolatesLinearly(value.type())) {
    return value;
  }
  return Interpolate(value, Query(context, upper, false, linear), Fraction(around, time));
}

// The limit from below, where `sample` is the only sample at or around `time`.
Value ClipSetAttribute::ValueBefore(RequestContext& context, double sample, ClipTime time,
                                    bool linear) const {
  const std::optional<double> lower = PreviousSample(context, Misplaced(Misplaced(time.local)));
  if (!lower) return Query(context, sample, false, linear);
  Value value = Query(context, *lower, false, linear);
  if (!linear || value.is_block() || time.local <= *lower || sample <= *lower) return value;
  const Value limit = Query(context, sample, false, linear);
  return Interpolate(value, limit, Fraction({*lower, sample}, time));
}

// ---- The origin of values ----

std::pair<std::shared_ptr<const Layer>, Path> ClipSetAttribute::SpecAt(RequestContext& context,
                                                                       double time,
                                                                       bool pre) const {
  const size_t entry = set_.timing().ActiveAt(Misplaced(time), pre);
  if (spline_ ? HasSpline(context, entry) : static_cast<bool>(Samples(context, entry))) {
    const ClipSet::Pin clip = set_.Open(context, entry);
    if (clip) return {clip->layer(), path_};
  }
  std::shared_ptr<const Layer> manifest = set_.Manifest(context);
  // A generated manifest has no opinions of a user, so it is not part of the property stack.
  if (!manifest || manifest->info().anonymous) return {nullptr, Path()};
  return {std::move(manifest), path_};
}

std::shared_ptr<const Layer> ClipSetAttribute::LayerAt(RequestContext& context, double time) const {
  size_t entry = set_.timing().ActiveAt(time);
  const auto has_value = [&] {
    return spline_ ? HasSpline(context, entry) : static_cast<bool>(Samples(context, entry));
  };
  bool found = has_value();
  if (!found && !spline_ && !Contributes(context, entry)) {
    // The value is held from an earlier clip, or is that of the next one.
    entry = set_.timing().ActiveAt(SamplesAround(context, time).first);
    found = has_value();
  }
  if (!found) {
    std::shared_ptr<const Layer> manifest = set_.Manifest(context);
    if (manifest && !manifest->info().anonymous) return manifest;
  }
  const ClipSet::Pin clip = set_.Open(context, entry);
  return clip ? clip->layer() : nullptr;
}

std::vector<std::string> ClipSetAttribute::ExplainAt(RequestContext& context, double time) const {
  const ClipTiming& timing = set_.timing();
  const size_t entry = timing.ActiveAt(time);
  std::vector<std::string> lines;
  lines.push_back(Concat("clip set '", set_.name(), "': ", timing.size(), " active entries"));
  const std::string start =
      entry == 0 ? "the beginning" : Concat(offset().Apply(timing.start(entry)));
  const std::string end =
      entry + 1 < timing.size() ? Concat(offset().Apply(timing.end(entry))) : "the end";
  lines.push_back(Concat("active clip ", timing.asset(entry), ": @",
                         set_.asset(timing.asset(entry)), "@ from ", start, " to ", end));
  lines.push_back(Concat("stage time ", offset().Apply(time), " is clip time ", timing.ToClip(time),
                         ", path ", path_.ToString()));
  const ClipSet::Pin clip = set_.Open(context, entry);
  if (!clip) {
    lines.push_back("the clip layer cannot be opened");
  } else if (spline_) {
    lines.push_back(HasSpline(context, entry) ? "value of the clip's spline"
                                              : "the clip has no spline for it");
  } else if (!Samples(context, entry)) {
    lines.push_back(DeclaredMissing(entry) ? "the manifest declares the clip to have no samples"
                                           : "the clip has no samples for it");
  }
  if (spline_) return lines;
  const Times around = SamplesAround(context, time);
  const double first = offset().Apply(around.first);
  const double second = offset().Apply(around.second);
  lines.push_back(first == second ? Concat("sample at stage time ", first)
                                  : Concat("samples at stage times ", first, " and ", second));
  if (!Contributes(context, entry)) lines.push_back("missing values interpolate between clips");
  if (Query(context, time, false, true).is_block()) {
    lines.push_back(default_.empty() ? "no value: blocked, and no default in the manifest"
                                     : "no value: blocked");
  }
  return lines;
}

std::shared_ptr<const ClipAttribute> ClipSet::Attribute(RequestContext& context, Path path) const {
  // An empty `active` blocks the clips of weaker layers; it is not an error.
  if (timing().size() == 0) return nullptr;
  // The set owns its attributes, so the pointer shares ownership of the set.
  const auto share = [this](const ClipAttribute* attribute) {
    return std::shared_ptr<const ClipAttribute>(shared_from_this(), attribute);
  };
  {
    ReaderMutexLock lock(attributes_mu_);
    const auto it = attributes_.find(path);
    if (it != attributes_.end()) return share(it->second.get());
  }
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths_.get()));
  const std::shared_ptr<const Layer> manifest = Manifest(context);
  const SpecId spec = manifest ? manifest->tree().Find(path) : kNoSpec;
  if (spec == kNoSpec || !IsVarying(*manifest, spec)) return nullptr;
  paths_->Keep(path);
  auto made = std::make_unique<const ClipSetAttribute>(*this, path, *manifest, spec);
  WriterMutexLock lock(attributes_mu_);
  return share(attributes_.emplace(path, std::move(made)).first->second.get());
}

}  // namespace stagedoor

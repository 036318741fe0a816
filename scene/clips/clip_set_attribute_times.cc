// The sample times of a ClipSetAttribute. "Clip time" is OpenUSD's internal time, "the set's time"
// its external time.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/paced_sort.h"
#include "base/pacer.h"
#include "scene/clips/clip_set_attribute.h"
#include "scene/clips/time_list.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

using Knot = ClipTiming::Knot;
using Segment = ClipTiming::Segment;

// Maps clip time `t` to the set's time by the segment of the curve that begins at knot `i`, for the
// lower or the upper of the two samples around `time`; false if the segment does not reach `t`.
// Where the clip stands still, `t` is shown all along, and the end that is farther out is the
// sample. Corresponds to Usd_Clip::_TranslateTimeToExternal.
bool Translate(const ClipTiming& timing, size_t i, double t, bool lower, bool single, double time,
               double* out) {
  const Knot& a = timing.knots()[i];
  const Knot& b = timing.knots()[i + 1];
  if (a.jump || t < std::min(a.clip, b.clip) || t > std::max(a.clip, b.clip)) return false;
  if (a.clip != b.clip) {
    *out = timing.PieceAt(i).ToStage(t);
  } else if (single && (time == a.stage || time == b.stage)) {
    *out = time;
  } else {
    *out = lower ? a.stage : b.stage;
  }
  return true;
}

// Maps a clip time that no segment reaches to the end of the curve that is nearer. OpenUSD puts
// those that only a jump passes at time 0 (docs/conformance.md).
double ClampToCurve(const ClipTiming& timing, double t) {
  const Knot& first = timing.knots()[1];
  const Knot& last = timing.knots().back();
  if (t < first.clip) return first.stage;
  return t > last.clip ? last.stage : 0;
}

// Sorts, and removes duplicates; does neither once the context is done.
void SortUnique(RequestContext& context, std::vector<double>* times) {
  Pacer pacer(context);
  if (!PacedStableSort(pacer, times->begin(), times->end(), std::less<>()).ok()) return;
  times->erase(std::unique(times->begin(), times->end()), times->end());
}

}  // namespace

size_t ClipSetAttribute::FileSamplesAround(RequestContext& context, const TimeSamples& samples,
                                           double time, double* out) const {
  const ClipTiming& timing = set_.timing();
  const auto [lower, upper] = TimesAround(samples.times(), timing.ToClip(time));
  if (!timing.has_curve()) {
    out[0] = lower;
    out[1] = upper;
    return 2;
  }
  // The mapping to clip time is many-to-one, so the curve may pass a clip time several times. As in
  // Usd_Clip::_GetBracketingTimeSamplesForPathFromClipLayer, the passages nearest to `time` count.
  const size_t middle = timing.SegmentAt(time);
  const bool single = lower == upper;
  bool has_lower = false;
  bool has_upper = false;
  Pacer pacer(context);
  for (size_t i = middle + 1; i-- > 0 && !has_lower && pacer.Go();) {
    has_lower = Translate(timing, i, lower, true, single, time, &out[0]);
  }
  for (size_t i = middle; i + 1 < timing.knots().size() && !has_upper && pacer.Go(); ++i) {
    has_upper = Translate(timing, i, upper, false, single, time, &out[1]);
  }
  if (!has_lower && !has_upper) {
    out[0] = ClampToCurve(timing, lower);
    out[1] = ClampToCurve(timing, upper);
    return 2;
  }
  if (!has_lower) out[0] = out[1];
  return has_lower && has_upper ? 2 : 1;
}

std::optional<ClipSetAttribute::Times> ClipSetAttribute::BracketingIn(RequestContext& context,
                                                                      size_t entry,
                                                                      double time) const {
  const ClipTiming& timing = set_.timing();
  // Up to two samples of the file, two knots of the curve and the start of the clip, which is a
  // sample even if nothing is authored there.
  double times[5];
  size_t count = 0;
  if (const Held held = Samples(context, entry)) {
    count = FileSamplesAround(context, *held.samples, time, times);
  }
  if (const auto knots = timing.KnotsAround(time)) {
    times[count++] = knots->first;
    times[count++] = knots->second;
  }
  times[count++] = timing.authored_start(entry);
  const double start = timing.start(entry);
  const double end = timing.end(entry);
  // 12.3.4.3: the clip answers in [start, end) only, wherever the curve maps its samples.
  const auto active_end =
      std::remove_if(times, times + count, [&](double t) { return t < start || t >= end; });
  if (active_end == times) return std::nullopt;
  // The nearest on either side, or the outermost one alone beyond the ends.
  const double first = *std::min_element(times, active_end);
  const double last = *std::max_element(times, active_end);
  if (time <= first) return Times(first, first);
  if (time >= last) return Times(last, last);
  Times around(first, last);
  for (const double* t = times; t != active_end; ++t) {
    if (*t <= time) around.first = std::max(around.first, *t);
    if (*t >= time) around.second = std::min(around.second, *t);
  }
  return around;
}

std::optional<std::pair<double, double>> ClipSetAttribute::Bracketing(RequestContext& context,
                                                                      double time) const {
  return spline_ ? std::nullopt : std::optional(SamplesAround(context, time));
}

ClipSetAttribute::Times ClipSetAttribute::SamplesAround(RequestContext& context,
                                                        double time) const {
  const ClipTiming& timing = set_.timing();
  const size_t active = timing.ActiveAt(time);
  std::optional<double> lower;
  std::optional<double> upper;
  // The search of Usd_ClipSet::GetBracketingTimeSamplesForPath: the active clip, then earlier clips
  // for the lower sample and later ones for the upper.
  if (Contributes(context, active)) {
    if (const auto in_clip = BracketingIn(context, active, time)) {
      lower = in_clip->first;
      // After its last sample, the upper one is the first of the next clip.
      if (in_clip->first != in_clip->second || time <= in_clip->second) upper = in_clip->second;
    }
  }
  for (size_t i = active; !lower && i-- > 0;) {
    if (!context.Check().ok()) break;
    if (!Contributes(context, i)) continue;
    if (const auto in_clip = BracketingIn(context, i, time)) lower = in_clip->second;
  }
  for (size_t i = active + 1; !upper && i < timing.size(); ++i) {
    if (!context.Check().ok()) break;
    // A clip that contributes has a sample at its start, so it need not be searched.
    if (Contributes(context, i)) upper = timing.start(i);
  }
  if (!lower && !upper) lower = timing.authored_start(0);
  return Times(lower ? *lower : *upper, upper ? *upper : *lower);
}

void ClipSetAttribute::ListFile(RequestContext& context, const TimeSamples& samples, size_t entry,
                                TimeList* out) const {
  const ClipTiming& timing = set_.timing();
  const auto times = samples.times();
  const double start = timing.start(entry);
  const double end = timing.end(entry);
  const auto add = [&](double t) {
    if (t >= start && t < end) out->Add(t);
  };
  if (!timing.has_curve()) {
    for (const double t : times) {
      if (out->over()) return;
      add(t);
    }
    return;
  }
  Pacer pacer(context);
  // Each segment of the curve in the active range, and each sample of the file that it reaches.
  const auto knots = timing.knots();
  size_t first = timing.SegmentAt(start);
  while (first > 0 && knots[first].stage >= start) --first;
  for (size_t i = first; i + 1 < knots.size() && knots[i].stage < end && pacer.Go(); ++i) {
    const Knot& a = knots[i];
    const Knot& b = knots[i + 1];
    if (a.jump || b.stage < start) continue;
    const Segment piece = timing.PieceAt(i);
    auto it = std::lower_bound(times.begin(), times.end(), std::min(a.clip, b.clip));
    for (; it != times.end() && *it <= std::max(a.clip, b.clip); ++it) {
      if (!pacer.Go() || out->over()) return;
      if (a.clip == b.clip) {
        add(a.stage);
        add(b.stage);
      } else {
        add(piece.ToStage(*it));
      }
    }
  }
}

void ClipSetAttribute::ListClip(RequestContext& context, size_t entry, TimeList* out) const {
  const ClipTiming& timing = set_.timing();
  if (const ClipSet::Pin clip = set_.Open(context, entry)) {
    // A list visits each clip once; remembering the samples in every view would waste memory.
    const auto samples = clip->PeekSamples(context, path_);
    if (samples) ListFile(context, *samples, entry, out);
    NoteEdits(samples.get());
  }
  const auto knots = timing.knots();
  const auto first = std::lower_bound(knots.begin(), knots.end(), timing.start(entry),
                                      [](const Knot& k, double t) { return k.stage < t; });
  for (auto it = first; it != knots.end() && it->stage < timing.end(entry); ++it) {
    if (out->over()) return;
    out->Add(it->stage);
  }
  out->Add(timing.authored_start(entry));
}

std::optional<double> ClipSetAttribute::PreviousSample(RequestContext& context, double time) const {
  for (size_t entry = set_.timing().ActiveAt(time) + 1; entry-- > 0 && context.Check().ok();) {
    if (!Contributes(context, entry)) continue;
    TimeList list(context);
    ListClip(context, entry, &list);
    std::vector<double> times = list.Take();
    std::erase_if(times, [&](double t) { return t >= time; });
    if (!times.empty()) return *std::max_element(times.begin(), times.end());
  }
  return std::nullopt;
}

std::vector<double> ClipSetAttribute::ListAll(RequestContext& context) const {
  TimeList list(context);
  for (size_t entry = 0; entry < set_.timing().size() && !list.over(); ++entry) {
    if (!context.Check().ok()) break;
    if (Contributes(context, entry)) ListClip(context, entry, &list);
  }
  std::vector<double> times = list.Take();
  // As in Usd_ClipSet::ListTimeSamplesForPath, a set in which no clip contributes has one sample.
  if (times.empty()) times.push_back(set_.timing().authored_start(0));
  SortUnique(context, &times);
  return times;
}

Array<double> ClipSetAttribute::SampleTimes(RequestContext& context) const {
  if (spline_) return {};
  if (listed_.load(std::memory_order_acquire)) return times_;
  std::vector<double> all = ListAll(context);
  // The list of a request that has ended may be incomplete, so it is not kept.
  if (!context.Check().ok()) return Array<double>::FromVector(std::move(all));
  Array<double> times = set_.Shared(std::move(all));
  MutexLock lock(mu_);
  if (!listed_.load(std::memory_order_relaxed)) {
    times_ = std::move(times);
    listed_.store(true, std::memory_order_release);
  }
  return times_;
}

std::vector<double> ClipSetAttribute::SampleTimesIn(RequestContext& context, double first,
                                                    double last) const {
  const ClipTiming& timing = set_.timing();
  if (spline_ || !(first <= last)) return {};
  TimeList list(context);
  for (size_t entry = timing.ActiveAt(first); entry < timing.size() && !list.over(); ++entry) {
    if (timing.start(entry) > last || !context.Check().ok()) break;
    if (Contributes(context, entry)) ListClip(context, entry, &list);
  }
  std::vector<double> times = list.Take();
  std::erase_if(times, [&](double t) { return t < first || t > last; });
  SortUnique(context, &times);
  if (!times.empty()) return times;
  // The only sample of a set in which no clip contributes; see ListAll.
  const double only = timing.authored_start(0);
  if (only < first || only > last) return times;
  for (size_t entry = 0; entry < timing.size(); ++entry) {
    if (!context.Check().ok() || Contributes(context, entry)) return times;
  }
  return {only};
}

bool ClipSetAttribute::MightBeTimeVarying(RequestContext& context) const {
  if (spline_ || set_.timing().size() > 1) return true;
  // A single clip counts even if the manifest declares that it has no samples.
  TimeList list(context);
  ListClip(context, 0, &list);
  std::vector<double> times = list.Take();
  SortUnique(context, &times);
  return times.size() > 1;
}

}  // namespace stagedoor

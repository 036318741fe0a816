#include "scene/geom/motion_times.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace stagedoor {
namespace {

bool IsEarlier(const MotionTime& a, const MotionTime& b) { return a.time < b.time; }
bool IsSameTime(const MotionTime& a, const MotionTime& b) { return a.time == b.time; }

// `count` times from begin to end; at least 2.
std::vector<MotionTime> EvenTimes(double begin, double end, size_t count) {
  std::vector<MotionTime> times(count);
  for (size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    times[i].time = i + 1 == count ? end : begin + (end - begin) * part;
  }
  return times;
}

// `count` of the times, evenly chosen, with the first and the last one.
std::vector<MotionTime> Thinned(const std::vector<MotionTime>& times, size_t count) {
  std::vector<MotionTime> kept;
  for (size_t i = 0; i < count; ++i) {
    kept.push_back(times[(i * (times.size() - 1) + (count - 1) / 2) / (count - 1)]);
  }
  return kept;
}

}  // namespace

std::string MotionTime::SourcePath() const {
  return prim.valid() ? Concat(prim.PathText(), ".", attribute.text()) : std::string();
}

absl::Status MotionTimes::Add(RequestContext& context, const AttributeSource& source,
                              const Prim& prim, Token name) {
  if (crowded_) return absl::OkStatus();
  const auto samples = source.SamplesCovering(context, begin_, end_, SamplePolicy::kMostSamples);
  if (absl::Status over = context.Check(); !over.ok()) return over;
  if (!samples.ok()) {
    crowded_ = true;
    times_.clear();
    return absl::OkStatus();
  }
  if (samples->size() < 2) return absl::OkStatus();
  std::vector<MotionTime> found;
  for (const AttributeSample& sample : *samples) found.push_back({sample.time, prim, name});
  Merge(found);
  return absl::OkStatus();
}

void MotionTimes::Join(const MotionTimes& other) {
  crowded_ |= other.crowded_;
  if (crowded_) {
    times_.clear();
  } else {
    Merge(other.times_);
  }
}

void MotionTimes::AddEven(size_t count, const Prim& prim, Token name) {
  if (crowded_) return;
  std::vector<MotionTime> times = EvenTimes(begin_, end_, count);
  for (MotionTime& at : times) {
    at.prim = prim;
    at.attribute = name;
  }
  Merge(times);
}

void MotionTimes::Merge(const std::vector<MotionTime>& some) {
  std::vector<MotionTime> all;
  all.reserve(times_.size() + some.size());
  std::merge(times_.begin(), times_.end(), some.begin(), some.end(), std::back_inserter(all),
             IsEarlier);
  all.erase(std::unique(all.begin(), all.end(), IsSameTime), all.end());
  // Without those that are further from the shutter than others on the same side.
  auto first = std::upper_bound(all.begin(), all.end(), MotionTime{.time = begin_}, IsEarlier);
  if (first != all.begin()) --first;
  auto last = std::lower_bound(first, all.end(), MotionTime{.time = end_}, IsEarlier);
  if (last != all.end()) ++last;
  times_.assign(first, last);
  crowded_ = times_.size() > SamplePolicy::kMostSamples;
  if (crowded_) times_.clear();
}

std::vector<MotionTime> MotionTimes::AtEnds() const {
  std::vector<MotionTime> times = times_;
  std::erase_if(times, [&](const MotionTime& at) { return at.time < begin_ || at.time > end_; });
  if (times.empty() || times.front().time != begin_) {
    times.insert(times.begin(), {.time = begin_});
  }
  if (times.back().time != end_) times.push_back({.time = end_});
  return times;
}

MotionSelection MotionTimes::Select(const SamplePolicy& policy, double frame) const {
  if (!varies() || begin_ == end_) return SteadySelection(policy, frame);
  if (policy.segments != 0) return {EvenTimes(begin_, end_, policy.segments + 1), false};
  if (crowded_) return {EvenTimes(begin_, end_, policy.max_samples), true};
  MotionSelection selection{policy.at_ends ? AtEnds() : times_, false};
  if (selection.times.size() > policy.max_samples) {
    selection = {Thinned(selection.times, policy.max_samples), true};
  }
  return selection;
}

MotionSelection SteadySelection(const SamplePolicy& policy, double frame) {
  return {{{.time = policy.Nearest(frame)}}, false};
}

}  // namespace stagedoor

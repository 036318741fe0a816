#include "server/queries/motion_samples.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/check_count.h"
#include "server/error_info.h"

namespace stagedoor::server {

absl::StatusOr<SamplePolicy> ParseSamplePolicy(const v1::SamplePolicy& policy,
                                               std::span<const TimeCode> frames) {
  SamplePolicy parsed{.open = policy.shutter_open(),
                      .close = policy.shutter_close(),
                      .segments = policy.segments(),
                      .at_ends = policy.samples_at_ends()};
  if (!std::isfinite(parsed.open)) {
    return InvalidFieldError("sample_policy.shutter_open", Concat(parsed.open), "must be finite");
  }
  if (!std::isfinite(parsed.close - parsed.open) || parsed.close < parsed.open) {
    return InvalidFieldError("sample_policy.shutter_close", Concat(parsed.close),
                             "must be finite and at least shutter_open");
  }
  if (parsed.segments >= SamplePolicy::kMostSamples) {
    return InvalidFieldError("sample_policy.segments", Concat(parsed.segments),
                             Concat("must be less than ", SamplePolicy::kMostSamples));
  }
  if (policy.max_samples() != 0) parsed.max_samples = policy.max_samples();
  if (parsed.max_samples < 2 || parsed.max_samples > SamplePolicy::kMostSamples) {
    return InvalidFieldError("sample_policy.max_samples", Concat(parsed.max_samples),
                             Concat("must be from 2 to ", SamplePolicy::kMostSamples));
  }
  for (const TimeCode frame : frames) {
    if (!frame.is_default() && !frame.is_pre_time() && !frame.is_earliest() &&
        std::isfinite(parsed.Begin(frame.value())) && std::isfinite(parsed.End(frame.value()))) {
      continue;
    }
    return WithReason(InvalidArgumentError("a shutter cannot open at the time ", frame.ToString(),
                                           "; use numeric times with a sample_policy"),
                      v1::ERROR_REASON_INVALID_TIME);
  }
  return parsed;
}

void FillMotionSample(const MotionSelection& selection, size_t index, bool with_source,
                      ReplyBudget& budget, v1::MotionSample* out) {
  if (!budget.Charge(sizeof(v1::MotionSample))) return;
  const MotionTime& at = selection.times[index];
  out->set_time(at.time);
  out->set_index(static_cast<uint32_t>(index));
  out->set_count(static_cast<uint32_t>(selection.times.size()));
  out->set_thinned(selection.thinned);
  if (with_source) out->set_source(budget.Text(at.SourcePath()));
}

absl::StatusOr<std::shared_ptr<const MotionSelection>> MotionPlan::Keep(MotionSelection selection) {
  SD_RETURN_IF_ERROR(reserved_.Grow(sizeof(selection) + selection.times.size() * sizeof(MotionTime),
                                    "motion samples"));
  return std::make_shared<const MotionSelection>(std::move(selection));
}

absl::Status MotionPlan::Count(size_t most) {
  size_t count = 0;
  for (size_t item = 0; item < items_.size(); ++item) {
    firsts_[item] = count;
    if (items_[item]) count += items_[item]->times.size();
  }
  firsts_.back() = count;
  return CheckCount(count, most, "samples");
}

void MotionPlan::Fill(bool with_sources, ReplyBudget& budget, v1::MotionSamples* out) const {
  if (!budget.Charge(items_.size() * sizeof(uint32_t) + sample_count() * sizeof(double))) return;
  out->mutable_counts()->Reserve(static_cast<int>(items_.size()));
  out->mutable_times()->Reserve(static_cast<int>(sample_count()));
  for (size_t item = 0; item < items_.size(); ++item) {
    const MotionSelection* selection = items_[item].get();
    out->add_counts(selection ? static_cast<uint32_t>(selection->times.size()) : 0);
    if (!selection) continue;
    for (const MotionTime& at : selection->times) {
      out->add_times(at.time);
      if (with_sources) budget.AddText(at.SourcePath(), out->mutable_sources());
    }
    if (selection->thinned && budget.Charge(sizeof(uint32_t))) {
      out->add_thinned_items(static_cast<uint32_t>(item));
    }
    if (!budget.ok()) return;
  }
}

std::vector<TimeCode> TimeCodesOf(const MotionSelection& selection) {
  std::vector<TimeCode> times;
  times.reserve(selection.times.size());
  for (const MotionTime& at : selection.times) times.push_back(TimeCode::At(at.time));
  return times;
}

}  // namespace stagedoor::server

#include "scene/frame/frame_planning.h"

#include <utility>

#include "base/status_macros.h"
#include "scene/frame/frame_planner.h"

namespace stagedoor {

absl::StatusOr<std::unique_ptr<FramePlanning>> FramePlanning::Begin(RequestContext& context,
                                                                    const Stage& stage,
                                                                    const FrameSelection& selection,
                                                                    std::string_view key,
                                                                    size_t rows) {
  FramePlans& plans = FramePlans::Of(stage);
  std::string own_key(key);
  std::shared_ptr<const FramePlan> kept = plans.FindKept(own_key);
  const bool is_first = kept == nullptr && plans.BeginParts(own_key);
  std::unique_ptr<FramePlanning> planning(
      new FramePlanning(plans, context, stage, selection, std::move(own_key), is_first));
  if (kept != nullptr) {
    planning->Take(std::move(kept));
  } else {
    SD_RETURN_IF_ERROR(planning->Start(rows));
  }
  return planning;
}

FramePlanning::FramePlanning(FramePlans& plans, RequestContext& context, const Stage& stage,
                             const FrameSelection& selection, std::string key, bool is_first)
    : plans_(plans),
      context_(context),
      stage_(stage),
      selection_(selection),
      key_(std::move(key)),
      is_first_(is_first),
      planner_(std::make_unique<FramePlanner>(context, stage, selection)),
      plan_(planner_->plan()) {}

FramePlanning::~FramePlanning() {
  if (is_first_) plans_.EndParts(key_);
}

absl::Status FramePlanning::Start(size_t rows) {
  SD_RETURN_IF_ERROR(planner_->Start());
  return Plan(rows);
}

absl::Status FramePlanning::Continue(size_t rows) {
  if (is_whole()) return absl::OkStatus();
  if (auto kept = plans_.FindKept(key_)) {
    Take(std::move(kept));
    return absl::OkStatus();
  }
  if (!is_first_) {
    // Two plans are made at most: one at the pace of a client, and one for all other requests.
    SD_ASSIGN_OR_RETURN(auto whole, plans_.Find(context_, stage_, selection_, key_));
    Take(std::move(whole));
    return absl::OkStatus();
  }
  return Plan(rows);
}

absl::Status FramePlanning::Plan(size_t rows) {
  SD_RETURN_IF_ERROR(planner_->Continue(rows));
  if (!planner_->done()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(auto whole, plans_.Keep(context_, key_, planner_->plan()));
  Take(std::move(whole));
  return absl::OkStatus();
}

void FramePlanning::Take(std::shared_ptr<const FramePlan> whole) {
  plan_ = std::move(whole);
  planner_ = nullptr;
}

}  // namespace stagedoor

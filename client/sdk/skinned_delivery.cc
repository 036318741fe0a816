#include "client/sdk/skinned_delivery.h"

#include "client/sdk/geometry_reply.h"

namespace stagedoor::sdk {

void SkinnedDelivery::Begin(v1::StageRef stage, v1::ComputeSkinnedPointsRequest* request) {
  seen_ = 0;
  if (passed_on_ > 0) stage.set_snapshot(snapshot_);
  *request->mutable_stage() = std::move(stage);
}

absl::Status SkinnedDelivery::Take(const v1::ComputeSkinnedPointsResponse& part) {
  if (!part.snapshot().empty()) snapshot_ = part.snapshot();
  for (const v1::SkinnedPrim& item : part.items()) {
    if (++seen_ <= passed_on_) continue;
    ++passed_on_;
    absl::Status status = sink_(SkinnedPrimOf(item));
    failed_ = !status.ok();
    if (failed_) return status;
  }
  return absl::OkStatus();
}

Outcome SkinnedDelivery::Finish(absl::Status status) const {
  if (passed_on_ == 0) return {std::move(status)};
  const bool repeatable = !failed_ && !snapshot_.empty();
  return {std::move(status),
          repeatable ? Outcome::Received::kRepeatable : Outcome::Received::kFinal};
}

}  // namespace stagedoor::sdk

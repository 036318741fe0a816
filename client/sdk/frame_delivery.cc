#include "client/sdk/frame_delivery.h"

#include "base/status.h"

namespace stagedoor::sdk {

void FrameDelivery::Begin(v1::StageRef stage, v1::ExtractFrameRequest* request) {
  token_.clear();
  if (begun()) stage.set_snapshot(snapshot_);
  if (complete_) request->clear_base_token();  // nothing of that frame is left
  *request->mutable_stage() = std::move(stage);
}

absl::Status FrameDelivery::Take(const v1::ExtractFrameResponse& message) {
  if (message.has_header()) snapshot_ = message.header().snapshot();
  if (!begun()) {
    failed_ = true;
    return DataLossError("the daemon's reply is inconsistent: a frame has no header");
  }
  FrameChanges changes;
  absl::Status status = contents_.Apply(message, &changes);
  complete_ |= changes.complete;
  token_ = message.token();
  if (!token_.empty() && status.ok()) contents_.DropUnused();
  if (status.ok()) status = sink_(changes);
  failed_ = !status.ok();
  return status;
}

Outcome FrameDelivery::Finish(absl::Status status) {
  if (status.ok() && token_.empty()) {
    failed_ = true;
    status = DataLossError("the daemon's reply is inconsistent: the end of a frame is missing");
  }
  if (!begun()) return {std::move(status)};
  return {std::move(status), failed_ ? Outcome::Received::kFinal : Outcome::Received::kRepeatable};
}

}  // namespace stagedoor::sdk

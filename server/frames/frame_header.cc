#include "server/frames/frame_header.h"

#include <string>

#include "base/status_macros.h"
#include "scene/layer/field_keys.h"
#include "server/converters/reply_budget.h"
#include "server/queries/camera_fields.h"
#include "server/queries/prim_batch.h"
#include "server/queries/render_fields.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {
namespace {

// Writes the parts of a header that are compared: the camera and the settings.
class HeaderParts {
 public:
  HeaderParts(const FrameJob& job, FrameWriter& writer)
      : job_(job),
        writer_(writer),
        budget_(writer.context(), job.limits.max_item_bytes(), "use simpler settings") {}
  ~HeaderParts() { budget_.StartMessage(); }  // releases its memory

  absl::Status WriteCamera(v1::FrameHeader* out) {
    if (!job_.request->camera.valid()) return absl::OkStatus();
    v1::ComputeCamerasResponse camera;
    if (absl::Status filled = FillCamera(job_.times(), &camera); !filled.ok()) {
      return writer_.AddError(job_.request->camera.PathText(), filled);
    }
    if (job_.base) {
      v1::ComputeCamerasResponse before;
      const absl::Status filled = FillCamera(*job_.base, &before);
      if (filled.ok() && before.SerializeAsString() == camera.SerializeAsString()) {
        return absl::OkStatus();
      }
    }
    SD_ASSIGN_OR_RETURN(const bool wanted,
                        writer_.Wants(FramePart({.kind = FramePartKind::kCamera}, camera)));
    if (wanted && writer_.budget().Charge(camera.SpaceUsedLong())) {
      out->mutable_camera()->Swap(&camera);
    }
    return writer_.budget().status();
  }

  absl::Status WriteSettings(v1::FrameHeader* out) {
    if (job_.only_varying || !job_.request->settings.valid()) return absl::OkStatus();
    const std::string path = job_.request->settings.PathText();
    v1::RenderSettings settings;
    budget_.StartMessage();
    settings.set_path(budget_.Text(path));
    FillRenderSpec(*job_.request->settings_spec, budget_, &settings);
    if (!budget_.ok()) return writer_.AddError(path, budget_.status());
    SD_ASSIGN_OR_RETURN(const bool wanted,
                        writer_.Wants(FramePart({.kind = FramePartKind::kSettings}, settings)));
    if (wanted && writer_.budget().Charge(settings.SpaceUsedLong())) {
      out->mutable_settings()->Swap(&settings);
    }
    return writer_.budget().status();
  }

 private:
  absl::Status FillCamera(const FrameTimes& times, v1::ComputeCamerasResponse* out) {
    PrimBatch batch;
    batch.prims = {job_.request->camera};
    batch.failures.resize(1);
    batch.times = {times.frame};
    const CameraView view{
        .motion = times.policy, .max_samples = job_.limits.max_items, .executor = job_.executor};
    budget_.StartMessage();
    SD_RETURN_IF_ERROR(FillCameras(writer_.context(), batch, view, budget_, out));
    if (out->samples().times_size() < 2) {
      out->clear_samples();
    } else {
      writer_.ShiftTimes(out->mutable_samples()->mutable_times());
    }
    return writer_.context().Check();
  }

  const FrameJob& job_;
  FrameWriter& writer_;
  ReplyBudget budget_;  // without chunks, as in the calls about cameras and settings
};

std::string PathOrNone(const Prim& prim) { return prim.valid() ? prim.PathText() : std::string(); }

}  // namespace

absl::Status WriteFrameHeader(const FrameJob& job, bool complete, FrameWriter& writer) {
  const FrameRequest& request = *job.request;
  ReplyBudget& budget = writer.budget();
  budget.StartItem();
  v1::FrameHeader* out = writer.out().mutable_header();
  out->set_snapshot(budget.Text(request.leased.snapshot->fingerprint()));
  out->set_complete(complete);
  if (!job.frame().is_default()) out->set_time(job.frame().value());
  out->set_camera_path(budget.Text(PathOrNone(request.camera)));
  out->set_settings_path(budget.Text(PathOrNone(request.settings)));
  if (job.planning == nullptr) out->set_prim_count(job.plan->prims.size());
  const Value meters = request.stage().Metadata(Fields().metersPerUnit);
  if (const auto* number = meters.Get<double>()) out->set_meters_per_unit(*number);
  out->set_time_codes_per_second(request.stage().time_codes_per_second());
  const Value axis = request.stage().Metadata(Fields().upAxis);
  if (const auto* token = axis.Get<Token>()) out->set_up_axis(budget.Text(token->text()));
  HeaderParts parts(job, writer);
  SD_RETURN_IF_ERROR(parts.WriteCamera(out));
  SD_RETURN_IF_ERROR(parts.WriteSettings(out));
  return budget.status();
}

}  // namespace stagedoor::server

#include "server/handlers/camera_handler.h"

#include <string_view>

#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "server/converters/reply_budget.h"
#include "server/queries/camera_fields.h"
#include "server/queries/camera_fit.h"
#include "server/queries/motion_samples.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerCameras = "request fewer paths or times";

}  // namespace

absl::Status ComputeCameras(const QueryState& state, RequestContext& context,
                            const v1::ComputeCamerasRequest& request,
                            v1::ComputeCamerasResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_RETURN_IF_ERROR(CheckAspectRatio(request.aspect_ratio()));
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  SD_ASSIGN_OR_RETURN(const auto motion, ParseSamplePolicyOf(request, batch.times));
  SD_RETURN_IF_ERROR(batch.KeepType(context, Geom().Camera));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerCameras);
  batch.FillErrors(budget, response->mutable_path_errors());
  const CameraView view{
      .conform = ParseConformPolicy(request.conform_policy(), request.aspect_ratio()),
      .aspect_ratio = request.aspect_ratio(),
      .motion = motion,
      .with_sources = request.sample_policy().with_sources(),
      .max_samples = state.limits.max_items,
      .executor = state.stages.environment().executor};
  SD_RETURN_IF_ERROR(FillCameras(context, batch, view, budget, response));
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server

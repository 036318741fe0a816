#include "server/handlers/volume_handler.h"

#include <string_view>

#include "base/status_macros.h"
#include "scene/render/render_tokens.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "server/queries/volume_fields.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerVolumes = "request fewer paths or times";

}  // namespace

absl::Status ComputeVolumeFields(const QueryState& state, RequestContext& context,
                                 const v1::ComputeVolumeFieldsRequest& request,
                                 v1::ComputeVolumeFieldsResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  SD_RETURN_IF_ERROR(batch.KeepType(context, Render().Volume));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerVolumes);
  batch.FillErrors(budget, response->mutable_path_errors());
  for (const Prim& prim : batch.prims) {
    if (!budget.ok()) break;
    v1::Volume* out = budget.Add(response->mutable_volumes());
    if (prim.valid()) FillVolumeFields(prim, batch.times, budget, out->mutable_fields());
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server

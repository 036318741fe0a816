#include "server/handlers/volume_handler.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/render/render_tokens.h"
#include "scene/render/volume_fields.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerVolumes = "request fewer paths or times";
constexpr int64_t kStepsPerFieldSample = 16;

void FillFieldSample(const VolumeFieldSample& sample, ReplyBudget& budget,
                     v1::VolumeFieldSample* out) {
  if (!sample.file.authored.empty()) {
    out->mutable_file()->set_authored(budget.Text(sample.file.authored));
    out->mutable_file()->set_evaluated(budget.Text(sample.file.evaluated));
    out->mutable_file()->set_resolved(budget.Text(sample.file.resolved));
  }
  out->set_field_name(budget.Text(sample.name.text()));
  if (sample.index) out->set_field_index(*sample.index);
  out->set_field_data_type(budget.Text(sample.data_type.text()));
  out->set_vector_data_role_hint(budget.Text(sample.vector_data_role_hint.text()));
  out->set_field_class(budget.Text(sample.field_class.text()));
  out->set_field_purpose(budget.Text(sample.field_purpose.text()));
}

// A single sample if it is the same at all times.
void FillFieldSamples(const Prim& prim, const std::vector<TimeCode>& times, ReplyBudget& budget,
                      v1::VolumeField* out) {
  RequestContext& context = budget.context();
  const VolumeFieldQuery query(context, prim);
  const auto is_default = [](TimeCode time) { return time.is_default(); };
  const bool same = query.is_steady() && std::none_of(times.begin(), times.end(), is_default);
  const size_t count = same ? std::min<size_t>(times.size(), 1) : times.size();
  Pacer pacer(context);
  for (size_t i = 0; i < count && budget.ok() && pacer.Go(kStepsPerFieldSample); ++i) {
    FillFieldSample(query.At(context, times[i]), budget, budget.Add(out->mutable_samples()));
  }
}

void FillVolume(const Prim& volume, const std::vector<TimeCode>& times, ReplyBudget& budget,
                v1::Volume* out) {
  for (const VolumeField& field : VolumeFieldsOf(budget.context(), volume)) {
    if (!budget.ok()) return;
    v1::VolumeField* to = budget.Add(out->mutable_fields());
    to->set_name(budget.Text(field.name.text()));
    to->set_path(budget.Text(field.path.ToString()));
    const Prim prim = volume.stage().FindPrim(field.path);
    if (!prim.valid()) continue;
    to->set_type_name(budget.Text(prim.type_name().text()));
    FillFieldSamples(prim, times, budget, to);
  }
}

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
    if (prim.valid()) FillVolume(prim, batch.times, budget, out);
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server

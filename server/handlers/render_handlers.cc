#include "server/handlers/render_handlers.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/render/render_pass.h"
#include "scene/render/render_spec.h"
#include "scene/render/render_tokens.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "server/queries/render_fields.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxNamespaces = 100;
constexpr std::string_view kFewerSettings = "request fewer settings or namespaces";
constexpr std::string_view kFewerPasses = "request fewer passes, namespaces or paths";

using Strings = google::protobuf::RepeatedPtrField<std::string>;

absl::StatusOr<std::vector<std::string>> ParseNamespaces(const Strings& namespaces) {
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(namespaces.size()), kMaxNamespaces, "namespaces"));
  return std::vector<std::string>(namespaces.begin(), namespaces.end());
}

// Finds the prims of the request that are RenderSettings, or those of the stage.
absl::Status FindSettings(const QueryState& state, RequestContext& context,
                          const v1::ComputeRenderSettingsRequest& request, PrimBatch* batch) {
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, /*columns=*/1, batch));
  SD_RETURN_IF_ERROR(batch->KeepType(context, Render().RenderSettings));
  if (!request.paths().empty()) return absl::OkStatus();
  const Prim of_stage = StageRenderSettings(context, batch->leased.stage());
  if (of_stage.valid()) batch->prims.push_back(of_stage);
  return absl::OkStatus();
}

// The prims of the request, which must be RenderPass prims, or those of the stage.
absl::StatusOr<std::vector<Prim>> FindPasses(const QueryState& state, RequestContext& context,
                                             const Stage& stage,
                                             const v1::ComputeRenderPassesRequest& request) {
  if (request.passes().empty()) return ListRenderPasses(context, stage);
  const auto count = static_cast<size_t>(request.passes_size());
  SD_RETURN_IF_ERROR(CheckCount(count, state.limits.max_paths, "passes"));
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(Prim), "render passes"));
  std::vector<Prim> passes;
  Pacer pacer(context);
  for (const std::string& path : request.passes()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    SD_ASSIGN_OR_RETURN(const Prim pass, LookUpPrim(stage, path));
    if (!pass.IsA(Render().RenderPass)) return WrongType(pass, Render().RenderPass);
    passes.push_back(pass);
  }
  return passes;
}

void FillPassMembers(const Prim& pass, const std::vector<Prim>& prims, ReplyBudget& budget,
                     std::string* out) {
  if (prims.empty() || !budget.Charge(prims.size())) return;
  RenderPassMembership membership(budget.context(), pass);
  for (const Prim& prim : prims) {
    out->push_back(static_cast<char>(prim.valid() ? membership.Find(prim.path()) : 0));
  }
}

void FillPass(const Prim& prim, const std::vector<std::string>& namespaces, ReplyBudget& budget,
              v1::RenderPass* out) {
  RequestContext& context = budget.context();
  const RenderPass pass = ReadRenderPass(context, prim);
  out->set_path(budget.Text(prim.PathText()));
  out->set_type(budget.Text(pass.type.text()));
  for (const std::string& word : pass.command) {
    if (!budget.ok()) return;
    budget.AddText(word, out->mutable_command());
  }
  if (!pass.file_name.authored.empty()) {
    out->mutable_file_name()->set_authored(budget.Text(pass.file_name.authored));
    out->mutable_file_name()->set_evaluated(budget.Text(pass.file_name.evaluated));
    out->mutable_file_name()->set_resolved(budget.Text(pass.file_name.resolved));
  }
  AddTargets(pass.sources, budget, out->mutable_sources());
  AddTargets(pass.inputs, budget, out->mutable_input_passes());
  FillSettings(ComputeNamespacedSettings(context, prim, namespaces), budget,
               out->mutable_settings());
}

}  // namespace

absl::Status ComputeRenderSettings(const QueryState& state, RequestContext& context,
                                   const v1::ComputeRenderSettingsRequest& request,
                                   v1::ComputeRenderSettingsResponse* response) {
  // Parse.
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> namespaces,
                      ParseNamespaces(request.namespaces()));
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(FindSettings(state, context, request, &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerSettings);
  batch.FillErrors(budget, response->mutable_path_errors());
  const Value of_stage =
      batch.leased.stage().PseudoRoot().Metadata(context, Render().renderSettingsPrimPath);
  if (const auto* path = of_stage.Get<std::string>()) {
    response->set_stage_settings(budget.Text(*path));
  }
  for (const Prim& prim : batch.prims) {
    if (!budget.ok()) break;
    v1::RenderSettings* out = budget.Add(response->mutable_settings());
    if (!prim.valid()) continue;
    out->set_path(budget.Text(prim.PathText()));
    FillRenderSpec(ComputeRenderSpec(context, prim, namespaces), budget, out);
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

absl::Status ComputeRenderPasses(const QueryState& state, RequestContext& context,
                                 const v1::ComputeRenderPassesRequest& request,
                                 v1::ComputeRenderPassesResponse* response) {
  // Parse.
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> namespaces,
                      ParseNamespaces(request.namespaces()));
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const std::vector<Prim> passes,
                      FindPasses(state, context, batch.leased.stage(), request));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, passes.size(), &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  response->set_path_count(static_cast<uint32_t>(batch.prims.size()));
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerPasses);
  batch.FillErrors(budget, response->mutable_path_errors());
  for (const Prim& pass : passes) {
    if (!budget.ok()) break;
    v1::RenderPass* out = budget.Add(response->mutable_passes());
    FillPass(pass, namespaces, budget, out);
    FillPassMembers(pass, batch.prims, budget, out->mutable_members());
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server

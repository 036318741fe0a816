#include "server/handlers/statistics_handler.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/stage/stage_statistics.h"
#include "server/converters/reply_budget.h"
#include "server/queries/find_roots.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

void FillCounts(const PrimCounts& counts, ReplyBudget& budget, v1::PrimCounts* out) {
  out->set_total(counts.total);
  out->set_active(counts.active);
  out->set_inactive(counts.inactive);
  out->set_pure_over(counts.pure_over);
  out->set_instance(counts.instance);
  out->set_payload(counts.payload);
  out->set_unloaded_payload(counts.unloaded_payload);
  using Entry = std::pair<std::string_view, uint64_t>;
  if (!budget.Charge(counts.types.size() * sizeof(Entry))) return;
  std::vector<Entry> types;
  types.reserve(counts.types.size());
  for (const auto& [type, count] : counts.types) types.emplace_back(type.text(), count);
  std::sort(types.begin(), types.end());
  for (const auto& [type, count] : types) {
    if (!budget.ok()) return;
    v1::TypeCount* entry = budget.Add(out->mutable_types());
    entry->set_type_name(budget.Text(type));
    entry->set_count(count);
  }
}

}  // namespace

absl::Status ComputeStageStatistics(const QueryState& state, RequestContext& context,
                                    const v1::ComputeStageStatisticsRequest& request,
                                    v1::ComputeStageStatisticsResponse* response) {
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const std::vector<Prim> roots,
                      FindRoots(context, leased.stage(), request.roots(), state.limits.max_paths));
  // Call the engine.
  SD_ASSIGN_OR_RETURN(const StageStatistics found,
                      stagedoor::ComputeStageStatistics(context, leased.stage(), roots));
  // Fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  response->set_used_layer_count(found.used_layers);
  response->set_model_count(found.models);
  response->set_instanced_model_count(found.instanced_models);
  response->set_asset_count(found.assets);
  response->set_prototype_count(found.prototypes);
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request fewer roots");
  FillCounts(found.primary, budget, response->mutable_primary());
  FillCounts(found.prototyped, budget, response->mutable_prototypes());
  SD_RETURN_IF_ERROR(budget.status());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckKnownChanges();
}

}  // namespace stagedoor::server

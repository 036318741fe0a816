#include "server/handlers/explain_handler.h"

#include <string>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/interpolation.h"
#include "scene/values/value_block.h"
#include "server/converters/item_state.h"
#include "server/converters/prim_converter.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

// The most elements of an array in the value of an opinion.
constexpr size_t kShownElements = 16;

void FillOpinion(const StackOpinion& opinion, ReplyBudget& budget, v1::Opinion* out) {
  uint64_t count;
  out->set_source(ToProto(opinion.kind));
  budget.Charge(sizeof(v1::Value));
  FillValue(FirstElements(opinion.value, kShownElements, &count), budget, out->mutable_value());
  out->set_element_count(count);
}

void ExplainAt(ReplyBudget& budget, const AttributeQuery& query, TimeCode time,
               Interpolation interpolation, v1::Explanation* out) {
  RequestContext& context = budget.context();
  budget.Charge(sizeof(v1::TimeCode) + sizeof(v1::Value));
  FillTimeCode(time, out->mutable_time());
  const Value value = query.Get(context, time, interpolation);
  const Explanation explanation = Explain(context, query.attribute().Site(), time);
  const bool blocked = StateOf(value, query.SourceFor(time)) == v1::ITEM_STATE_BLOCKED;
  FillValue(blocked ? Value(ValueBlock()) : value, budget, out->mutable_value());
  out->set_source(ToProto(explanation.kind));
  for (const PropertyStackEntry& entry : explanation.stack) {
    if (!budget.ok()) return;
    FillPropertyStackEntry(entry, budget, budget.Add(out->mutable_stack()));
    FillOpinion(OpinionOf(context, entry, time, interpolation), budget,
                budget.Add(out->mutable_opinions()));
  }
  if (explanation.answering >= 0) {
    const auto answering = static_cast<size_t>(explanation.answering);
    budget.Charge(sizeof(v1::Site));
    FillPropertyStackEntry(explanation.stack[answering], budget, out->mutable_site());
  }
  if (explanation.local_time) out->set_layer_time(*explanation.local_time);
  if (explanation.bracket.has_value()) {
    const auto [lower, upper] = *explanation.bracket;
    out->set_lower_sample(lower);
    out->set_upper_sample(upper);
    out->set_interpolated(interpolation == Interpolation::kLinear && lower < time.value() &&
                          time.value() < upper &&
                          CanInterpolate(query.Get(context, TimeCode::At(lower)),
                                         query.Get(context, TimeCode::At(upper))));
  }
  for (const std::string& line : explanation.lines) budget.AddText(line, out->mutable_notes());
}

}  // namespace

absl::Status Explain(const QueryState& state, RequestContext& context,
                     const v1::ExplainRequest& request, v1::ExplainResponse* response) {
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request fewer times");
  if (request.path().find('.') == std::string::npos) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(leased.stage(), request.path()));
    FillPrimStack(prim, budget, response->mutable_prim_stack());
    SD_RETURN_IF_ERROR(budget.status());
    return leased.CheckKnownChanges();
  }
  SD_ASSIGN_OR_RETURN(const auto query, leased.snapshot->FindAttribute(context, request.path()));
  SD_ASSIGN_OR_RETURN(const std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_page_size));
  FillPrimStack(query->attribute().prim(), budget, response->mutable_prim_stack());
  const Interpolation interpolation =
      ParseInterpolation(request.interpolation(), leased.session->interpolation());
  for (const TimeCode time : times) {
    SD_RETURN_IF_ERROR(context.Check());
    v1::Explanation* out = budget.Add(response->mutable_explanations());
    ExplainAt(budget, *query, time, interpolation, out);
    if (!budget.ok()) return budget.status();
  }
  budget.AddWarnings(response->mutable_warnings());
  SD_RETURN_IF_ERROR(budget.status());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server

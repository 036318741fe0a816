#include <string>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/converters/prim_converter.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/converters/wire_text.h"
#include "server/handlers/value_handlers.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor {
namespace {

void ExplainAt(RequestContext& context, const CompiledAttribute& attribute, Time time,
               Interpolation interpolation, v1::Explanation* out) {
  FillTimeCode(time, out->mutable_time());
  const Value value =
      attribute.attribute.Get(context, attribute.SourceFor(time), time, interpolation);
  FillValue(value, out->mutable_value());
  const Explanation explanation = Explain(context, attribute.attribute.Site(), time);
  if (value.empty() && explanation.blocked) out->mutable_value()->mutable_block();
  out->set_source(ToWire(explanation.kind));
  for (const StackEntry& entry : explanation.stack) FillStackEntry(entry, out->add_stack());
  if (explanation.answering >= 0) *out->mutable_site() = out->stack(explanation.answering);
  out->set_layer_time(explanation.local_time.value_or(0));
  if (explanation.bracket.has_value()) {
    const auto [lower, upper] = *explanation.bracket;
    out->set_has_samples(true);
    out->set_lower_sample(lower);
    out->set_upper_sample(upper);
    out->set_interpolated(interpolation == Interpolation::kLinear && lower < time.value() &&
                          time.value() < upper);
  }
  for (const std::string& line : explanation.lines) out->add_notes(WireText(line));
}

}  // namespace

absl::Status Explain(ServerState& state, RequestContext& context, const v1::ExplainRequest& request,
                     v1::ExplainResponse* response) {
  SD_ASSIGN_OR_RETURN(const StageUse use, UseStage(state, request.stage()));
  response->set_snapshot(use.snapshot->number());
  if (request.path().find('.') == std::string::npos) {
    SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(use.stage(), request.path()));
    FillPrimStack(prim, response->mutable_prim_stack());
    return use.CheckKnown();
  }
  SD_ASSIGN_OR_RETURN(const auto attribute, use.snapshot->FindAttribute(context, request.path()));
  SD_ASSIGN_OR_RETURN(const std::vector<Time> times,
                      ParseTimes(request.times(), state.limits.max_page_size));
  FillPrimStack(attribute->attribute.prim(), response->mutable_prim_stack());
  const Interpolation interpolation =
      ParseInterpolation(request.interpolation(), use.session->interpolation());
  for (const Time time : times) {
    SD_RETURN_IF_ERROR(context.Check());
    ExplainAt(context, *attribute, time, interpolation, response->add_explanations());
  }
  return use.CheckKnown();
}

}  // namespace stagedoor

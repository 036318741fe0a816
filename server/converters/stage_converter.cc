#include "server/converters/stage_converter.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/composition/layer_stack.h"
#include "scene/layer/field_keys.h"
#include "server/converters/prim_converter.h"

namespace stagedoor::server {

namespace {

// The session layer as the request named it; if it was given as text, its internal identifier.
std::string_view SessionLayerOf(const Stage& stage) {
  if (!stage.options().session.empty()) return stage.options().session;
  for (const LayerStack::Entry& entry : stage.root_layer_stack().layers()) {
    if (entry.session) return entry.layer->identifier();
  }
  return {};
}

v1::Interpolation InterpolationToProto(Interpolation interpolation) {
  return interpolation == Interpolation::kHeld ? v1::INTERPOLATION_HELD : v1::INTERPOLATION_LINEAR;
}

v1::ChangePolicy ChangePolicyToProto(ChangePolicy policy) {
  switch (policy) {
    case ChangePolicy::kFixed:
      return v1::CHANGE_POLICY_FIXED;
    case ChangePolicy::kFollow:
      return v1::CHANGE_POLICY_FOLLOW;
    case ChangePolicy::kOnOpen:
      break;
  }
  return v1::CHANGE_POLICY_ON_OPEN;
}

// Whether the stage has authored metadata of one of these names.
bool IsAnyAuthored(const Stage& stage, std::initializer_list<Token> names) {
  const Prim root = stage.PseudoRoot();
  return std::any_of(names.begin(), names.end(),
                     [&](Token name) { return root.HasAuthoredMetadata(name); });
}

}  // namespace

void FillStage(const StageSnapshot& snapshot, ReplyBudget& budget, v1::Stage* out) {
  budget.Charge(sizeof(v1::Stage));
  const Stage& stage = snapshot.stage();
  out->set_id(Concat(snapshot.number()));
  out->set_snapshot(snapshot.fingerprint());
  out->set_lease_count(snapshot.holders());
  out->set_root_layer(budget.Text(stage.options().root));
  out->set_session_layer(budget.Text(SessionLayerOf(stage)));
  if (const Prim prim = stage.DefaultPrim(); prim.valid()) {
    out->set_default_prim(budget.Text(prim.path().ToString()));
  }
  const FieldKeys& fields = Fields();
  if (IsAnyAuthored(stage, {fields.startTimeCode, fields.startFrame})) {
    out->set_start_time_code(stage.start_time_code());
  }
  if (IsAnyAuthored(stage, {fields.endTimeCode, fields.endFrame})) {
    out->set_end_time_code(stage.end_time_code());
  }
  out->set_time_codes_per_second(stage.time_codes_per_second());
  out->set_frames_per_second(stage.frames_per_second());
  out->set_interpolation(InterpolationToProto(stage.interpolation()));
  const Value meters = stage.Metadata(Fields().metersPerUnit);
  if (const auto* number = meters.Get<double>()) out->set_meters_per_unit(*number);
  const Value axis = stage.Metadata(Fields().upAxis);
  if (const auto* token = axis.Get<Token>()) out->set_up_axis(budget.Text(token->text()));
}

void FillSession(const StageSession& session, v1::Stage* out) {
  out->set_interpolation(InterpolationToProto(session.interpolation()));
  out->set_session(session.name());
  out->set_change_policy(ChangePolicyToProto(session.policy()));
}

void FillStageMetadata(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  FillPrimMetadata(stage.PseudoRoot(), budget, out->mutable_metadata());
}

void FillUsedLayers(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  std::set<std::string> names;
  for (const std::shared_ptr<const Layer>& layer : stage.UsedLayers()) {
    if (!layer->info().anonymous) names.insert(CoerceToUtf8(layer->identifier()));
  }
  for (const std::string& name : names) budget.AddText(name, out->mutable_used_layers());
}

void FillCompositionErrors(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  stage.VisitErrors([&](const CompositionError& error) {
    v1::CompositionError* added = budget.Add(out->mutable_composition_errors());
    added->set_type(budget.Text(CompositionErrorName(error.type)));
    if (!error.path.empty()) added->set_prim_path(budget.Text(error.path.ToString()));
    added->set_message(budget.Text(error.message));
    return budget.ok();
  });
}

}  // namespace stagedoor::server

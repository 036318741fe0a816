#include "server/converters/stage_converter.h"

#include <set>
#include <string>

#include "scene/layer/fields.h"
#include "server/converters/prim_converter.h"
#include "server/converters/wire_text.h"

namespace stagedoor {

void FillStage(const StageSnapshot& snapshot, const StageSession& session, ReplyBudget& budget,
               v1::Stage* out) {
  budget.Charge(sizeof(v1::Stage));
  const Stage& stage = snapshot.stage();
  out->set_snapshot(snapshot.number());
  out->set_root_layer(budget.Text(stage.options().root));
  const StageRecipe recipe = session.recipe();
  out->set_session_layer(recipe.session_content.empty() ? budget.Text(recipe.options.session)
                                                        : "anon:session.usda");
  if (const Prim prim = stage.DefaultPrim(); prim.valid()) {
    out->set_default_prim(budget.Text(prim.path().ToString()));
  }
  out->set_start_time_code(stage.start_time_code());
  out->set_end_time_code(stage.end_time_code());
  out->set_time_codes_per_second(stage.time_codes_per_second());
  out->set_frames_per_second(stage.frames_per_second());
  const Prim root = stage.PseudoRoot();
  out->set_has_authored_time_code_range(root.HasAuthoredMetadata(Fields().startTimeCode) &&
                                        root.HasAuthoredMetadata(Fields().endTimeCode));
  out->set_interpolation(session.interpolation() == Interpolation::kHeld
                             ? v1::INTERPOLATION_HELD
                             : v1::INTERPOLATION_LINEAR);
}

void FillStageMetadata(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  FillPrimMetadata(stage.PseudoRoot(), budget, out->mutable_metadata());
}

void FillUsedLayers(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  std::set<std::string> names;
  for (const std::shared_ptr<const Layer>& layer : stage.UsedLayers()) {
    if (!layer->info().anonymous) names.insert(WireText(layer->identifier()));
  }
  for (const std::string& name : names) budget.AddText(name, out->mutable_used_layers());
}

void FillCompositionErrors(const Stage& stage, ReplyBudget& budget, v1::Stage* out) {
  for (const CompositionError& error : stage.Errors()) {
    if (!budget.ok()) return;
    v1::CompositionError* added = budget.Add(out->mutable_composition_errors());
    added->set_type(budget.Text(CompositionErrorName(error.type)));
    if (!error.path.empty()) added->set_prim_path(budget.Text(error.path.ToString()));
    added->set_message(budget.Text(error.message));
  }
}

}  // namespace stagedoor

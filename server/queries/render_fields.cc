#include "server/queries/render_fields.h"

#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"

namespace stagedoor::server {
namespace {

void FillProduct(const RenderProduct& product, ReplyBudget& budget, v1::RenderProduct* out) {
  out->set_path(budget.Text(product.path.ToString()));
  out->set_type(budget.Text(product.type.text()));
  out->set_name(budget.Text(product.name.text()));
  out->set_camera(budget.Text(product.camera.ToString()));
  out->set_width(product.resolution[0]);
  out->set_height(product.resolution[1]);
  out->set_pixel_aspect_ratio(product.pixel_aspect_ratio);
  out->set_aspect_ratio_conform_policy(budget.Text(product.aspect_ratio_conform_policy.text()));
  out->set_horizontal_aperture(product.aperture[0]);
  out->set_vertical_aperture(product.aperture[1]);
  out->set_disable_motion_blur(product.disable_motion_blur);
  out->set_disable_depth_of_field(product.disable_depth_of_field);
  out->set_instantaneous_shutter(product.instantaneous_shutter);
  constexpr size_t kCorners = 4;
  if (!budget.Charge(kCorners * sizeof(float) + product.vars.size() * sizeof(uint32_t))) return;
  for (size_t i = 0; i < kCorners; ++i) out->add_data_window(product.data_window[i]);
  out->mutable_vars()->Add(product.vars.begin(), product.vars.end());
  FillSettings(product.settings, budget, out->mutable_settings());
}

void FillVar(const RenderVar& var, ReplyBudget& budget, v1::RenderVar* out) {
  out->set_path(budget.Text(var.path.ToString()));
  out->set_data_type(budget.Text(var.data_type.text()));
  out->set_source_name(budget.Text(var.source_name));
  out->set_source_type(budget.Text(var.source_type.text()));
  FillSettings(var.settings, budget, out->mutable_settings());
}

v1::RenderProblem::Reason ProblemReasonToProto(RenderProblem::Reason reason) {
  switch (reason) {
    case RenderProblem::Reason::kNoProduct:
      return v1::RenderProblem::REASON_NO_PRODUCT;
    case RenderProblem::Reason::kNoCamera:
      return v1::RenderProblem::REASON_NO_CAMERA;
    case RenderProblem::Reason::kNoVar:
      break;
  }
  return v1::RenderProblem::REASON_NO_VAR;
}

}  // namespace

void AddTargets(const std::vector<Path>& paths, ReplyBudget& budget,
                google::protobuf::RepeatedPtrField<std::string>* out) {
  for (const Path path : paths) {
    if (!budget.ok()) return;
    budget.AddText(path.ToString(), out);
  }
}

void FillSettings(const std::vector<NamespacedSetting>& settings, ReplyBudget& budget,
                  google::protobuf::RepeatedPtrField<v1::Field>* out) {
  for (const NamespacedSetting& setting : settings) {
    if (!budget.ok()) return;
    v1::Field* field = budget.Add(out);
    field->set_name(budget.Text(setting.name.text()));
    FillValue(setting.value, budget, field->mutable_value());
  }
}

void FillRenderSpec(const RenderSpec& spec, ReplyBudget& budget, v1::RenderSettings* out) {
  FillProduct(spec.defaults, budget, out->mutable_defaults());
  for (const RenderProduct& product : spec.products) {
    if (!budget.ok()) return;
    FillProduct(product, budget, budget.Add(out->mutable_products()));
  }
  for (const RenderVar& var : spec.vars) {
    if (!budget.ok()) return;
    FillVar(var, budget, budget.Add(out->mutable_vars()));
  }
  budget.AddTokens(spec.included_purposes.span(), out->mutable_included_purposes());
  budget.AddTokens(spec.material_binding_purposes.span(), out->mutable_material_binding_purposes());
  out->set_rendering_color_space(budget.Text(spec.rendering_color_space.text()));
  FillSettings(spec.settings, budget, out->mutable_settings());
  for (const RenderProblem& problem : spec.problems) {
    if (!budget.ok()) return;
    v1::RenderProblem* to = budget.Add(out->mutable_problems());
    to->set_reason(ProblemReasonToProto(problem.reason));
    to->set_prim(budget.Text(problem.prim.ToString()));
    if (!problem.target.empty()) to->set_target(budget.Text(problem.target.ToString()));
  }
}

}  // namespace stagedoor::server

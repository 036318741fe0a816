#include "server/handlers/model_handler.h"

#include <cstring>
#include <optional>
#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/model.h"
#include "scene/geom/xform_batch.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

// Steps of one prim, which reads some ten attributes.
constexpr int64_t kStepsPerModel = 32;

void FillCardTextures(RequestContext& context, const Prim& prim, ReplyBudget& budget,
                      v1::Model* out) {
  static constexpr std::string_view kFaces[] = {"XPos", "YPos", "ZPos", "XNeg", "YNeg", "ZNeg"};
  for (const std::string_view face : kFaces) {
    // A name that is not interned is not that of an attribute.
    const auto name = Token::Find(Concat("model:cardTexture", face));
    const Value texture =
        name ? AttributeValue(context, prim, *name, TimeCode::Default()) : Value();
    if (texture.empty() || !budget.ok()) continue;
    v1::CardTexture* card = budget.Add(out->mutable_card_textures());
    card->set_face(budget.Text(face));
    budget.Charge(sizeof(v1::Value));
    FillValue(texture, budget, card->mutable_texture());
  }
}

void FillDrawMode(RequestContext& context, const Prim& prim, ReplyBudget& budget, v1::Model* out) {
  constexpr TimeCode kAlways = TimeCode::Default();
  out->set_draw_mode(budget.Text(ComputeModelDrawMode(context, prim).text()));
  out->set_is_model(prim.IsModel());
  out->set_apply_draw_mode(
      AttributeValueAs<bool>(context, prim, GeomModel().apply_draw_mode, kAlways).value_or(false));
  const auto color = AttributeValueAs<Vec3f>(context, prim, GeomModel().draw_mode_color, kAlways);
  if (color && budget.Charge(sizeof(*color))) {
    for (const float component : color->v) out->add_draw_mode_color(component);
  }
  const auto cards = AttributeValueAs<Token>(context, prim, GeomModel().card_geometry, kAlways);
  if (cards) out->set_card_geometry(budget.Text(cards->text()));
  FillCardTextures(context, prim, budget, out);
}

// Fills the targets of the prim of a batch.
absl::Status FillTargets(RequestContext& context, const PrimBatch& batch, size_t index,
                         const XformBatch& xforms, ReplyBudget& budget, v1::Model* out) {
  constexpr std::string_view kNamespace = "constraintTargets:";
  Pacer pacer(context);
  for (const ConstraintTarget& target : FindConstraintTargets(context, batch.prims[index])) {
    v1::ConstraintTarget* filled = budget.Add(out->mutable_constraint_targets());
    std::string_view name = target.attribute.name().text();
    name.remove_prefix(kNamespace.size());
    filled->set_name(budget.Text(name));
    filled->set_identifier(budget.Text(target.identifier));
    char* matrices = FillPackedZeros(PackingOf(ValueType::kMatrix4d), batch.times.size(), budget,
                                     filled->mutable_local_to_world());
    if (!budget.ok()) return budget.status();
    for (size_t t = 0; t < batch.times.size(); ++t) {
      SD_RETURN_IF_ERROR(pacer.Step(kStepsPerModel));
      const std::optional<Matrix4d> world = ComputeInWorldSpace(
          context, target, batch.times[t], xforms.world[batch.ItemIndex(index, t)]);
      if (world) std::memcpy(matrices + t * sizeof(*world), &world->m[0][0], sizeof(*world));
    }
  }
  return context.Check();
}

}  // namespace

absl::Status ComputeModels(const QueryState& state, RequestContext& context,
                           const v1::ComputeModelsRequest& request,
                           v1::ComputeModelsResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(const PrimBatch batch, ParsePrimBatch(state, context, request));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request fewer paths or times");
  batch.FillErrors(budget, response->mutable_path_errors());
  std::optional<XformBatch> xforms;
  if (request.with_constraint_targets()) {
    SD_RETURN_IF_ERROR(context.Reserve(batch.item_count() * sizeof(Matrix4d), "transforms"));
    SD_ASSIGN_OR_RETURN(xforms,
                        ComputeXforms(context, batch.prims, batch.times,
                                      /*with_local=*/false, state.stages.environment().executor));
  }
  Pacer pacer(context);
  for (size_t i = 0; i < batch.prims.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerModel));
    if (!budget.ok()) return budget.status();
    v1::Model* model = budget.Add(response->mutable_models());
    if (!batch.prims[i].valid()) continue;
    FillDrawMode(context, batch.prims[i], budget, model);
    if (!xforms) continue;
    SD_RETURN_IF_ERROR(FillTargets(context, batch, i, *xforms, budget, model));
  }
  SD_RETURN_IF_ERROR(budget.status());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server

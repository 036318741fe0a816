#include "scene/geom/model.h"

#include <algorithm>
#include <string_view>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/matrix_math.h"
#include "scene/values/value.h"

namespace stagedoor {

const ModelTokens& GeomModel() {
  static const auto* tokens = new ModelTokens;
  return *tokens;
}

Token ComputeModelDrawMode(RequestContext& context, const Prim& prim) {
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!context.Spend(1).ok()) break;
    if (const auto mode = OwnDrawMode(context, at)) return *mode;
  }
  return Geom().default_;
}

std::optional<Token> OwnDrawMode(RequestContext& context, const Prim& prim) {
  if (!prim.IsModel()) return std::nullopt;
  auto mode = AttributeValueAs<Token>(context, prim, GeomModel().draw_mode, TimeCode::Default());
  if (mode && *mode == Geom().inherited) mode.reset();
  return mode;
}

bool AppliesDrawMode(RequestContext& context, const Prim& prim) {
  if (!prim.IsModel() || prim.IsPseudoRoot()) return false;
  if (prim.IsComponent()) return true;
  return AttributeValueAs<bool>(context, prim, GeomModel().apply_draw_mode, TimeCode::Default())
      .value_or(false);
}

std::vector<ConstraintTarget> FindConstraintTargets(RequestContext& context, const Prim& prim) {
  constexpr std::string_view kNamespace = "constraintTargets:";
  std::vector<ConstraintTarget> targets;
  if (prim.IsPseudoRoot() || !prim.IsModel()) return targets;
  Pacer pacer(context);
  for (const Token name : prim.PropertyNames()) {
    if (!pacer.Go()) break;
    if (!std::string_view(name.text()).starts_with(kNamespace)) continue;
    const Attribute attribute = prim.GetAttribute(name);
    if (!attribute.valid() || attribute.TypeName() != GeomModel().matrix4d) continue;
    const Value identifier = attribute.Metadata(context, GeomModel().constraint_target_identifier);
    const Token* token = identifier.Get<Token>();
    targets.push_back({attribute, std::string(token ? token->text() : std::string_view())});
  }
  std::sort(targets.begin(), targets.end(),
            [](const ConstraintTarget& a, const ConstraintTarget& b) {
              return a.attribute.name().text() < b.attribute.name().text();
            });
  return targets;
}

std::optional<Matrix4d> ComputeInWorldSpace(RequestContext& context, const ConstraintTarget& target,
                                            TimeCode time, const Matrix4d& local_to_world) {
  const auto local = TypedValue<Matrix4d>(context, target.attribute, time);
  if (!local) return std::nullopt;
  return *local * local_to_world;
}

}  // namespace stagedoor

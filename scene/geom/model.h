#ifndef STAGEDOOR_SCENE_GEOM_MODEL_H_
#define STAGEDOOR_SCENE_GEOM_MODEL_H_

#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// How models are drawn in place of their geometry, and what other prims are constrained to them by.
// Corresponds to OpenUSD's UsdGeomModelAPI and UsdGeomConstraintTarget. Thread-safe.

// The names of attributes and metadata.
struct ModelTokens {
  const Token draw_mode{"model:drawMode"};
  const Token apply_draw_mode{"model:applyDrawMode"};
  const Token draw_mode_color{"model:drawModeColor"};
  const Token card_geometry{"model:cardGeometry"};
  const Token constraint_target_identifier{"constraintTargetIdentifier"};
  const Token matrix4d{"matrix4d"};
};

const ModelTokens& GeomModel();

// The draw mode of the prim: that of the closest model, itself or an ancestor, which has another
// one than "inherited"; "default" if there is none. Any authored token is possible. Corresponds to
// OpenUSD's UsdGeomModelAPI::ComputeModelDrawMode.
Token ComputeModelDrawMode(RequestContext& context, const Prim& prim);

// The draw mode that the prim itself sets for the models at and below it; none if it is not a model
// or its mode is "inherited".
std::optional<Token> OwnDrawMode(RequestContext& context, const Prim& prim);
// Whether renderers draw the prim by its draw mode, if it has another one than "default": models of
// the kind component, and those whose model:applyDrawMode is true. As in OpenUSD's UsdImaging.
bool AppliesDrawMode(RequestContext& context, const Prim& prim);

// A matrix4d attribute in the namespace `constraintTargets` of a model.
struct ConstraintTarget {
  Attribute attribute;
  std::string identifier;  // the metadata constraintTargetIdentifier; may be empty
};

// The constraint targets of a prim, sorted by name; none if it is not a model. Corresponds to
// OpenUSD's UsdGeomModelAPI::GetConstraintTargets.
std::vector<ConstraintTarget> FindConstraintTargets(RequestContext& context, const Prim& prim);

// The matrix from the space of the target to world space; nothing if the target does not have a
// value at `time`. `local_to_world` is that of the model at that time. Corresponds to OpenUSD's
// UsdGeomConstraintTarget::ComputeInWorldSpace, which returns the identity in place of nothing.
std::optional<Matrix4d> ComputeInWorldSpace(RequestContext& context, const ConstraintTarget& target,
                                            TimeCode time, const Matrix4d& local_to_world);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_MODEL_H_

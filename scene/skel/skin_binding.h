// SkinBinding: what binds a prim to its skeleton (UsdSkelBindingAPI, inherited down namespace).
#ifndef STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_

#include <memory>
#include <vector>

#include "base/request_context.h"
#include "scene/geom/prepared_attribute.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// An attribute with an authored value, shared by those who inherit it; null: none.
using SharedAttribute = std::shared_ptr<const PreparedAttribute>;

struct SkinBinding {
  Prim prim;
  Prim skeleton;
  SharedAttribute joint_indices;
  SharedAttribute joint_weights;
  SharedAttribute geom_bind_transform;
  SharedAttribute joints;
  SharedAttribute skinning_method;
  SharedAttribute blend_shapes;      // not inherited
  Relationship blend_shape_targets;  // not inherited; invalid where it is not authored
};

// Whether prims of its type can be deformed; those are not looked below.
bool IsSkinnable(const Prim& prim);

// The skinnable prims below (and including) a SkelRoot that are bound to a skeleton, in traversal
// order, instance proxies too. Prims outside of SkelRoots are never skinned. Valid as long as the
// stage snapshot; incomplete once the context is done.
std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_

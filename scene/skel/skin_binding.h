#ifndef STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_

#include <memory>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// An attribute with an authored value, shared by the prims that inherit it; null if there is none.
using SharedAttribute = std::shared_ptr<const AttributeQuery>;

// The binding of a prim to its skeleton ("Binding API Schema" in the UsdSkel schema documentation).
// Corresponds to the _SkinningQueryKey of OpenUSD's UsdSkel_CacheImpl.
//
// The binding properties of UsdSkelBindingAPI in effect on a prim. Those that are not authored on
// the prim are inherited from ancestors, except for blend shapes.
struct SkinBinding {
  Prim prim;
  Prim skeleton;
  SharedAttribute joint_indices;
  SharedAttribute joint_weights;
  SharedAttribute geom_bind_transform;
  SharedAttribute joints;
  SharedAttribute skinning_method;
  SharedAttribute blend_shapes;      // not inherited
  Relationship blend_shape_targets;  // not inherited; invalid if not authored
};

// Whether prims of this type can be deformed. The search does not continue below such prims.
// Corresponds to UsdSkelIsSkinnablePrim.
bool IsSkinnable(const Prim& prim);

// The skinnable prims at and below a SkelRoot that are bound to a skeleton, in traversal order,
// including instance proxies. Prims outside of SkelRoots are never skinned. Valid as long as the
// stage snapshot; incomplete once the context is done. Corresponds to UsdSkelCache::Populate.
std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_BINDING_H_

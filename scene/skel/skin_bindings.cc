// FindSkinBindings of skinned_prim.h.
#include <utility>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skinned_prim.h"

namespace stagedoor {
namespace {

constexpr int kMaxDepth = 4000;

class BindingFinder {
 public:
  explicit BindingFinder(RequestContext& context) : context_(context) {}

  void Visit(const Prim& prim, SkinBinding inherited, int depth) {
    if (depth > kMaxDepth || !prim.IsA(Geom().Imageable) || !context_.Check().ok()) return;
    inherited.prim = prim;
    TakeBindings(prim, &inherited);
    if (IsSkinnable(prim)) {
      AddSkinnable(prim, std::move(inherited));
      return;  // skinnable prims do not nest
    }
    for (const Prim& child : prim.Children(PrimPredicate::Default().WithInstanceProxies())) {
      Visit(child, inherited, depth + 1);
    }
  }

  std::vector<SkinBinding> Take() { return std::move(found_); }

 private:
  static bool IsSkinnable(const Prim& prim) {
    return prim.IsA(Geom().Boundable) && !prim.IsA(Skel().SkelRoot) && !prim.IsA(Skel().Skeleton);
  }
  Attribute Authored(const Prim& prim, Token name) const {
    const Attribute attribute = prim.GetAttribute(name);
    return HasAuthoredValue(context_, attribute) ? attribute : Attribute();
  }
  void TakeAuthored(const Prim& prim, Token name, Attribute* inherited) const {
    const Attribute attribute = Authored(prim, name);
    if (attribute.valid()) *inherited = attribute;
  }
  void TakeBindings(const Prim& prim, SkinBinding* binding) const {
    if (!prim.HasApi(Skel().SkelBindingAPI)) return;
    if (const auto skeleton = BoundTarget(prim, Skel().skeleton_rel)) {
      const bool usable = skeleton->valid() && skeleton->IsA(Skel().Skeleton);
      binding->skeleton = usable ? *skeleton : Prim();
    }
    TakeAuthored(prim, Skel().joint_indices, &binding->joint_indices);
    TakeAuthored(prim, Skel().joint_weights, &binding->joint_weights);
    TakeAuthored(prim, Skel().geom_bind_transform, &binding->geom_bind_transform);
    TakeAuthored(prim, Skel().bound_joints, &binding->joints);
    TakeAuthored(prim, Skel().skinning_method, &binding->skinning_method);
  }
  void AddSkinnable(const Prim& prim, SkinBinding binding) {
    if (!binding.skeleton.valid() || !binding.skeleton.IsActive()) return;
    if (prim.HasApi(Skel().SkelBindingAPI)) {
      binding.blend_shapes = Authored(prim, Skel().bound_blend_shapes);
      const Relationship targets = prim.GetRelationship(Skel().blend_shape_targets);
      if (targets.valid() && targets.IsAuthored()) binding.blend_shape_targets = targets;
    }
    found_.push_back(std::move(binding));
  }

  RequestContext& context_;
  std::vector<SkinBinding> found_;
};

}  // namespace

std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root) {
  BindingFinder finder(context);
  if (skel_root.valid() && skel_root.IsA(Skel().SkelRoot)) finder.Visit(skel_root, {}, 0);
  return finder.Take();
}

}  // namespace stagedoor

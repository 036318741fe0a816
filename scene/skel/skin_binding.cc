// FindSkinBindings of skin_binding.h.
#include "scene/skel/skin_binding.h"

#include <utility>

#include "scene/geom/geom_tokens.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skeleton.h"
#include "scene/skel/skin_arrays.h"

namespace stagedoor {
namespace {

constexpr int kMaxDepth = 4000;

class BindingFinder {
 public:
  BindingFinder(RequestContext& context, SkinArrays& arrays) : context_(context), arrays_(arrays) {}

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
  SharedAttribute Authored(const Prim& prim, Token name) const {
    auto attribute = std::make_shared<const PreparedAttribute>(
        arrays_.Prepare(context_, prim.GetAttribute(name)));
    return attribute->has_authored_value() ? attribute : nullptr;
  }
  void TakeAuthored(const Prim& prim, Token name, SharedAttribute* inherited) const {
    if (auto attribute = Authored(prim, name)) *inherited = std::move(attribute);
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
  SkinArrays& arrays_;
  std::vector<SkinBinding> found_;
};

}  // namespace

std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root) {
  if (!skel_root.valid() || !skel_root.IsA(Skel().SkelRoot)) return {};
  BindingFinder finder(context, SkinArrays::Of(skel_root.stage()));
  finder.Visit(skel_root, {}, 0);
  return finder.Take();
}

}  // namespace stagedoor

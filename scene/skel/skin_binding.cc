// Follows UsdSkel_CacheImpl::ReadScope::Populate.
#include "scene/skel/skin_binding.h"

#include <unordered_map>
#include <utility>

#include "scene/geom/geom_tokens.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_arrays.h"
#include "scene/stage/traversal_budget.h"

namespace stagedoor {
namespace {

// Bounds the recursion over prims, which a file may nest at will.
constexpr int kMaxDepth = 4000;

// The binding attributes that a prim authors; equal for all its instance proxies.
struct OwnAttributes {
  SharedAttribute joint_indices;
  SharedAttribute joint_weights;
  SharedAttribute geom_bind_transform;
  SharedAttribute joints;
  SharedAttribute skinning_method;
  SharedAttribute blend_shapes;
};

class BindingFinder {
 public:
  BindingFinder(RequestContext& context, const Stage& stage)
      : context_(context), arrays_(SkinArrays::Of(stage)), visits_(stage) {}

  void Visit(const Prim& prim, SkinBinding inherited, int depth) {
    // As in OpenUSD, the search ends at prims that are not imageable, such as animations.
    if (depth > kMaxDepth || !prim.IsA(Geom().Imageable) || !visits_.Spend(context_, prim)) return;
    inherited.prim = prim;
    TakeBindings(prim, &inherited);
    if (IsSkinnable(prim)) {
      AddSkinnable(prim, std::move(inherited));
      return;  // skinnable prims do not nest in OpenUSD
    }
    for (const Prim& child : prim.Children(PrimFlagsPredicate::Default().WithInstanceProxies())) {
      Visit(child, inherited, depth + 1);
    }
  }

  std::vector<SkinBinding> Take() { return std::move(found_); }

 private:
  // Attributes without an authored value count as missing, so that the inherited one stays.
  SharedAttribute Authored(const Prim& prim, Token name) const {
    auto attribute =
        std::make_shared<const AttributeQuery>(arrays_.Prepare(context_, prim.GetAttribute(name)));
    return attribute->HasAuthoredValue() ? attribute : nullptr;
  }
  // Each prim is compiled once, however many instance proxies it is met through; those share it.
  const OwnAttributes& OwnOf(const Prim& prim) {
    const auto [it, fresh] = own_.try_emplace(&prim.data());
    OwnAttributes& own = it->second;
    if (!fresh) return own;
    own.joint_indices = Authored(prim, Skel().joint_indices);
    own.joint_weights = Authored(prim, Skel().joint_weights);
    own.geom_bind_transform = Authored(prim, Skel().geom_bind_transform);
    own.joints = Authored(prim, Skel().bound_joints);
    own.skinning_method = Authored(prim, Skel().skinning_method);
    own.blend_shapes = Authored(prim, Skel().bound_blend_shapes);
    return own;
  }
  static void Take(const SharedAttribute& own, SharedAttribute* inherited) {
    if (own) *inherited = own;
  }
  void TakeBindings(const Prim& prim, SkinBinding* binding) {
    // OpenUSD ignores binding properties of prims to which the API schema is not applied.
    if (!prim.HasApi(Skel().SkelBindingAPI)) return;
    if (const auto skeleton = BoundTarget(context_, prim, Skel().skeleton_rel)) {
      // A relationship without a usable target unbinds the subtree.
      const bool usable = skeleton->valid() && skeleton->IsA(Skel().Skeleton);
      binding->skeleton = usable ? *skeleton : Prim();
    }
    const OwnAttributes& own = OwnOf(prim);
    Take(own.joint_indices, &binding->joint_indices);
    Take(own.joint_weights, &binding->joint_weights);
    Take(own.geom_bind_transform, &binding->geom_bind_transform);
    Take(own.joints, &binding->joints);
    Take(own.skinning_method, &binding->skinning_method);
  }
  void AddSkinnable(const Prim& prim, SkinBinding binding) {
    // Unbound prims are not skinned; the skeleton may have become inactive in a stronger layer.
    if (!binding.skeleton.valid() || !binding.skeleton.IsActive()) return;
    if (prim.HasApi(Skel().SkelBindingAPI)) {
      // Blend shapes belong to one piece of geometry, so unlike the rest they are not inherited.
      binding.blend_shapes = OwnOf(prim).blend_shapes;
      const Relationship targets = prim.GetRelationship(Skel().blend_shape_targets);
      if (targets.valid() && targets.IsAuthored()) binding.blend_shape_targets = targets;
    }
    if (!context_.Reserve(sizeof(SkinBinding), "skin bindings").ok()) return;
    found_.push_back(std::move(binding));
  }

  RequestContext& context_;
  SkinArrays& arrays_;
  TraversalBudget visits_;
  std::unordered_map<const PrimData*, OwnAttributes> own_;
  std::vector<SkinBinding> found_;
};

}  // namespace

bool IsSkinnable(const Prim& prim) {
  return prim.IsA(Geom().Boundable) && !prim.IsA(Skel().SkelRoot) && !prim.IsA(Skel().Skeleton);
}

std::vector<SkinBinding> FindSkinBindings(RequestContext& context, const Prim& skel_root) {
  if (!skel_root.valid() || !skel_root.IsA(Skel().SkelRoot)) return {};
  BindingFinder finder(context, skel_root.stage());
  finder.Visit(skel_root, {}, 0);
  return finder.Take();
}

}  // namespace stagedoor

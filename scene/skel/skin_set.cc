#include "scene/skel/skin_set.h"

#include <map>
#include <tuple>
#include <utility>

#include "scene/geom/xform_query.h"
#include "scene/skel/skin_binding.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// Whether all transforms between `prim` and its instance are relative to the parent, so that the
// prim moves with the instance.
bool MovesWithInstance(RequestContext& context, const Prim& prim, const Prim& instance) {
  XformTable& table = XformTable::Of(prim.stage());
  for (Prim at = prim; at.valid() && !(at == instance); at = at.parent()) {
    std::optional<XformQuery> own;
    if (table.Find(context, at, &own).resets_xform_stack()) return false;
  }
  return true;
}

// Whether prim and skeleton move with the same instance. Then the transform from one to the other,
// and with it the deformation in the prim's space, is equal for all instances.
bool MoveTogether(RequestContext& context, const Prim& prim, const Prim& skeleton) {
  if (!prim.IsInstanceProxy() || prim.instance_path() != skeleton.instance_path()) return false;
  const Prim instance = prim.stage().FindPrim(prim.instance_path());
  return MovesWithInstance(context, prim, instance) &&
         MovesWithInstance(context, skeleton, instance);
}

// Compiles each binding once: instance proxies of a prim that inherit the same properties share it.
// Attributes are compared by address, since equal inherited attributes are the same object.
class Compiler {
 public:
  std::shared_ptr<const SkinningQuery> Compile(RequestContext& context, SkinBinding binding,
                                               std::shared_ptr<const SkeletonQuery> skeleton) {
    const Key key{&binding.prim.data(),         skeleton.get(),
                  binding.joint_indices.get(),  binding.joint_weights.get(),
                  binding.joints.get(),         binding.geom_bind_transform.get(),
                  binding.skinning_method.get()};
    std::shared_ptr<const SkinningQuery>& skinned = compiled_[key];
    if (!skinned)
      skinned = SkinningQuery::Compile(context, std::move(binding), std::move(skeleton));
    return skinned;
  }
  size_t byte_size() const {
    size_t bytes = 0;
    for (const auto& [key, skinned] : compiled_) bytes += skinned->byte_size();
    return bytes;
  }

 private:
  using Attribute = const AttributeQuery*;
  using Key = std::tuple<const PrimData*, const SkeletonQuery*, Attribute, Attribute, Attribute,
                         Attribute, Attribute>;
  std::map<Key, std::shared_ptr<const SkinningQuery>> compiled_;
};

}  // namespace

SkinningTarget SkinningTarget::SeenFrom(const Prim& from, const Prim& to) const {
  SkinningTarget seen = *this;
  // The skeleton and the animation may be outside of the instance; then they stay the same.
  seen.prim = prim.SeenFrom(from, to);
  if (skeleton.valid()) seen.skeleton = skeleton.SeenFrom(from, to);
  if (animation.valid()) seen.animation = animation.SeenFrom(from, to);
  seen.skel_root = to;
  return seen;
}

SkinSet SkinSet::Compile(RequestContext& context, const Prim& skel_root,
                         const FindSkeleton& find_skeleton) {
  SkinSet set;
  set.skel_root_ = skel_root;
  Compiler compiler;
  for (SkinBinding& binding : FindSkinBindings(context, skel_root)) {
    if (!context.Spend(1).ok()) return set;
    SkinningTarget skin{.prim = binding.prim, .skeleton = binding.skeleton, .skel_root = skel_root};
    // A prim bound to an invalid skeleton is listed, but not skinned.
    if (auto skeleton = find_skeleton(context, binding.skeleton)) {
      if (skeleton->animation()) skin.animation = skeleton->animation()->prim();
      skin.deforms_as_others = MoveTogether(context, skin.prim, skin.skeleton);
      skin.skinned = compiler.Compile(context, std::move(binding), std::move(skeleton));
    }
    set.places_.emplace(skin.prim, set.skins_.size());
    set.skins_.push_back(std::move(skin));
  }
  set.byte_size_ +=
      compiler.byte_size() + set.size() * (2 * sizeof(SkinningTarget) + 2 * sizeof(void*));
  return set;
}

size_t SkinSet::Find(const Prim& prim, const Prim& skel_root) const {
  const auto place = places_.find(prim.SeenFrom(skel_root, skel_root_));
  return place == places_.end() ? size() : place->second;
}

}  // namespace stagedoor

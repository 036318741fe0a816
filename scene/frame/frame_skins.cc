#include "scene/frame/frame_skins.h"

#include "base/heap_costs.h"
#include "base/status_macros.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/xform_motion.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_binding.h"
#include "scene/skel/skin_motion.h"
#include "scene/skel/skinning_query.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

const PrimData* SourceOf(const SharedAttribute& attribute) {
  return attribute ? &attribute->attribute().prim().data() : nullptr;
}

}  // namespace

absl::Status AddRigidSkin(RequestContext& context, const SkinningTarget& skin, FramePlace* place,
                          std::vector<SkinningTarget>* rigid_skins) {
  VaryingSources varying;
  SD_RETURN_IF_ERROR(AddSkinMotion(context, skin, {.points = false, .normals = false}, &varying));
  // Skins are computed in world space, so what moves all of a prototype changes them by rounding.
  if (place->prototype != kNoIndex) {
    SD_RETURN_IF_ERROR(AddXformMotion(context, place->prim, &varying));
  }
  place->moves |= varying.any();
  place->rigid_skin = static_cast<uint32_t>(rigid_skins->size());
  rigid_skins->push_back(skin);
  return absl::OkStatus();
}

absl::Status FrameSkins::Enter(const SkinScope& at, const Prim& prim, const TypeTraits& type,
                               SkinScope* below) {
  *below = at;
  if (at.is_found) {
    below->is_found = type.is_imageable && !type.is_skinnable;
  } else if (type.is_skel_root) {
    SD_ASSIGN_OR_RETURN(auto set, SkelCache::Of(prim.stage()).SkinSetOf(context_, prim));
    roots_.resize(at.roots);
    roots_.emplace_back(prim, std::move(set));
    *below = {.roots = at.roots + 1, .is_found = true};
  }
  return absl::OkStatus();
}

std::optional<SkinningTarget> FrameSkins::Find(const SkinScope& at, const Prim& prim) const {
  if (!at.is_found) return std::nullopt;
  const auto& [root, set] = roots_[at.roots - 1];
  const size_t place = set->Find(prim, root);
  if (place == set->size()) return std::nullopt;
  SkinningTarget skin = set->At(place, root);
  if (!skin.skinned) return std::nullopt;
  return skin;
}

uint32_t FrameSkins::NumberOf(const SkinningTarget& skin) {
  if (!skin.deforms_as_others) return 0;
  // Values are those of the data of prims. Blend shapes are bound by the prim itself.
  const SkinBinding& binding = skin.skinned->binding();
  const Parts parts = {&skin.skeleton.data(),
                       skin.animation.valid() ? &skin.animation.data() : nullptr,
                       SourceOf(binding.joint_indices),
                       SourceOf(binding.joint_weights),
                       SourceOf(binding.geom_bind_transform),
                       SourceOf(binding.joints),
                       SourceOf(binding.skinning_method)};
  const auto [it, is_new] = numbers_.try_emplace(parts, static_cast<uint32_t>(numbers_.size() + 1));
  if (is_new) reserved_.Grow(kNodeBytes + sizeof(*it), "skins").IgnoreError();
  return it->second;
}

}  // namespace stagedoor

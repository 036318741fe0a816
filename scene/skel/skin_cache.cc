#include "scene/skel/skin_cache.h"

#include <unordered_set>
#include <utility>

#include "base/status_macros.h"
#include "scene/skel/skel_tokens.h"
#include "scene/stage/prim_range.h"

namespace stagedoor {
namespace {

LruCacheOptions Bounded(size_t megabytes) { return {.max_bytes = megabytes << 20, .shards = 4}; }

// Bind, inverse bind and rest transforms, names.
size_t ByteSize(const Skeleton& skeleton) {
  return sizeof(Skeleton) + skeleton.joint_order().size() * (3 * sizeof(Matrix4d) + 32);
}

}  // namespace

SkinCache& SkinCache::Of(const Stage& stage) { return stage.derived().Get<SkinCache>(); }

SkinCache::SkinCache() : skins_(Bounded(128)), skeletons_(Bounded(64)) {}

std::shared_ptr<const Skeleton> SkinCache::SkeletonOf(RequestContext& context, const Prim& prim) {
  if (!prim.valid()) return nullptr;
  using Loaded = decltype(skeletons_)::Loaded;
  const auto load = [&]() -> absl::StatusOr<Loaded> {
    SD_ASSIGN_OR_RETURN(auto skeleton, Skeleton::Compile(context, prim));
    SD_RETURN_IF_ERROR(context.Check());
    const size_t bytes = ByteSize(*skeleton);
    return Loaded{std::move(skeleton), bytes};
  };
  return skeletons_.GetOrLoad(context, prim, load).value_or(nullptr);
}

absl::StatusOr<std::shared_ptr<const SkinCache::Skins>> SkinCache::SkinsOf(RequestContext& context,
                                                                           const Prim& skel_root) {
  using Loaded = decltype(skins_)::Loaded;
  return skins_.GetOrLoad(context, skel_root, [&]() -> absl::StatusOr<Loaded> {
    auto skins = std::make_shared<Skins>();
    size_t bytes = sizeof(Skins);
    for (SkinBinding& binding : FindSkinBindings(context, skel_root)) {
      FoundSkin skin{binding.prim, binding.skeleton, skel_root, nullptr};
      if (auto skeleton = SkeletonOf(context, binding.skeleton)) {
        skin.skinned = SkinnedPrim::Compile(context, std::move(binding), std::move(skeleton));
        bytes += skin.skinned->byte_size();
      }
      bytes += sizeof(FoundSkin);
      skins->push_back(std::move(skin));
    }
    SD_RETURN_IF_ERROR(context.Check());
    return Loaded{std::move(skins), bytes};
  });
}

absl::StatusOr<std::vector<FoundSkin>> SkinCache::FindBelow(RequestContext& context,
                                                            const Prim& root) {
  Skins found;
  std::unordered_set<Prim, PrimHash> seen;
  const auto all = PrimPredicate::Default().WithInstanceProxies();
  for (const Prim& prim : root.stage().Traverse(root, all)) {
    if (!prim.IsA(Skel().SkelRoot)) continue;
    SD_ASSIGN_OR_RETURN(const auto skins, SkinsOf(context, prim));
    for (const FoundSkin& skin : *skins) {
      if (seen.insert(skin.prim).second) found.push_back(skin);
    }
  }
  SD_RETURN_IF_ERROR(context.Check());
  return found;
}

absl::Status SkinCache::FindAt(RequestContext& context, const Prim& prim,
                               std::vector<FoundSkin>* found) {
  std::vector<Prim> roots;  // innermost first
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (at.IsA(Skel().SkelRoot)) roots.push_back(at);
  }
  for (; !roots.empty(); roots.pop_back()) {
    SD_ASSIGN_OR_RETURN(const auto skins, SkinsOf(context, roots.back()));
    for (const FoundSkin& skin : *skins) {
      if (!(skin.prim == prim)) continue;
      found->push_back(skin);
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor

#include "server/handlers/skinned_prims.h"

#include "scene/stage/prim_range.h"

namespace stagedoor {

std::vector<FoundSkin> FindSkins(RequestContext& context, const Stage& stage, const Prim& root,
                                 const std::unordered_set<Path>* wanted) {
  static const Token kSkelRoot("SkelRoot");
  std::vector<FoundSkin> found;
  std::unordered_set<Path> seen;
  for (const Prim& prim : stage.Traverse(root, PrimPredicate::Default().WithInstanceProxies())) {
    if (!context.Check().ok()) break;
    if (!prim.IsA(kSkelRoot)) continue;
    for (SkinBinding& binding : FindSkinBindings(context, prim)) {
      const Path path = binding.prim.path();
      if (wanted != nullptr && !wanted->contains(path)) continue;
      if (seen.insert(path).second) found.push_back({prim, std::move(binding)});
    }
  }
  return found;
}

std::shared_ptr<const Skeleton> SkinCompiler::SkeletonOf(RequestContext& context,
                                                         const Prim& prim) {
  if (!prim.valid()) return nullptr;
  const auto [it, fresh] = skeletons_.try_emplace(prim.path());
  if (fresh) {
    auto skeleton = Skeleton::Compile(context, prim);
    if (skeleton.ok()) it->second = *std::move(skeleton);
  }
  return it->second;
}

std::shared_ptr<const SkinnedPrim> SkinCompiler::Compile(RequestContext& context,
                                                         const SkinBinding& binding) {
  auto skeleton = SkeletonOf(context, binding.skeleton);
  if (skeleton == nullptr) return nullptr;
  return SkinnedPrim::Compile(context, binding, std::move(skeleton));
}

}  // namespace stagedoor

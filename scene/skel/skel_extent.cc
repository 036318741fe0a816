#include "scene/skel/skel_extent.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_cache.h"
#include "scene/skel/joint_transforms.h"
#include "scene/skel/skel_tokens.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_binding.h"
#include "scene/stage/traversal_budget.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

std::optional<Range3d> SkeletonExtent(RequestContext& context, const Prim& prim, TimeCode time) {
  const auto skeleton = SkeletonQuery::Compile(context, prim);
  if (!skeleton.ok()) return std::nullopt;
  const auto joints = (*skeleton)->JointSkelTransforms(context, time);
  return joints ? std::optional(JointsExtent(*joints, 0)) : std::nullopt;
}

// How far the authored extent of a bound prim reaches beyond the joints at rest. A bound for the
// skinned prim at all times, without skinning it. Corresponds to
// UsdSkelSkinningQuery::ComputeExtentsPadding, which also reads at the earliest time, so that keyed
// but unvarying extents count.
float ExtentPadding(RequestContext& context, const SkinBinding& binding, const Range3d& joints) {
  const TimeCode earliest = TimeCode::Earliest();
  const auto extent =
      AttributeValueAs<Array<Vec3f>>(context, binding.prim, Geom().extent, earliest);
  if (!extent || extent->size() != 2) return 0;
  BBox3d box{Range3d{VecCast<double>((*extent)[0]), VecCast<double>((*extent)[1])}};
  // The authored extent is in the prim's space; the bind transform takes it to that of the joints.
  if (binding.geom_bind_transform) {
    const auto bind = binding.geom_bind_transform->GetAs<Matrix4d>(context, earliest);
    if (bind) box.matrix = *bind;
  }
  const Range3d range = box.AlignedRange();
  // One number for all sides, because the pose may turn any of them in any direction. In float, as
  // GfRange3f in OpenUSD.
  float padding = 0;
  for (int i = 0; i < 3; ++i) {
    padding =
        std::max(padding, static_cast<float>(joints.min[i]) - static_cast<float>(range.min[i]));
    padding =
        std::max(padding, static_cast<float>(range.max[i]) - static_cast<float>(joints.max[i]));
  }
  return padding;
}

// The transform from `prim` to its ancestor, at default time, as OpenUSD takes it.
Matrix4d RelativeTransform(RequestContext& context, const Prim& prim, const Prim& ancestor) {
  XformCache xforms{TimeCode::Default()};
  Matrix4d result = Matrix4d::Identity();
  for (Prim at = prim; at.valid() && !(at == ancestor); at = at.parent()) {
    bool resets = false;
    result = result * xforms.Local(context, at, &resets);
    if (resets) break;
  }
  return result;
}

// A skeleton of a SkelRoot, with the prims that it deforms.
struct BoundSkeleton {
  Prim prim;
  std::vector<SkinBinding> bindings;
};
using BoundSkeletons = std::map<Path, BoundSkeleton>;

void AddSkeletonsBelow(RequestContext& context, const Prim& prim, int depth,
                       TraversalBudget* visits, BoundSkeletons* found) {
  // Prims that are not imageable end the walk, as in UsdSkelCache::Populate.
  constexpr int kMaxDepth = 4000;
  if (depth > kMaxDepth || !prim.IsA(Geom().Imageable) || !visits->Spend(context, prim)) return;
  if (prim.IsA(Skel().Skeleton)) (*found)[prim.path()].prim = prim;
  for (const Prim& child : prim.Children(PrimFlagsPredicate::Default().WithInstanceProxies())) {
    AddSkeletonsBelow(context, child, depth + 1, visits, found);
  }
}

// None if the skeleton is invalid; an empty range if it is not posed.
std::optional<Range3d> PaddedExtent(RequestContext& context, const BoundSkeleton& bound,
                                    const Prim& root, TimeCode time) {
  const auto skeleton = SkeletonQuery::Compile(context, bound.prim);
  if (!skeleton.ok()) return std::nullopt;
  const auto joints = (*skeleton)->JointSkelTransforms(context, time);
  if (!joints) return Range3d();
  // Without a rest pose nothing says how far prims reach beyond the joints.
  float padding = 0;
  if (const auto rest = (*skeleton)->JointSkelTransforms(context, time, true)) {
    const Range3d rest_range = JointsExtent(*rest, 0);
    for (const SkinBinding& binding : bound.bindings) {
      padding = std::max(padding, ExtentPadding(context, binding, rest_range));
    }
  }
  const Matrix4d to_root = RelativeTransform(context, bound.prim, root);
  const Range3d range = JointsExtent(*joints, padding, &to_root);
  Range3d result;
  result.Extend(range.min);
  result.Extend(range.max);
  return result;
}

std::optional<Range3d> SkelRootExtent(RequestContext& context, const Prim& root, TimeCode time) {
  // As in OpenUSD, the skeletons that deform prims below the root bound it, wherever they are.
  // Those below it count only if no prim is bound.
  BoundSkeletons skeletons;
  for (SkinBinding& binding : FindSkinBindings(context, root)) {
    BoundSkeleton& bound = skeletons[binding.skeleton.path()];
    bound.prim = binding.skeleton;
    bound.bindings.push_back(std::move(binding));
  }
  TraversalBudget visits(root.stage());
  if (skeletons.empty()) AddSkeletonsBelow(context, root, 0, &visits, &skeletons);
  Range3d extent;
  for (const auto& [path, skeleton] : skeletons) {
    if (!context.Check().ok()) return std::nullopt;
    const auto range = PaddedExtent(context, skeleton, root, time);
    if (!range) return std::nullopt;
    extent.Extend(*range);
  }
  return extent;
}

}  // namespace

std::optional<Range3d> ComputeSkelExtent(RequestContext& context, const Prim& prim, TimeCode time) {
  if (prim.IsA(Skel().SkelRoot)) return SkelRootExtent(context, prim, time);
  if (prim.IsA(Skel().Skeleton)) return SkeletonExtent(context, prim, time);
  return std::nullopt;
}

}  // namespace stagedoor

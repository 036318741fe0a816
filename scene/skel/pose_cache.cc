#include "scene/skel/pose_cache.h"

#include <utility>

#include "scene/skel/skinning.h"
#include "scene/values/matrix.h"

namespace stagedoor {
namespace {

// The skeleton's transform to the world is not part of a pose, so instances share it.
std::shared_ptr<const SkeletonPose> MakePose(RequestContext& context, const SkeletonQuery& skeleton,
                                             TimeCode time) {
  auto transforms = skeleton.SkinningTransforms(context, time);
  return transforms ? std::make_shared<const SkeletonPose>(*std::move(transforms)) : nullptr;
}

}  // namespace

const std::vector<Matrix3d>& SkeletonPose::normal_transforms() const {
  // Many prims have no normals. Thread-safe, because prims that share a pose deform in parallel.
  std::call_once(normals_once_, [&] {
    normal_transforms_.reserve(transforms_.size());
    for (const Matrix4d& m : transforms_) normal_transforms_.push_back(NormalMatrix(m));
  });
  return normal_transforms_;
}

std::shared_ptr<const SkeletonPose> PoseCache::PoseOf(RequestContext& context,
                                                      const SkeletonQuery& skeleton) {
  const auto [it, fresh] = poses_.try_emplace(&skeleton);
  // A skeleton without a pose is kept as null, so that it is not posed again for each prim.
  if (fresh) it->second = MakePose(context, skeleton, time());
  return it->second;
}

void PoseCache::Prepare(RequestContext& context, std::span<const SkeletonQuery* const> skeletons,
                        Executor* executor) {
  std::vector<std::pair<const SkeletonQuery*, std::shared_ptr<const SkeletonPose>*>> missing;
  for (const SkeletonQuery* skeleton : skeletons) {
    const auto [it, fresh] = poses_.try_emplace(skeleton);
    if (fresh) missing.emplace_back(skeleton, &it->second);
  }
  // The places are made above, on one thread: pointers to the elements stay valid while the map
  // grows, and each task writes to its own elements.
  const auto make = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      *missing[i].second = MakePose(context, *missing[i].first, time());
    }
  };
  if (executor && missing.size() > 1) {
    ParallelFor(*executor, missing.size(), 1, make);
  } else {
    make(0, missing.size());
  }
}

}  // namespace stagedoor

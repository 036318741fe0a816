#ifndef STAGEDOOR_SCENE_SKEL_POSE_CACHE_H_
#define STAGEDOOR_SCENE_SKEL_POSE_CACHE_H_

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "base/request_context.h"
#include "scene/geom/xform_cache.h"
#include "scene/skel/skeleton_query.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// The skinning transforms of a skeleton at one time.
class SkeletonPose {
 public:
  explicit SkeletonPose(std::vector<Matrix4d> transforms) : transforms_(std::move(transforms)) {}

  // For each joint, in the skeleton's joint order, the transform from the bind pose to the pose, in
  // skeleton space.
  const std::vector<Matrix4d>& transforms() const { return transforms_; }
  // The inverse transposes of their linear parts, for normals; computed on first use.
  const std::vector<Matrix3d>& normal_transforms() const;

 private:
  const std::vector<Matrix4d> transforms_;
  mutable std::once_flag normals_once_;
  mutable std::vector<Matrix3d> normal_transforms_;
};

// Skinning transforms of skeletons, and transforms of prims, at one time. The prims of a skeleton
// share its pose.
//
// Corresponds to the per-time state of UsdSkelBakeSkinning (its _SkelAdapter objects and
// UsdGeomXformCache). For one thread; valid as long as the stage snapshot and the skeletons. Poses
// are immutable, and any thread may use them.
class PoseCache {
 public:
  explicit PoseCache(TimeCode time) : xforms_(time) {}

  // The time of the poses, in time codes of the stage.
  TimeCode time() const { return xforms_.time(); }
  XformCache& xforms() { return xforms_; }

  // The pose of a skeleton; null if it has no skinning transforms at this time.
  std::shared_ptr<const SkeletonPose> PoseOf(RequestContext& context,
                                             const SkeletonQuery& skeleton);
  // Computes the poses of many skeletons, in parallel if `executor` is not null.
  void Prepare(RequestContext& context, std::span<const SkeletonQuery* const> skeletons,
               Executor* executor);

 private:
  XformCache xforms_;
  std::unordered_map<const SkeletonQuery*, std::shared_ptr<const SkeletonPose>> poses_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_POSE_CACHE_H_

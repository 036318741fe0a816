// PoseCache: how skeletons and prims stand at one time, so that the prims of a skeleton share its
// transforms.
//
// For one thread; valid as long as the stage snapshot and the skeletons. Poses are immutable and
// may be used by any thread.
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
#include "scene/values/linear_types.h"

namespace stagedoor {

// A skeleton's skinning transforms at one time.
class SkeletonPose {
 public:
  explicit SkeletonPose(std::vector<Matrix4d> transforms) : transforms_(std::move(transforms)) {}

  // From bind to posed points in skeleton space, by the skeleton's joint order.
  const std::vector<Matrix4d>& transforms() const { return transforms_; }
  // Their inverse transposes, for normals; worked out when first asked for.
  const std::vector<Matrix3d>& normal_transforms() const;

 private:
  const std::vector<Matrix4d> transforms_;
  mutable std::once_flag normals_once_;
  mutable std::vector<Matrix3d> normal_transforms_;
};

class PoseCache {
 public:
  explicit PoseCache(TimeCode time) : xforms_(time) {}

  TimeCode time() const { return xforms_.time(); }
  XformCache& xforms() { return xforms_; }

  // Null where the skeleton has no skinning transforms at this time.
  std::shared_ptr<const SkeletonPose> PoseOf(RequestContext& context,
                                             const SkeletonQuery& skeleton);
  // Works out many of them, on the executor where it is not null.
  void Prepare(RequestContext& context, std::span<const SkeletonQuery* const> skeletons,
               Executor* executor);

 private:
  XformCache xforms_;
  std::unordered_map<const SkeletonQuery*, std::shared_ptr<const SkeletonPose>> poses_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_POSE_CACHE_H_

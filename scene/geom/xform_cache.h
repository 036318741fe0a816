#ifndef STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/request_context.h"
#include "scene/geom/prim_map.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/prim.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// The transforms of prims at one time, which lets prims share those of their ancestors. Corresponds
// to OpenUSD's UsdGeomXformCache.
//
// Not thread-safe. Valid as long as the stage snapshot, which keeps the compiled local transforms
// (XformTable). All matrices transform row vectors, as in OpenUSD.
class XformCache {
 public:
  explicit XformCache(TimeCode time) : time_(time) {}

  TimeCode time() const { return time_; }
  // From the prim's space to world space. The reference is valid as long as the cache.
  const Matrix4d& LocalToWorld(RequestContext& context, const Prim& prim);
  // From the space of the prim's parent to world space, even if the prim resets the transform
  // stack.
  Matrix4d ParentToWorld(RequestContext& context, const Prim& prim);
  // From the prim's space to that of its parent. `resets_xform_stack` may be null.
  Matrix4d Local(RequestContext& context, const Prim& prim, bool* resets_xform_stack = nullptr);
  // Number of cached world transforms.
  size_t size() const { return worlds_.size(); }

 private:
  static constexpr size_t kChunk = 64;
  Matrix4d& Add(const Prim& prim);

  TimeCode time_;
  XformTable* table_ = nullptr;   // table of stage_
  const Stage* stage_ = nullptr;  // stage of the last query
  PrimMap<const Matrix4d*> worlds_;
  std::vector<std::unique_ptr<Matrix4d[]>> chunks_;  // the matrices, at stable addresses
  std::vector<Prim> chain_;                          // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_

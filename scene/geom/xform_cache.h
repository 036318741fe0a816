// XformCache: transforms of prims at one time, so that prims share those of their ancestors
// (UsdGeomXformCache).
//
// For one thread; valid as long as the stage snapshot, which keeps what local transforms are made
// of (XformTable).
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
#include "scene/values/linear.h"

namespace stagedoor {

class XformCache {
 public:
  explicit XformCache(Time time) : time_(time) {}

  Time time() const { return time_; }
  // References stay valid.
  const Matrix4d& LocalToWorld(RequestContext& context, const Prim& prim);
  // Of the prim's parent, whether or not the prim resets the transform stack.
  Matrix4d ParentToWorld(RequestContext& context, const Prim& prim);
  Matrix4d Local(RequestContext& context, const Prim& prim, bool* resets_xform_stack = nullptr);
  // Prims whose transforms are kept.
  size_t size() const { return worlds_.size(); }

 private:
  static constexpr size_t kChunk = 64;
  Matrix4d& Add(const Prim& prim);

  Time time_;
  XformTable* table_ = nullptr;  // of the snapshot last asked about
  const Stage* stage_ = nullptr;
  PrimMap<const Matrix4d*> worlds_;
  std::vector<std::unique_ptr<Matrix4d[]>> chunks_;  // the matrices, which stay in place
  std::vector<Prim> chain_;                          // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_

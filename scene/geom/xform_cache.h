// Transforms of prims (UsdGeomXformable, UsdGeomXformCache).
//
// XformQuery is what a prim's local transform is made of, worked out once for all times; XformCache
// holds transforms at one time, so that prims share those of their ancestors. A query is immutable
// and thread-safe, a cache is for one thread. Both are valid as long as the stage snapshot.
#ifndef STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_

#include <unordered_map>
#include <vector>

#include "base/request_context.h"
#include "scene/geom/xform_op.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/values/linear.h"

namespace stagedoor {

class XformQuery {
 public:
  // The identity for prims that are not Xformable.
  static XformQuery Compile(RequestContext& context, const Prim& prim, Time time = Time::At(0));

  // Whether the transforms of ancestors do not count.
  bool resets_xform_stack() const { return resets_; }
  bool is_identity() const { return ops_.empty(); }
  // Of the prim in its parent's space. Operations without a value count as the identity.
  Matrix4d LocalAt(RequestContext& context, Time time) const;
  bool MightBeTimeVarying(RequestContext& context) const;
  // The union of the operations' sample times, ascending.
  Array<double> SampleTimes(RequestContext& context) const;

 private:
  struct Op {
    XformOpType type;
    bool inverse;
    Attribute attribute;
    AttributeSource source;
  };
  std::vector<Op> ops_;  // in xformOpOrder
  bool resets_ = false;
};

class XformCache {
 public:
  explicit XformCache(Time time) : time_(time) {}

  Time time() const { return time_; }
  const Matrix4d& LocalToWorld(RequestContext& context, const Prim& prim);
  // Of the prim's parent, whether or not the prim resets the transform stack.
  Matrix4d ParentToWorld(RequestContext& context, const Prim& prim);
  const Matrix4d& Local(RequestContext& context, const Prim& prim,
                        bool* resets_xform_stack = nullptr);

 private:
  struct Entry {
    Matrix4d local;
    Matrix4d world;
    bool resets = false;
    bool has_local = false;
    bool has_world = false;
  };
  Entry& WithLocal(RequestContext& context, const Prim& prim);

  const Time time_;
  std::unordered_map<Path, Entry> entries_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_CACHE_H_

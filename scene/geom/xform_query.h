// XformQuery: what a prim's local transform is made of, worked out once for all times
// (UsdGeomXformable::XformQuery).
//
// Operations that do not vary are multiplied out beforehand. Immutable and thread-safe; valid as
// long as the stage snapshot.
#ifndef STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_

#include <atomic>
#include <optional>
#include <vector>

#include "base/memory_account.h"
#include "base/request_context.h"
#include "scene/geom/xform_op.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_memo.h"
#include "scene/stage/property.h"
#include "scene/values/linear.h"

namespace stagedoor {

class XformQuery {
 public:
  // For numeric times, or for default time only. The identity for prims that are not Xformable.
  static XformQuery Compile(RequestContext& context, const Prim& prim, Time time = Time::At(0));

  // Whether the transforms of ancestors do not count.
  bool resets_xform_stack() const { return resets_; }
  // Of the prim in its parent's space. Operations without a value count as the identity.
  Matrix4d LocalAt(RequestContext& context, Time time) const;
  // The transform where it is the same at all times, default time among them; else null.
  const Matrix4d* fixed() const { return ops_.empty() ? &fixed_ : nullptr; }
  bool MightBeTimeVarying(RequestContext& context) const;
  // The union of the operations' sample times, ascending.
  Array<double> SampleTimes(RequestContext& context) const;
  size_t byte_size() const { return sizeof(*this) + ops_.capacity() * sizeof(Op); }

 private:
  struct Op {
    XformOpType type;
    bool inverse;
    AttributeSource source;
  };
  // In the order of application to points, last of xformOpOrder first: the fixed operations up to
  // the first that varies as one matrix, then the others.
  Matrix4d fixed_ = Matrix4d::Identity();
  std::vector<Op> ops_;
  bool resets_ = false;
  Interpolation interpolation_ = Interpolation::kLinear;
};

// The queries for numeric times of a snapshot's prims: compiled when first asked for, kept for all
// requests and instances up to a number of bytes. Thread-safe.
class XformTable {
 public:
  // That of the snapshot (Stage::derived).
  static XformTable& Of(const Stage& stage);
  // Charged to `memory`, which outlives it: while stages hold more than they may, nothing is added.
  XformTable(size_t prims, MemoryCharge* memory) : queries_(prims), memory_(*memory) {
    memory_.Grow(queries_.byte_size());
  }

  // What is not kept is compiled into `own`, which may be reused afterwards.
  const XformQuery& Find(RequestContext& context, const Prim& prim, std::optional<XformQuery>* own);

 private:
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  PrimMemo<XformQuery> queries_;
  MemoryCharge& memory_;
  std::atomic<size_t> bytes_{0};
};

// The prim's own transform at any time, by way of the snapshot's table. `resets_xform_stack` may be
// null. Thread-safe.
Matrix4d LocalTransform(RequestContext& context, XformTable& table, const Prim& prim, Time time,
                        bool* resets_xform_stack);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_

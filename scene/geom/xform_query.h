#ifndef STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_

#include <optional>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/xform_op.h"
#include "scene/stage/memo_budget.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_memo.h"
#include "scene/stage/property.h"
#include "scene/values/matrix.h"

namespace stagedoor {

class SourceSink;

// The compiled local transform of a prim, to be evaluated at many times. Corresponds to OpenUSD's
// UsdGeomXformable::XformQuery.
//
// Leading operations that do not vary over time are multiplied at compilation. Immutable and
// thread-safe; valid as long as the stage snapshot.
class XformQuery {
 public:
  // Compiles for all numeric times, or only for default time if `time` is that. The result is the
  // identity for prims that are not Xformable.
  static XformQuery Compile(RequestContext& context, const Prim& prim,
                            TimeCode time = TimeCode::At(0));

  // True if the transforms of ancestors do not apply to the prim.
  bool resets_xform_stack() const { return resets_; }
  // From the prim's space to that of its parent. An operation without a value is the identity.
  Matrix4d LocalAt(RequestContext& context, TimeCode time) const;
  // The transform if it is the same at all times, including default time; else null.
  const Matrix4d* fixed() const { return ops_.empty() ? &fixed_ : nullptr; }
  bool MightBeTimeVarying(RequestContext& context) const;
  // The union of the operations' sample times in stage time, ascending.
  Array<double> SampleTimes(RequestContext& context) const;
  // Adds the sources of the operations that are not the same at all times. `prim` is the prim of
  // the query, or one that shares it.
  absl::Status AddSources(RequestContext& context, const Prim& prim, SourceSink* sink) const;
  size_t byte_size() const { return sizeof(*this) + ops_.capacity() * sizeof(Op); }

 private:
  struct Op {
    XformOpType type;
    bool inverse;
    Token attribute;
    AttributeSource source;
  };
  // In the order in which they apply to points, which is the reverse of xformOpOrder: the constant
  // operations before the first varying one as a single matrix, then all others.
  Matrix4d fixed_ = Matrix4d::Identity();
  std::vector<Op> ops_;
  bool resets_ = false;
  Interpolation interpolation_ = Interpolation::kLinear;
};

// The compiled queries of a snapshot's prims for numeric times. Compiled on first use and shared by
// all requests and by the instances of a prototype, up to kMaxBytes. Thread-safe.
class XformTable {
 public:
  // The table of a snapshot (Stage::derived).
  static XformTable& Of(const Stage& stage);
  // Charged to `memory`, which must outlive the table. While the stages exceed their memory limit,
  // nothing is added.
  XformTable(size_t prims, Reservation* memory, size_t max_bytes = kMaxBytes)
      : queries_(prims), budget_(*memory, max_bytes) {
    memory->Add(queries_.byte_size());
  }

  // Prefetches what Find reads first into the processor's cache.
  void Prefetch(const Prim& prim) const { queries_.Prefetch(prim.data()); }
  // Returns the query of the table, or `**own` if the query cannot be stored. The reference is
  // valid until `*own` changes.
  const XformQuery& Find(RequestContext& context, const Prim& prim, std::optional<XformQuery>* own);

 private:
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  PrimMemo<XformQuery> queries_;
  MemoBudget budget_;
};

// The transform from the prim's space to that of its parent at any time, default time included.
// `resets_xform_stack` may be null. Thread-safe.
Matrix4d LocalTransform(RequestContext& context, XformTable& table, const Prim& prim, TimeCode time,
                        bool* resets_xform_stack);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_QUERY_H_

#ifndef STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// Computes the transforms of many prims at many times at once.

// The result of ComputeXforms. With T times, item p * T + t is prim p at time t.
struct XformBatch {
  std::vector<Matrix4d> world;
  std::vector<Matrix4d> local;  // empty unless requested
  std::vector<bool> resets;     // per prim: it resets the transform stack
  Reservation reserved;         // reservation for the matrices
};

// Gives the same results as one XformCache per time. Each ancestor is evaluated once per time, and
// a prim is evaluated for all times together. Uses `executor` unless it is null. All prims must
// belong to one stage; the transforms of invalid prims are the identity. Errors: those of the
// context.
absl::StatusOr<XformBatch> ComputeXforms(RequestContext& context, std::span<const Prim> prims,
                                         std::span<const TimeCode> times, bool with_local = false,
                                         Executor* executor = nullptr);

// Where the matrices of a batch are written to, as plain bytes that need not be set before: that of
// item i begins at byte i * sizeof(Matrix4d), which need not be aligned.
struct XformColumns {
  char* world = nullptr;
  char* local = nullptr;  // null unless wanted
};

// As ComputeXforms, without a copy of the matrices. Those of invalid prims are zeros. Returns which
// prims reset the transform stack.
absl::StatusOr<std::vector<bool>> ComputeXformsInto(const XformColumns& columns,
                                                    RequestContext& context,
                                                    std::span<const Prim> prims,
                                                    std::span<const TimeCode> times,
                                                    Executor* executor = nullptr);

// Takes the world transforms of consecutive prims, from `first` on: with T times, element
// (p - first) * T + t is that of prim p at time t.
using XformBlockSink = std::function<void(size_t first, std::span<const Matrix4d> world)>;

// The most times for ComputeXformBlocks.
inline constexpr size_t kMaxXformBlockTimes = 16;

// As ComputeXformsInto, for blocks of `block` prims, without memory for all of them at once. Calls
// `take` on several threads.
absl::StatusOr<std::vector<bool>> ComputeXformBlocks(RequestContext& context,
                                                     std::span<const Prim> prims,
                                                     std::span<const TimeCode> times, size_t block,
                                                     const XformBlockSink& take,
                                                     Executor* executor = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_

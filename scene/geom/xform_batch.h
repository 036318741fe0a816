// World transforms of many prims at many times in one go.
#ifndef STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reserved_bytes.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time.h"
#include "scene/values/linear.h"

namespace stagedoor {

// What ComputeXforms gives: item i is prim i / times at time i % times.
struct XformBatch {
  std::vector<Matrix4d> world;
  std::vector<Matrix4d> local;  // empty unless asked for
  std::vector<bool> resets;     // by prim: the transforms of its ancestors do not count
  ReservedBytes reserved;       // for the matrices, as long as this is held
};

// What XformCache gives prim by prim and time by time, on the executor where it is not null.
// Ancestors are evaluated once a time, and a prim at all times together. Prims are of one stage;
// invalid ones get the identity. Errors: those of the context.
absl::StatusOr<XformBatch> ComputeXforms(RequestContext& context, std::span<const Prim> prims,
                                         std::span<const Time> times, bool with_local = false,
                                         Executor* executor = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_BATCH_H_

#ifndef STAGEDOOR_SCENE_GEOM_XFORM_MOTION_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_MOTION_H_

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/source_sink.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// When the world transforms of prims vary within a shutter.
struct XformMotion {
  // For each prim, the samples of its xformOps and of those of its ancestors, up to one that resets
  // the transform stack; null if none of them varies. Prims that move with the same ancestors share
  // a list.
  std::vector<std::shared_ptr<const MotionTimes>> times;
  Reservation reserved;  // reservation for the lists
};

// The times of world transforms in [begin, end]. All valid prims must belong to one stage. Errors:
// those of the context.
absl::StatusOr<XformMotion> FindXformMotion(RequestContext& context, std::span<const Prim> prims,
                                            double begin, double end);

// Adds the sources of the world transform of one prim, which may be invalid; if `root` is at or
// above it, those of the transform to the space of `root`.
absl::Status AddXformMotion(RequestContext& context, const Prim& prim, SourceSink* sink,
                            const Prim& root = {});

// Adds the sources of the transform from one prim to the other: as above for both, without those of
// the ancestors that move both alike. Both prims must be valid.
absl::Status AddRelativeXformMotion(RequestContext& context, const Prim& a, const Prim& b,
                                    SourceSink* sink);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_MOTION_H_

// The points of moving prims. Corresponds to OpenUSD's UsdGeomPointBased and UsdGeomMotionAPI.
// Thread-safe.
#ifndef STAGEDOOR_SCENE_GEOM_POINT_BASED_H_
#define STAGEDOOR_SCENE_GEOM_POINT_BASED_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reserved_bytes.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

struct PointsAtTime {
  Array<Vec3f> points;
  ReservedBytes reserved;  // reservation for points that have been advanced
};

// Computes the points of a PointBased prim at `time`, in its space. Points are advanced from the
// sample at or before `base_time` by velocities and accelerations if these have samples at the same
// times and as many elements; otherwise they are interpolated at `time` or, if they are not as many
// there, those of the sample. Empty if the prim has no points at `base_time`.
// UsdGeomPointBased::ComputePointsAtTime.
//
// Errors: FAILED_PRECONDITION if only one of the times is the default time; those of the context.
absl::StatusOr<PointsAtTime> ComputePoints(RequestContext& context, const Prim& prim, TimeCode time,
                                           TimeCode base_time);

// How a prim is to be blurred by motion: the closest opinions of prims with MotionAPI at and above
// it.
struct MotionSettings {
  float blur_scale = 1;            // MotionAPI::ComputeMotionBlurScale
  int nonlinear_sample_count = 3;  // MotionAPI::ComputeNonlinearSampleCount
  float velocity_scale = 1;        // MotionAPI::ComputeVelocityScale
};
MotionSettings ComputeMotionSettings(RequestContext& context, const Prim& prim, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_POINT_BASED_H_

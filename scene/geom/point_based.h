#ifndef STAGEDOOR_SCENE_GEOM_POINT_BASED_H_
#define STAGEDOOR_SCENE_GEOM_POINT_BASED_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The points of moving prims. Corresponds to OpenUSD's UsdGeomPointBased and UsdGeomMotionAPI.
// Thread-safe.

class MotionTimes;

struct PointsAtTime {
  Array<Vec3f> points;
  Reservation reserved;  // reservation for points that have been advanced
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
// The number of samples for motion that is computed from rates of change at `time`: 2 if it is
// along lines, otherwise nonlinear_sample_count, from 2 to SamplePolicy::kMostSamples.
size_t CountRateSamples(RequestContext& context, const Prim& prim, TimeCode time, bool along_lines);

// Adds the times of a PointBased prim's points in a shutter around `base_time`, which must be
// numeric: evenly spaced ones if ComputePoints advances them, otherwise the samples of the points.
absl::Status AddPointsMotion(RequestContext& context, const Prim& prim, TimeCode base_time,
                             MotionTimes* times);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_POINT_BASED_H_

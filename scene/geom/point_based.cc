#include "scene/geom/point_based.h"

#include <algorithm>
#include <utility>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/moving_array_reader.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// Computed in single precision, like the arrays. `accelerations` may be empty.
absl::StatusOr<PointsAtTime> Advanced(RequestContext& context, const Array<Vec3f>& points,
                                      const Array<Vec3f>& velocities,
                                      const Array<Vec3f>& accelerations, double seconds) {
  PointsAtTime result{.reserved = Reservation(context)};
  SD_RETURN_IF_ERROR(result.reserved.Grow(points.size() * sizeof(Vec3f), "points in motion"));
  Vec3f* out;
  result.points = Array<Vec3f>::Uninitialized(points.size(), &out);
  Pacer pacer(context);
  for (size_t i = 0; i < points.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step());
    Vec3f velocity = velocities[i];
    if (!accelerations.empty()) velocity = velocity + seconds * accelerations[i] * 0.5;
    out[i] = points[i] + seconds * velocity;
  }
  return result;
}

// Sets *out to the value of the closest opinion, if there is one.
template <typename T>
void ReadInherited(RequestContext& context, const Prim& prim, Token name, TimeCode time, T* out) {
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!at.HasApi(Geom().MotionAPI) || !HasAuthoredValue(context, at, name)) continue;
    if (const auto value = AttributeValueAs<T>(context, at, name, time)) {
      *out = *value;
      return;
    }
  }
}

}  // namespace

absl::StatusOr<PointsAtTime> ComputePoints(RequestContext& context, const Prim& prim, TimeCode time,
                                           TimeCode base_time) {
  if (time.is_default() != base_time.is_default()) {
    return FailedPreconditionError(prim.PathText(),
                                   ": the time and the base time must both be the default time, or "
                                   "none of them");
  }
  MovingArrayReader reader(context, prim, base_time, MovingArrayReader::kAnyCount);
  Array<Vec3f> points, velocities, accelerations;
  double sample = 0;
  if (reader.ReadMoving(Geom().points, Geom().velocities, &points, &velocities, &sample)) {
    reader.ReadAccelerations(&accelerations);
    return Advanced(context, points, velocities, accelerations, SecondsSince(prim, sample, time));
  }
  PointsAtTime result{.reserved = Reservation(context)};
  // As in OpenUSD, points at `time` must be as many as in the sample, which is used otherwise.
  const Array<Vec3f> held = reader.ReadHeld<Vec3f>(Geom().points);
  result.points = AttributeArray<Vec3f>(context, prim, Geom().points, time);
  if (result.points.size() != held.size()) result.points = held;
  SD_RETURN_IF_ERROR(context.Check());
  return result;
}

MotionSettings ComputeMotionSettings(RequestContext& context, const Prim& prim, TimeCode time) {
  MotionSettings settings;
  ReadInherited(context, prim, Geom().motion_blurScale, time, &settings.blur_scale);
  ReadInherited(context, prim, Geom().motion_nonlinearSampleCount, time,
                &settings.nonlinear_sample_count);
  ReadInherited(context, prim, Geom().motion_velocityScale, time, &settings.velocity_scale);
  return settings;
}

size_t CountRateSamples(RequestContext& context, const Prim& prim, TimeCode time,
                        bool along_lines) {
  if (along_lines) return 2;
  const int count = ComputeMotionSettings(context, prim, time).nonlinear_sample_count;
  return static_cast<size_t>(std::clamp(count, 2, static_cast<int>(SamplePolicy::kMostSamples)));
}

absl::Status AddPointsMotion(RequestContext& context, const Prim& prim, TimeCode base_time,
                             MotionTimes* times) {
  MovingArrayReader reader(context, prim, base_time, MovingArrayReader::kAnyCount);
  Array<Vec3f> points, velocities, accelerations;
  double sample = 0;
  if (reader.ReadMoving(Geom().points, Geom().velocities, &points, &velocities, &sample)) {
    reader.ReadAccelerations(&accelerations);
    times->AddEven(CountRateSamples(context, prim, base_time, accelerations.empty()), prim,
                   accelerations.empty() ? Geom().velocities : Geom().accelerations);
    return context.Check();
  }
  return times->Add(context, AttributeQuery(context, prim.GetAttribute(Geom().points)));
}

}  // namespace stagedoor

#include "scene/geom/instance_transforms.h"

#include <utility>

#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// Scale and orientation of an instance.
Matrix4d LinearPart(const InstanceArrays& arrays, size_t i) {
  Matrix4d m = Matrix4d::Identity();
  if (!arrays.scales.empty()) m = ScaleMatrix(VecCast<double>(arrays.scales[i]));
  if (arrays.orientations.empty()) return m;
  m = m * RotationMatrix(QuatCast<double>(arrays.orientations[i]));
  if (!arrays.angular_velocities.empty()) {
    const Vec3f& velocity = arrays.angular_velocities[i];
    m = m *
        AxisRotationMatrix(VecCast<double>(velocity), arrays.angular_seconds * Length(velocity));
  }
  return m;
}

// Computed in single precision, like the arrays.
Vec3f PositionOf(const InstanceArrays& arrays, size_t i) {
  Vec3f position = arrays.positions[i];
  if (arrays.velocities.empty()) return position;
  Vec3f velocity = arrays.velocities[i];
  if (!arrays.accelerations.empty()) {
    velocity = velocity + arrays.seconds * arrays.accelerations[i] * 0.5;
  }
  return position + arrays.seconds * velocity;
}

// The orientation, which may have the rounding of half floats, and then the turn since its sample.
Quatf OrientationOf(const InstanceArrays& arrays, size_t i) {
  const Vec3f& velocity = arrays.angular_velocities[i];
  const Quatd turn =
      AxisAngle(VecCast<double>(velocity), arrays.angular_seconds * Length(velocity));
  return QuatCast<float>(turn * Normalized(QuatCast<double>(arrays.orientations[i])));
}

}  // namespace

std::vector<Matrix4d> ComputeInstanceTransforms(const InstanceArrays& arrays,
                                                std::span<const Matrix4d> proto_transforms) {
  std::vector<Matrix4d> result(arrays.proto_indices.size());
  ComputeInstanceTransforms(arrays, proto_transforms, 0, result);
  return result;
}

void ComputeInstanceTransforms(const InstanceArrays& arrays,
                               std::span<const Matrix4d> proto_transforms, size_t first,
                               std::span<Matrix4d> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    Matrix4d m = LinearPart(arrays, first + i);
    SetTranslateOnly(VecCast<double>(PositionOf(arrays, first + i)), &m);
    const size_t prototype = static_cast<size_t>(arrays.proto_indices[first + i]);
    out[i] = proto_transforms.empty() ? m : proto_transforms[prototype] * m;
  }
}

InstanceArrays WithoutRates(InstanceArrays arrays) {
  if (!arrays.velocities.empty()) {
    Vec3f* positions;
    auto moved = Array<Vec3f>::Uninitialized(arrays.positions.size(), &positions);
    for (size_t i = 0; i < moved.size(); ++i) positions[i] = PositionOf(arrays, i);
    arrays.positions = std::move(moved);
  }
  if (!arrays.angular_velocities.empty() && !arrays.orientations.empty()) {
    Quatf* orientations;
    auto turned = Array<Quatf>::Uninitialized(arrays.positions.size(), &orientations);
    for (size_t i = 0; i < turned.size(); ++i) orientations[i] = OrientationOf(arrays, i);
    arrays.orientations = std::move(turned);
  }
  arrays.velocities = arrays.accelerations = arrays.angular_velocities = Array<Vec3f>();
  arrays.seconds = arrays.angular_seconds = 0;
  return arrays;
}

}  // namespace stagedoor

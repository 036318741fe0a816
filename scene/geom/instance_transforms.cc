#include "scene/geom/instance_transforms.h"

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

}  // namespace stagedoor

#include "scene/geom/frustum.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "scene/values/matrix_math.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr double kApertureUnit = 0.1;     // of the stage's unit
constexpr double kFocalLengthUnit = 0.1;  // of the stage's unit
constexpr double kMinLength = 1e-10;

ConformPolicy ResolvePolicy(const Vec2d& size, ConformPolicy policy, double aspect_ratio) {
  if (policy != ConformPolicy::kFit && policy != ConformPolicy::kCrop) return policy;
  const double aspect = size[1] != 0 ? size[0] / size[1] : 1;
  const bool wider = aspect > aspect_ratio;
  return wider == (policy == ConformPolicy::kFit) ? ConformPolicy::kMatchHorizontally
                                                  : ConformPolicy::kMatchVertically;
}

double FieldOfView(double aperture, double focal_length) {
  const double half = aperture * kApertureUnit / (2 * focal_length * kFocalLengthUnit);
  return 2 * std::atan(half) * 180 / std::numbers::pi;
}

// The rotation of an orthonormal matrix, as GfRotation keeps it: by an axis and an angle, none if
// the axis is too short.
Matrix4d RotationOf(const Matrix4d& m) {
  const Quatd q = ExtractRotation(m);
  const double length = Length(q.imaginary);
  if (!(length > kMinLength)) return Matrix4d::Identity();
  const double radians = 2 * std::acos(std::fmin(std::fmax(q.real, -1), 1));
  return AxisRotationMatrix(q.imaginary, radians * 180 / std::numbers::pi);
}

}  // namespace

Vec2d ConformedSize(const Vec2d& size, ConformPolicy policy, double aspect_ratio) {
  switch (ResolvePolicy(size, policy, aspect_ratio)) {
    case ConformPolicy::kMatchHorizontally:
      return {size[0], size[0] / (aspect_ratio != 0 ? aspect_ratio : 1)};
    case ConformPolicy::kMatchVertically:
      return {size[1] * aspect_ratio, size[1]};
    default:
      return size;
  }
}

Matrix4d Frustum::ProjectionMatrix() const {
  const double width = max[0] - min[0];
  const double height = max[1] - min[1];
  const double depth = far - near;
  const double x = (max[0] + min[0]) / width;
  const double y = (max[1] + min[1]) / height;
  Matrix4d m;
  m[0][0] = 2 / width;
  m[1][1] = 2 / height;
  if (orthographic) {
    m[2][2] = -2 / depth;
    m[3][0] = -x;
    m[3][1] = -y;
    m[3][2] = -(far + near) / depth;
    m[3][3] = 1;
  } else {
    m[2][0] = x;
    m[2][1] = y;
    m[2][2] = -(far + near) / depth;
    m[2][3] = -1;
    m[3][2] = -2 * near * far / depth;
  }
  return m;
}

Frustum FrustumOf(const Camera& camera, ConformPolicy policy, double aspect_ratio) {
  const Vec2d size =
      ConformedSize({camera.horizontal_aperture, camera.vertical_aperture}, policy, aspect_ratio);
  const Vec2d center{camera.horizontal_aperture_offset, camera.vertical_aperture_offset};
  const double focal_length = camera.focal_length;
  Frustum frustum;
  frustum.orthographic = camera.orthographic;
  double scale = kApertureUnit;
  if (!camera.orthographic && focal_length != 0) scale /= focal_length * kFocalLengthUnit;
  frustum.min = (center - size * 0.5) * scale;
  frustum.max = (center + size * 0.5) * scale;
  if (scale < 0) std::swap(frustum.min, frustum.max);
  frustum.near = camera.clipping_range[0];
  frustum.far = camera.clipping_range[1];
  frustum.horizontal_field_of_view = FieldOfView(size[0], focal_length);
  frustum.vertical_field_of_view = FieldOfView(size[1], focal_length);
  return frustum;
}

Matrix4d ViewMatrix(const Matrix4d& local_to_world) {
  Matrix4d rigid = local_to_world;
  // As in OpenUSD, a matrix without handedness is mirrored, too.
  if (!(Determinant3(rigid) > 0)) rigid = ScaleMatrix({-1, 1, 1}) * rigid;
  Orthonormalize(&rigid);
  return TranslationMatrix(-ExtractTranslation(rigid)) * Transpose(RotationOf(rigid));
}

}  // namespace stagedoor

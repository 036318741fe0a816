#ifndef STAGEDOOR_SCENE_GEOM_FRUSTUM_H_
#define STAGEDOOR_SCENE_GEOM_FRUSTUM_H_

#include <cstdint>

#include "scene/geom/camera.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The viewing frustum of a camera. Corresponds to OpenUSD's GfFrustum and CameraUtilConformWindow.
// Pure functions.

// How an aperture is fitted to the aspect ratio of an image: CameraUtilConformWindowPolicy.
enum class ConformPolicy : uint8_t {
  kMatchVertically,    // keep the height, change the width
  kMatchHorizontally,  // keep the width, change the height
  kFit,                // enlarge one of them, so that nothing of the aperture is lost
  kCrop,               // reduce one of them, so that nothing outside of the aperture is seen
  kDontConform,        // keep both
};

// The width and height that replace `size` in an image whose width is `aspect_ratio` times its
// height. Their center remains.
Vec2d ConformedSize(const Vec2d& size, ConformPolicy policy, double aspect_ratio);

// In camera space, the camera is at the origin, looks along -z, and y is up.
struct Frustum {
  bool orthographic = false;
  // The visible rectangle: for a perspective camera at the distance of 1, in the stage's unit. The
  // minimum is greater than the maximum for a negative aperture.
  Vec2d min;
  Vec2d max;
  double near = 1;
  double far = 10;
  // The angles between the sides of the aperture, in degrees, as if the camera were a perspective
  // one. Negative for a negative focal length, nan for one of 0 if the aperture is 0, too.
  double horizontal_field_of_view = 0;
  double vertical_field_of_view = 0;

  // From camera space to the cube from -1 to 1, whose z is -1 at `near`. Its elements are not
  // finite if the rectangle or the range is empty.
  Matrix4d ProjectionMatrix() const;
};

// GfCamera::GetFrustum, conformed to `aspect_ratio`, which is ignored for kDontConform.
Frustum FrustumOf(const Camera& camera, ConformPolicy policy, double aspect_ratio);

// From world space to camera space for a camera with this transform, without its scale and shear:
// GfFrustum::ComputeViewMatrix.
Matrix4d ViewMatrix(const Matrix4d& local_to_world);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_FRUSTUM_H_

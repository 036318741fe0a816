#ifndef STAGEDOOR_SCENE_LOD_VIEW_VOLUME_H_
#define STAGEDOOR_SCENE_LOD_VIEW_VOLUME_H_

#include <array>

#include "scene/geom/bbox3d.h"
#include "scene/geom/frustum.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The view of a camera, and how much of the image a box covers. Corresponds to what UsdLod computes
// with a GfFrustum.

// The volume that is seen, in world space. Immutable.
class ViewVolume {
 public:
  // `view_matrix` is from world space to camera space, without scale and shear.
  ViewVolume(const Frustum& frustum, const Matrix4d& view_matrix);

  // The share of the view plane's window that a sphere around a box covers, at the distance of its
  // center: 0 if it is outside, more than 1 if it is larger, DBL_MAX at the position of the camera.
  // The sphere's diameter is the diagonal of the box.
  double SphereSize(const Range3d& box, const Matrix4d& local_to_world) const;
  // The share that the outline of the box covers, cut at the near plane only: 0 if the box is
  // outside, more than 1 if it is larger than the window.
  double ExtentSize(const Range3d& box, const Matrix4d& local_to_world) const;

 private:
  // Points p with Dot(normal, p) >= distance are inside.
  struct Plane {
    Vec3d normal{0, 0, 0};
    double distance = 0;
  };
  using Corners = std::array<Vec3d, 8>;

  bool Misses(const Corners& corners) const;
  double WindowArea() const;

  Frustum frustum_;
  Matrix4d view_matrix_;
  Vec3d position_{0, 0, 0};
  std::array<Plane, 6> planes_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_VIEW_VOLUME_H_

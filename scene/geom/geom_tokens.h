#ifndef STAGEDOOR_SCENE_GEOM_GEOM_TOKENS_H_
#define STAGEDOOR_SCENE_GEOM_GEOM_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// clang-format off
#define STAGEDOOR_GEOM_TOKENS(X)                                                                   \
  X(Typed)                                                                                         \
  X(Imageable) X(Gprim)                                                                            \
  X(Xformable) X(Boundable) X(PointBased) X(Points) X(Curves) X(Sphere) X(Cube) X(Cone)            \
      X(Cylinder) X(Capsule) X(Cylinder_1) X(Capsule_1) X(Plane) X(PointInstancer) X(Mesh)         \
          X(RectLight) X(PortalLight) X(DiskLight) X(SphereLight) X(CylinderLight) X(xformOpOrder) \
              X(visibility) X(invisible) X(inherited) X(purpose) X(render) X(proxy) X(guide)       \
                  X(extent) X(extentsHint) X(radius) X(radiusTop) X(radiusBottom) X(height)        \
                      X(size) X(axis) X(width) X(length) X(points) X(widths) X(normals)            \
                          X(velocities) X(accelerations) X(protoIndices) X(positions)              \
                              X(orientations) X(orientationsf) X(scales) X(angularVelocities)      \
                                  X(invisibleIds) X(inactiveIds) X(ids) X(prototypes) X(constant)  \
                                      X(uniform) X(varying) X(vertex) X(faceVarying)               \
                                          X(interpolation) X(elementSize) X(component)             \
                                              X(subcomponent)                                      \
  X(Camera) X(projection) X(orthographic) X(horizontalAperture) X(verticalAperture)                \
      X(horizontalApertureOffset) X(verticalApertureOffset) X(focalLength) X(clippingRange)        \
          X(clippingPlanes) X(fStop) X(focusDistance) X(stereoRole) X(exposure)         \
  X(VisibilityAPI) X(visible) X(guideVisibility) X(proxyVisibility) X(renderVisibility)            \
      X(proxyPrim) X(MotionAPI)                                                                    \
  X(GeomSubset) X(TetMesh) X(BasisCurves) X(elementType) X(familyName) X(indices) X(face) X(point) \
      X(edge) X(segment) X(tetrahedron) X(partition) X(unrestricted) X(faceVertexCounts)           \
          X(faceVertexIndices) X(surfaceFaceVertexIndices) X(tetVertexIndices)                     \
              X(curveVertexCounts) X(type) X(basis) X(wrap) X(linear) X(cubic) X(bezier)           \
                  X(bspline) X(catmullRom) X(nonperiodic) X(periodic) X(pinned)                    \
  X(HermiteCurves) X(NurbsCurves) X(NurbsPatch) X(tangents) X(orientation) X(leftHanded)
// clang-format on

// The names of UsdGeom's and UsdLux's types, attributes and values that queries use, interned once.
// Corresponds to OpenUSD's UsdGeomTokens.
struct GeomTokens {
#define X(name) const Token name{#name};
  STAGEDOOR_GEOM_TOKENS(X)
#undef X
  const Token default_{"default"};
  const Token inputs_width{"inputs:width"};
  const Token inputs_height{"inputs:height"};
  const Token inputs_radius{"inputs:radius"};
  const Token inputs_length{"inputs:length"};
  const Token shutter_open{"shutter:open"};
  const Token shutter_close{"shutter:close"};
  const Token exposure_time{"exposure:time"};
  const Token exposure_iso{"exposure:iso"};
  const Token exposure_fStop{"exposure:fStop"};
  const Token exposure_responsivity{"exposure:responsivity"};
  const Token motion_blurScale{"motion:blurScale"};
  const Token motion_nonlinearSampleCount{"motion:nonlinearSampleCount"};
  const Token motion_velocityScale{"motion:velocityScale"};
};

const GeomTokens& Geom();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_GEOM_TOKENS_H_

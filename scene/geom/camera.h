#ifndef STAGEDOOR_SCENE_GEOM_CAMERA_H_
#define STAGEDOOR_SCENE_GEOM_CAMERA_H_

#include <cstddef>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The values of cameras. Correspond to OpenUSD's UsdGeomCamera and GfCamera.

class MotionTimes;

// A camera at one time, without its transform. Apertures and focal length are in tenths of the
// stage's unit, distances in the stage's unit. The initial values are those of GfCamera.
struct Camera {
  bool orthographic = false;
  float horizontal_aperture = 20.955F;
  float vertical_aperture = 15.2908F;
  float horizontal_aperture_offset = 0;
  float vertical_aperture_offset = 0;
  float focal_length = 50;
  Vec2f clipping_range{1, 1000000};
  Array<Vec4f> clipping_planes;
  float f_stop = 0;
  float focus_distance = 0;
  double shutter_open = 0;   // in frames, from the time on
  double shutter_close = 0;  // in frames, from the time on
  float exposure = 0;        // in stops
  // The factor of the radiance that exposure and the four attributes exposure:* amount to:
  // UsdGeomCamera::ComputeLinearExposureScale.
  float linear_exposure_scale = 1;
};

// The attributes of a Camera prim, whose value sources are determined once. Immutable and
// thread-safe; valid as long as the stage snapshot.
class CameraQuery {
 public:
  // The prim must be a Camera (Prim::IsA).
  CameraQuery(RequestContext& context, const Prim& camera);

  // As UsdGeomCamera::GetCamera: an attribute without a value leaves the initial one.
  Camera At(RequestContext& context, TimeCode time) const;
  // Adds the samples of what At reads, without those of the shutter's times and of the transform.
  absl::Status AddMotionTimes(RequestContext& context, MotionTimes* times) const;
  // The attribute `stereoRole` at default time: "mono", "left", "right" or another authored token.
  Token StereoRole(RequestContext& context) const;

 private:
  float LinearExposureScale(RequestContext& context, TimeCode time, float exposure) const;

  AttributeQuery projection_, horizontal_aperture_, vertical_aperture_, horizontal_aperture_offset_,
      vertical_aperture_offset_, focal_length_, clipping_range_, clipping_planes_, f_stop_,
      focus_distance_, shutter_open_, shutter_close_, stereo_role_;
  AttributeQuery exposure_, exposure_time_, exposure_iso_, exposure_f_stop_, exposure_responsivity_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_CAMERA_H_

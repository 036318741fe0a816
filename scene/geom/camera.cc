#include "scene/geom/camera.h"

#include <cmath>
#include <optional>

#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/motion_times.h"

namespace stagedoor {
namespace {

AttributeQuery QueryOf(RequestContext& context, const Prim& prim, Token name) {
  return AttributeQuery(context, prim.GetAttribute(name));
}

// Sets *out to the value if there is one of its type.
template <typename T>
void ReadInto(RequestContext& context, const AttributeQuery& query, TimeCode time, T* out) {
  const std::optional<T> value = time.is_default() ? TypedValue<T>(context, query.attribute(), time)
                                                   : query.GetAs<T>(context, time);
  if (value) *out = *value;
}

}  // namespace

CameraQuery::CameraQuery(RequestContext& context, const Prim& camera)
    : projection_(QueryOf(context, camera, Geom().projection)),
      horizontal_aperture_(QueryOf(context, camera, Geom().horizontalAperture)),
      vertical_aperture_(QueryOf(context, camera, Geom().verticalAperture)),
      horizontal_aperture_offset_(QueryOf(context, camera, Geom().horizontalApertureOffset)),
      vertical_aperture_offset_(QueryOf(context, camera, Geom().verticalApertureOffset)),
      focal_length_(QueryOf(context, camera, Geom().focalLength)),
      clipping_range_(QueryOf(context, camera, Geom().clippingRange)),
      clipping_planes_(QueryOf(context, camera, Geom().clippingPlanes)),
      f_stop_(QueryOf(context, camera, Geom().fStop)),
      focus_distance_(QueryOf(context, camera, Geom().focusDistance)),
      shutter_open_(QueryOf(context, camera, Geom().shutter_open)),
      shutter_close_(QueryOf(context, camera, Geom().shutter_close)),
      stereo_role_(QueryOf(context, camera, Geom().stereoRole)),
      exposure_(QueryOf(context, camera, Geom().exposure)),
      exposure_time_(QueryOf(context, camera, Geom().exposure_time)),
      exposure_iso_(QueryOf(context, camera, Geom().exposure_iso)),
      exposure_f_stop_(QueryOf(context, camera, Geom().exposure_fStop)),
      exposure_responsivity_(QueryOf(context, camera, Geom().exposure_responsivity)) {}

Camera CameraQuery::At(RequestContext& context, TimeCode time) const {
  Camera camera;
  Token projection;
  ReadInto(context, projection_, time, &projection);
  camera.orthographic = projection == Geom().orthographic;
  ReadInto(context, horizontal_aperture_, time, &camera.horizontal_aperture);
  ReadInto(context, vertical_aperture_, time, &camera.vertical_aperture);
  ReadInto(context, horizontal_aperture_offset_, time, &camera.horizontal_aperture_offset);
  ReadInto(context, vertical_aperture_offset_, time, &camera.vertical_aperture_offset);
  ReadInto(context, focal_length_, time, &camera.focal_length);
  ReadInto(context, clipping_range_, time, &camera.clipping_range);
  ReadInto(context, clipping_planes_, time, &camera.clipping_planes);
  ReadInto(context, f_stop_, time, &camera.f_stop);
  ReadInto(context, focus_distance_, time, &camera.focus_distance);
  ReadInto(context, shutter_open_, time, &camera.shutter_open);
  ReadInto(context, shutter_close_, time, &camera.shutter_close);
  ReadInto(context, exposure_, time, &camera.exposure);
  camera.linear_exposure_scale = LinearExposureScale(context, time, camera.exposure);
  return camera;
}

float CameraQuery::LinearExposureScale(RequestContext& context, TimeCode time,
                                       float exposure) const {
  float seconds = 1, iso = 100, f_stop = 1, responsivity = 1;
  ReadInto(context, exposure_time_, time, &seconds);
  ReadInto(context, exposure_iso_, time, &iso);
  ReadInto(context, exposure_f_stop_, time, &f_stop);
  ReadInto(context, exposure_responsivity_, time, &responsivity);
  return (seconds * iso * std::pow(2.0F, exposure) * responsivity) / (100.0F * f_stop * f_stop);
}

absl::Status CameraQuery::AddMotionTimes(RequestContext& context, MotionTimes* times) const {
  for (const AttributeQuery* query :
       {&projection_, &horizontal_aperture_, &vertical_aperture_, &horizontal_aperture_offset_,
        &vertical_aperture_offset_, &focal_length_, &clipping_range_, &clipping_planes_, &f_stop_,
        &focus_distance_, &exposure_, &exposure_time_, &exposure_iso_, &exposure_f_stop_,
        &exposure_responsivity_}) {
    SD_RETURN_IF_ERROR(times->Add(context, *query));
  }
  return absl::OkStatus();
}

Token CameraQuery::StereoRole(RequestContext& context) const {
  Token role;
  ReadInto(context, stereo_role_, TimeCode::Default(), &role);
  return role;
}

}  // namespace stagedoor

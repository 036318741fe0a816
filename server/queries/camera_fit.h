#ifndef STAGEDOOR_SERVER_QUERIES_CAMERA_FIT_H_
#define STAGEDOOR_SERVER_QUERIES_CAMERA_FIT_H_

#include "absl/status/status.h"
#include "scene/geom/frustum.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// INVALID_ARGUMENT (INVALID_FIELD) if the aspect ratio of a request is negative or not finite.
absl::Status CheckAspectRatio(double aspect_ratio);

// How a camera is fitted to an image of this aspect ratio, which is 0 to keep the camera's shape.
ConformPolicy ParseConformPolicy(v1::ConformPolicy policy, double aspect_ratio);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_CAMERA_FIT_H_

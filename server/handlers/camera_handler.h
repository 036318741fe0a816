#ifndef STAGEDOOR_SERVER_HANDLERS_CAMERA_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_CAMERA_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// GeomService.ComputeCameras; geom.proto documents it.
absl::Status ComputeCameras(const QueryState& state, RequestContext& context,
                            const v1::ComputeCamerasRequest& request,
                            v1::ComputeCamerasResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_CAMERA_HANDLER_H_

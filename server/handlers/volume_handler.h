#ifndef STAGEDOOR_SERVER_HANDLERS_VOLUME_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_VOLUME_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/render.pb.h"

namespace stagedoor::server {

struct QueryState;

// RenderService.ComputeVolumeFields; render.proto documents it.
absl::Status ComputeVolumeFields(const QueryState& state, RequestContext& context,
                                 const v1::ComputeVolumeFieldsRequest& request,
                                 v1::ComputeVolumeFieldsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_VOLUME_HANDLER_H_

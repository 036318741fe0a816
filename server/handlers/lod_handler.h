#ifndef STAGEDOOR_SERVER_HANDLERS_LOD_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_LOD_HANDLER_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// GeomService.ComputeLevelsOfDetail; geom.proto documents it.
absl::Status ComputeLevelsOfDetail(const QueryState& state, RequestContext& context,
                                   const v1::ComputeLevelsOfDetailRequest& request,
                                   v1::ComputeLevelsOfDetailResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LOD_HANDLER_H_

#ifndef STAGEDOOR_SERVER_HANDLERS_MATERIAL_NETWORK_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_MATERIAL_NETWORK_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC of ShadeService about networks; shade.proto documents it.
absl::StatusOr<ResponseStreamPtr<v1::ComputeMaterialNetworksResponse>> ComputeMaterialNetworks(
    const QueryState& state, RequestContext& context,
    const v1::ComputeMaterialNetworksRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_MATERIAL_NETWORK_HANDLER_H_

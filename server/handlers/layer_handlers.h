#ifndef STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor {

// The handlers of LayersService; the proto file documents them.
absl::StatusOr<ResponseStreamPtr<v1::ReadLayerResponse>> ReadLayer(
    ServerState& state, RequestContext& context, const v1::ReadLayerRequest& request);

// Opens a layer as a request names it. Errors carry the layer's reason and the asset.
absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(ServerState& state,
                                                            RequestContext& context,
                                                            const std::string& identifier);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

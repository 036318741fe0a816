#ifndef STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor {

// The RPCs of LayersService that read layers; layers.proto documents them.
absl::StatusOr<ResponseStreamPtr<v1::ReadLayerResponse>> ReadLayer(
    ServerState& state, RequestContext& context, const v1::ReadLayerRequest& request);

// Opens a layer that a request names. Errors: INVALID_ARGUMENT (INVALID_FIELD) for a malformed
// asset path; those of LayerRegistry::Open, with the reason and the asset (WithLayerReason).
absl::StatusOr<std::shared_ptr<const Layer>> OpenNamedLayer(ServerState& state,
                                                            RequestContext& context,
                                                            const std::string& identifier);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

#ifndef STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct AssetState;

// The RPCs of LayersService about single layers; layers.proto documents them. The messages of
// ReadLayer are in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> ReadLayer(const AssetState& state,
                                                        RequestContext& context,
                                                        const v1::ReadLayerRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::ConvertLayerResponse>> ConvertLayer(
    const AssetState& state, RequestContext& context, const v1::ConvertLayerRequest& request);
absl::Status ValidateLayer(const AssetState& state, RequestContext& context,
                           const v1::ValidateLayerRequest& request,
                           v1::ValidateLayerResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_LAYER_HANDLERS_H_

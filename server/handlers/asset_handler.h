#ifndef STAGEDOOR_SERVER_HANDLERS_ASSET_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_ASSET_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct SourceState;

// The RPC of LayersService that reads the bytes of an asset; layers.proto documents it.
absl::StatusOr<ResponseStreamPtr<v1::ReadAssetResponse>> ReadAsset(
    const SourceState& state, RequestContext& context, const v1::ReadAssetRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_ASSET_HANDLER_H_

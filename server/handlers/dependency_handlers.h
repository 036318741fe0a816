#ifndef STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor {

// The handlers of LayersService that make layers or judge them; the proto file documents them.
absl::StatusOr<ResponseStreamPtr<v1::ConvertLayerResponse>> ConvertLayer(
    ServerState& state, RequestContext& context, const v1::ConvertLayerRequest& request);
absl::Status ValidateLayer(ServerState& state, RequestContext& context,
                           const v1::ValidateLayerRequest& request,
                           v1::ValidateLayerResponse* response);
absl::StatusOr<ResponseStreamPtr<v1::FlattenStageResponse>> FlattenStage(
    ServerState& state, RequestContext& context, const v1::FlattenStageRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::ListDependenciesResponse>> ListDependencies(
    ServerState& state, RequestContext& context, const v1::ListDependenciesRequest& request);

absl::StatusOr<ResponseStreamPtr<v1::LocalizeStageResponse>> LocalizeStage(
    ServerState& state, RequestContext& context, const v1::LocalizeStageRequest& request);

// The file that holds a layer in a format, made as it is read; unspecified gives a crate file.
absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format);

// The snapshot a tool works on: of an open stage, or of one opened (or shared) for this.
absl::StatusOr<std::shared_ptr<const StageSnapshot>> AcquireSnapshot(ServerState& state,
                                                                     RequestContext& context,
                                                                     const v1::StageSource& source);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_

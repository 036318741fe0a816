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

// The RPCs of LayersService that make, validate or package layers; layers.proto documents them.
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

// The content of a file that holds the layer, produced as it is read. LAYER_FORMAT_UNSPECIFIED
// gives a crate file. INVALID_ARGUMENT (INVALID_FIELD) for a format that cannot be written.
absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format);

// The snapshot that a tool works on: of a leased stage, or of one that is opened for the call or
// shared with its lease holders. Errors: those of AcquireStage, or of ParseStageKey and
// StageCache::Open; INVALID_ARGUMENT (INVALID_FIELD) if the request names no stage.
absl::StatusOr<std::shared_ptr<const StageSnapshot>> AcquireSnapshot(ServerState& state,
                                                                     RequestContext& context,
                                                                     const v1::StageSource& source);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_

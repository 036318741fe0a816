#ifndef STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {

struct SourceState;

// The RPCs of LayersService about the files that a stage depends on; layers.proto documents them.
absl::StatusOr<ResponseStreamPtr<v1::ListDependenciesResponse>> ListDependencies(
    const SourceState& state, RequestContext& context, const v1::ListDependenciesRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::LocalizeStageResponse>> LocalizeStage(
    const SourceState& state, RequestContext& context, const v1::LocalizeStageRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_DEPENDENCY_HANDLERS_H_

#ifndef STAGEDOOR_SERVER_HANDLERS_COLLECTION_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_COLLECTION_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC of QueryService about collections; query.proto documents it.
absl::StatusOr<ResponseStreamPtr<v1::ListCollectionsResponse>> ListCollections(
    const QueryState& state, RequestContext& context, const v1::ListCollectionsRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_COLLECTION_HANDLER_H_

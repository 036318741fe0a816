#ifndef STAGEDOOR_SERVER_HANDLERS_VALUE_STREAM_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_VALUE_STREAM_HANDLERS_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPCs of QueryService that stream values and sample times; query.proto documents them.
// The messages are StreamValuesResponses and StreamTimeSamplesResponses in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamValues(const QueryState& state,
                                                           RequestContext& context,
                                                           const v1::StreamValuesRequest& request);
absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamTimeSamples(
    const QueryState& state, RequestContext& context, const v1::StreamTimeSamplesRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_VALUE_STREAM_HANDLERS_H_

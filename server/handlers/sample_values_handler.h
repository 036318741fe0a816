#ifndef STAGEDOOR_SERVER_HANDLERS_SAMPLE_VALUES_HANDLER_H_
#define STAGEDOOR_SERVER_HANDLERS_SAMPLE_VALUES_HANDLER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

struct QueryState;

// The RPC SampleValues of QueryService, which query.proto documents. The messages are
// SampleValuesResponses in wire form.
absl::StatusOr<ResponseStreamPtr<WireWriter>> SampleValues(const QueryState& state,
                                                           RequestContext& context,
                                                           const v1::SampleValuesRequest& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SAMPLE_VALUES_HANDLER_H_

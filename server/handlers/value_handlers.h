#ifndef STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// The handlers of QueryService about attribute values; the proto file documents them.
absl::Status BatchGetValues(ServerState& state, RequestContext& context,
                            const v1::BatchGetValuesRequest& request,
                            v1::BatchGetValuesResponse* response);
absl::Status ListTimeSamples(ServerState& state, RequestContext& context,
                             const v1::ListTimeSamplesRequest& request,
                             v1::ListTimeSamplesResponse* response);
absl::Status GetBracketingTimeSamples(ServerState& state, RequestContext& context,
                                      const v1::GetBracketingTimeSamplesRequest& request,
                                      v1::GetBracketingTimeSamplesResponse* response);

// stream_handlers.cc
absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamValues(ServerState& state,
                                                           RequestContext& context,
                                                           const v1::StreamValuesRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::StreamTimeSamplesResponse>> StreamTimeSamples(
    ServerState& state, RequestContext& context, const v1::StreamTimeSamplesRequest& request);

// explain_handler.cc
absl::Status Explain(ServerState& state, RequestContext& context, const v1::ExplainRequest& request,
                     v1::ExplainResponse* response);

// Whether a source that gives no value at a time does so because a layer blocks it.
bool EmptyIsBlocked(const AttributeSource& source);

// The samples of a source, at least those in an interval; null: all.
Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const v1::TimeInterval* interval);

// The part of ascending `times` that lies in an interval.
struct SampleRange {
  size_t first = 0;
  size_t last = 0;  // one behind
};
// INVALID_ARGUMENT (INVALID_TIME) for nan. `interval` may be null: everything.
absl::StatusOr<SampleRange> FindSampleRange(const Array<double>& times,
                                            const v1::TimeInterval* interval);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

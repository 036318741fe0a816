#ifndef STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

#include "absl/status/statusor.h"
#include "server/handlers/server_state.h"
#include "server/rpc/response_stream.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// The RPCs of QueryService about attribute values; query.proto documents them.
absl::Status BatchGetValues(ServerState& state, RequestContext& context,
                            const v1::BatchGetValuesRequest& request,
                            v1::BatchGetValuesResponse* response);
absl::Status ListTimeSamples(ServerState& state, RequestContext& context,
                             const v1::ListTimeSamplesRequest& request,
                             v1::ListTimeSamplesResponse* response);
absl::Status GetBracketingTimeSamples(ServerState& state, RequestContext& context,
                                      const v1::GetBracketingTimeSamplesRequest& request,
                                      v1::GetBracketingTimeSamplesResponse* response);

// Implemented in value_stream_handlers.cc.
absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamValues(ServerState& state,
                                                           RequestContext& context,
                                                           const v1::StreamValuesRequest& request);
absl::StatusOr<ResponseStreamPtr<v1::StreamTimeSamplesResponse>> StreamTimeSamples(
    ServerState& state, RequestContext& context, const v1::StreamTimeSamplesRequest& request);

// Implemented in explain_handler.cc.
absl::Status Explain(ServerState& state, RequestContext& context, const v1::ExplainRequest& request,
                     v1::ExplainResponse* response);

// Whether a source that has no value at some time is blocked there, rather than without an opinion.
bool EmptyIsBlocked(const AttributeSource& source);

// The sample times of a source in `interval`, disregarding whether its ends are open. `interval`
// may be null, in which case all sample times are returned.
Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const v1::TimeInterval* interval);

// A range of indices into an array of times.
struct SampleRange {
  size_t first = 0;
  size_t last = 0;  // one past the last index
};
// Finds the part of `times` that is in `interval`, which may be null for all times. `times` are
// those of SampleTimesCovering: they ascend, or descend behind a negative timeCodesPerSecond, and
// only the first and the last may be outside the interval. INVALID_ARGUMENT (INVALID_TIME) if an
// end is NaN.
absl::StatusOr<SampleRange> FindSampleRange(const Array<double>& times,
                                            const v1::TimeInterval* interval);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

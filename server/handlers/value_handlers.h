#ifndef STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

class ArrayPlacer;
struct QueryState;

// The RPCs of QueryService about attribute values; query.proto documents them.
absl::Status BatchGetValues(const QueryState& state, RequestContext& context,
                            const v1::BatchGetValuesRequest& request,
                            v1::BatchGetValuesResponse* response);
// As BatchGetValues, with large arrays in memory that the client shares. `placer` may be null; its
// places are taken back unless the result is OK.
absl::Status BatchGetPlacedValues(const QueryState& state, RequestContext& context,
                                  const v1::BatchGetValuesRequest& request, ArrayPlacer* placer,
                                  v1::BatchGetValuesResponse* response);
absl::Status ListTimeSamples(const QueryState& state, RequestContext& context,
                             const v1::ListTimeSamplesRequest& request,
                             v1::ListTimeSamplesResponse* response);
absl::Status GetBracketingTimeSamples(const QueryState& state, RequestContext& context,
                                      const v1::GetBracketingTimeSamplesRequest& request,
                                      v1::GetBracketingTimeSamplesResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_VALUE_HANDLERS_H_

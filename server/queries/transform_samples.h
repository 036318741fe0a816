#ifndef STAGEDOOR_SERVER_QUERIES_TRANSFORM_SAMPLES_H_
#define STAGEDOOR_SERVER_QUERIES_TRANSFORM_SAMPLES_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

struct QueryState;

// Fills the matrices of a reply with those at the samples of the request's sample_policy.
absl::Status FillTransformSamples(const QueryState& state, RequestContext& context,
                                  const PrimBatch& batch,
                                  const v1::ComputeTransformsRequest& request, ReplyBudget& budget,
                                  v1::ComputeTransformsResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_TRANSFORM_SAMPLES_H_

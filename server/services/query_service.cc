#include <algorithm>

#include "server/handlers/collection_handler.h"
#include "server/handlers/explain_handler.h"
#include "server/handlers/prim_handlers.h"
#include "server/handlers/sample_values_handler.h"
#include "server/handlers/value_handlers.h"
#include "server/handlers/value_stream_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {
namespace {

// The maximum number of items of a call that runs inline. If the attributes are compiled already,
// such a call takes microseconds.
constexpr int64_t kMaxInlineItems = 4096;

bool HasFewValues(const v1::BatchGetValuesRequest& request) {
  const v1::TimeSelection& times = request.times();
  const int64_t count = int64_t{times.times_size()} + times.frames_size();
  const int64_t paths = request.paths_size();
  return times.ranges().empty() &&
         (request.paired() ? std::max(paths, count) : paths * count) <= kMaxInlineItems;
}
bool HasFewLists(const v1::ListTimeSamplesRequest& request) {
  return request.paths_size() <= kMaxInlineItems;
}
bool HasFewTimes(const v1::GetBracketingTimeSamplesRequest& request) {
  return int64_t{request.paths_size()} * request.times_size() <= kMaxInlineItems;
}

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.QueryService");
  service->Unary("BatchGetValues", CallWeight::kInline, BatchGetValues, HasFewValues);
  service->Unary("ListTimeSamples", CallWeight::kInline, ListTimeSamples, HasFewLists);
  service->Unary("GetBracketingTimeSamples", CallWeight::kInline, GetBracketingTimeSamples,
                 HasFewTimes);
  service->Unary("GetPrim", CallWeight::kInline, GetPrim);
  service->Unary("Explain", CallWeight::kNormal, Explain);
  service->Stream("Traverse", CallWeight::kNormal, Traverse);
  service->Stream("StreamValues", CallWeight::kNormal, StreamValues);
  service->Stream("SampleValues", CallWeight::kNormal, SampleValues);
  service->Stream("StreamTimeSamples", CallWeight::kNormal, StreamTimeSamples);
  service->Stream("ListCollections", CallWeight::kNormal, ListCollections);
  return service;
}

}  // namespace stagedoor::server

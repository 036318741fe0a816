#include "server/handlers/prim_handlers.h"
#include "server/handlers/value_handlers.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor {
namespace {

// What a call may ask for and still be answered within microseconds, where values are at hand.
constexpr int64_t kLightItems = 4096;

bool HasFewValues(const v1::BatchGetValuesRequest& request) {
  const v1::TimeSelection& times = request.times();
  return times.ranges().empty() &&
         int64_t{request.paths_size()} * (times.times_size() + times.frames_size()) <= kLightItems;
}
bool HasFewLists(const v1::ListTimeSamplesRequest& request) {
  return request.paths_size() <= kLightItems;
}
bool HasFewTimes(const v1::GetBracketingTimeSamplesRequest& request) {
  return int64_t{request.paths_size()} * request.times_size() <= kLightItems;
}

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryService(CallRuntime& runtime, ServerState& state) {
  auto service = std::make_unique<HandlerService>(runtime, state, "stagedoor.v1.QueryService");
  service->Unary("BatchGetValues", Weight::kLight, BatchGetValues, HasFewValues);
  service->Unary("ListTimeSamples", Weight::kLight, ListTimeSamples, HasFewLists);
  service->Unary("GetBracketingTimeSamples", Weight::kLight, GetBracketingTimeSamples, HasFewTimes);
  service->Unary("GetPrim", Weight::kLight, GetPrim);
  service->Unary("Explain", Weight::kUsual, Explain);
  service->Stream("Traverse", Weight::kUsual, Traverse);
  service->Stream("StreamValues", Weight::kUsual, StreamValues);
  service->Stream("StreamTimeSamples", Weight::kUsual, StreamTimeSamples);
  service->Stream("ListCollections", Weight::kUsual, ListCollections);
  return service;
}

}  // namespace stagedoor

#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "server/handlers/prim_handlers.h"
#include "server/handlers/value_handlers.h"
#include "server/rpc/raw_stream.h"
#include "server/services/raw_method.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/query.grpc.pb.h"

namespace stagedoor {
namespace {

// Raw, so that arrays are sent from where they are and prims are made in wire form.
using QueryServiceBase = v1::QueryService::WithRawCallbackMethod_Traverse<
    v1::QueryService::WithRawCallbackMethod_StreamValues<v1::QueryService::CallbackService>>;

// What a call may ask for and still be answered within microseconds, where values are at hand.
constexpr int64_t kLightItems = 4096;

bool IsLight(const v1::BatchGetValuesRequest& request) {
  const v1::TimeSelection& times = request.times();
  return times.ranges().empty() &&
         int64_t{request.paths_size()} * (times.times_size() + times.frames_size()) <= kLightItems;
}
bool IsLight(const v1::ListTimeSamplesRequest& request) {
  return request.paths_size() <= kLightItems;
}
bool IsLight(const v1::GetBracketingTimeSamplesRequest& request) {
  return int64_t{request.paths_size()} * request.times_size() <= kLightItems;
}
bool IsLight(const v1::GetPrimRequest&) { return true; }

class QueryServiceImpl final : public QueryServiceBase {
 public:
  QueryServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  grpc::ServerWriteReactor<grpc::ByteBuffer>* StreamValues(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    return RawCall::Start(runtime_, StreamValues_counters_, context, request, stream_values_);
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Traverse(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request) override {
    return RawCall::Start(runtime_, Traverse_counters_, context, request, traverse_);
  }

  const RawCall::Handler stream_values_ = RawHandler<v1::StreamValuesRequest>(
      [this](RequestContext& call,
             const v1::StreamValuesRequest& request) -> absl::StatusOr<RawStreamPtr> {
        SD_ASSIGN_OR_RETURN(auto stream, stagedoor::StreamValues(state_, call, request));
        return std::make_unique<RawStream<v1::StreamValuesResponse>>(
            std::move(stream), v1::StreamValuesResponse::kDataFieldNumber);
      });
  const RawCall::Handler traverse_ = RawHandler<v1::TraverseRequest>(
      [this](RequestContext& call,
             const v1::TraverseRequest& request) -> absl::StatusOr<RawStreamPtr> {
        SD_ASSIGN_OR_RETURN(auto stream, stagedoor::Traverse(state_, call, request));
        return std::make_unique<WireStream<std::string>>(std::move(stream));
      });
  MethodCounters& Traverse_counters_ = runtime_.CountersOf("stagedoor.v1.QueryService/Traverse");
  MethodCounters& StreamValues_counters_ =
      runtime_.CountersOf("stagedoor.v1.QueryService/StreamValues");

  STAGEDOOR_LIGHT_METHOD(QueryService, BatchGetValues)
  STAGEDOOR_LIGHT_METHOD(QueryService, ListTimeSamples)
  STAGEDOOR_LIGHT_METHOD(QueryService, GetBracketingTimeSamples)
  STAGEDOOR_LIGHT_METHOD(QueryService, GetPrim)
  STAGEDOOR_UNARY_METHOD(QueryService, Explain)
  STAGEDOOR_STREAM_METHOD(QueryService, StreamTimeSamples)
  STAGEDOOR_STREAM_METHOD(QueryService, ListCollections)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<QueryServiceImpl>(runtime, state);
}

}  // namespace stagedoor

#include "base/status.h"
#include "base/status_macros.h"
#include "server/handlers/prim_handlers.h"
#include "server/handlers/value_handlers.h"
#include "server/rpc/raw_stream.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/query.grpc.pb.h"

namespace stagedoor {
namespace {

using QueryServiceBase =
    v1::QueryService::WithRawCallbackMethod_StreamValues<v1::QueryService::CallbackService>;

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

  using RawStreamPtr = ResponseStreamPtr<grpc::ByteBuffer>;

  // Raw, so that arrays are sent from where they are.
  grpc::ServerWriteReactor<grpc::ByteBuffer>* StreamValues(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    using RawCall = StreamCall<grpc::ByteBuffer, grpc::ByteBuffer>;
    return RawCall::Start(
        runtime_, StreamValues_counters_, context, request,
        [this](RequestContext& call, const grpc::ByteBuffer& in) -> absl::StatusOr<RawStreamPtr> {
          v1::StreamValuesRequest parsed;
          grpc::ByteBuffer bytes = in;
          using Traits = grpc::SerializationTraits<v1::StreamValuesRequest>;
          if (!Traits::Deserialize(&bytes, &parsed).ok()) {
            return InvalidArgumentError("the request is no StreamValuesRequest");
          }
          SD_ASSIGN_OR_RETURN(auto stream, stagedoor::StreamValues(state_, call, parsed));
          return std::make_unique<RawStream<v1::StreamValuesResponse>>(
              std::move(stream), v1::StreamValuesResponse::kDataFieldNumber);
        });
  }
  MethodCounters& StreamValues_counters_ =
      runtime_.CountersOf("stagedoor.v1.QueryService/StreamValues");

  STAGEDOOR_LIGHT_METHOD(QueryService, BatchGetValues)
  STAGEDOOR_LIGHT_METHOD(QueryService, ListTimeSamples)
  STAGEDOOR_LIGHT_METHOD(QueryService, GetBracketingTimeSamples)
  STAGEDOOR_LIGHT_METHOD(QueryService, GetPrim)
  STAGEDOOR_UNARY_METHOD(QueryService, Explain)
  STAGEDOOR_STREAM_METHOD(QueryService, StreamTimeSamples)
  STAGEDOOR_STREAM_METHOD(QueryService, Traverse)
  STAGEDOOR_STREAM_METHOD(QueryService, ListCollections)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<QueryServiceImpl>(runtime, state);
}

}  // namespace stagedoor

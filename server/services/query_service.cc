#include "server/handlers/prim_handlers.h"
#include "server/handlers/value_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/query.grpc.pb.h"

namespace stagedoor {
namespace {

class QueryServiceImpl final : public v1::QueryService::CallbackService {
 public:
  QueryServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(QueryService, BatchGetValues)
  STAGEDOOR_UNARY_METHOD(QueryService, ListTimeSamples)
  STAGEDOOR_UNARY_METHOD(QueryService, GetBracketingTimeSamples)
  STAGEDOOR_UNARY_METHOD(QueryService, GetPrim)
  STAGEDOOR_UNARY_METHOD(QueryService, Explain)
  STAGEDOOR_STREAM_METHOD(QueryService, StreamValues)
  STAGEDOOR_STREAM_METHOD(QueryService, StreamTimeSamples)
  STAGEDOOR_STREAM_METHOD(QueryService, Traverse)
  STAGEDOOR_STREAM_METHOD(QueryService, ListCollections)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeQueryService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<QueryServiceImpl>(runtime, state);
}

}  // namespace stagedoor

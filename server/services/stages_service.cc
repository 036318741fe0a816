#include "server/handlers/stages_handlers.h"
#include "server/services/service_methods.h"
#include "server/services/services.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor {
namespace {

bool IsLight(const v1::RenewLeaseRequest&) { return true; }

class StagesServiceImpl final : public v1::StagesService::CallbackService {
 public:
  StagesServiceImpl(CallRuntime& runtime, ServerState& state) : runtime_(runtime), state_(state) {}

 private:
  CallRuntime& runtime_;
  ServerState& state_;

  STAGEDOOR_UNARY_METHOD(StagesService, OpenStage)
  STAGEDOOR_UNARY_METHOD(StagesService, GetStage)
  STAGEDOOR_UNARY_METHOD(StagesService, ListStages)
  STAGEDOOR_UNARY_METHOD(StagesService, CloseStage)
  STAGEDOOR_LIGHT_METHOD(StagesService, RenewLease)
  STAGEDOOR_UNARY_METHOD(StagesService, SetSessionLayer)
  STAGEDOOR_UNARY_METHOD(StagesService, LoadPrims)
  STAGEDOOR_UNARY_METHOD(StagesService, UnloadPrims)
  STAGEDOOR_UNARY_METHOD(StagesService, ReloadStage)
  STAGEDOOR_UNARY_METHOD(StagesService, MuteLayers)
};

}  // namespace

std::unique_ptr<grpc::Service> MakeStagesService(CallRuntime& runtime, ServerState& state) {
  return std::make_unique<StagesServiceImpl>(runtime, state);
}

}  // namespace stagedoor

#include "server/handlers/admin_handlers.h"
#include "server/handlers/evict_caches_handler.h"
#include "server/handlers/list_calls_handler.h"
#include "server/services/handler_service.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeAdminService(CallAdmission& admission, ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.AdminService");
  service->Unary("ListCalls", CallWeight::kNormal, ListCalls);
  service->Unary("EvictCaches", CallWeight::kHeavy, EvictCaches);
  service->Unary("Drain", CallWeight::kNormal, Drain);
  service->Unary("SetLogLevel", CallWeight::kNormal, SetLogLevel);
  service->Unary("ReloadConfig", CallWeight::kHeavy, ReloadConfig);
  service->Unary("GetConfig", CallWeight::kNormal, GetConfig);
  return service;
}

}  // namespace stagedoor::server

#include "server/services/own_services.h"

#include "server/services/handler_service.h"
#include "server/services/methods.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::vector<std::unique_ptr<grpc::Service>> MakeOwnServices(CallAdmission& admission,
                                                            const ServerState& state) {
  auto server = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.ServerService");
  server->Unary("GetServerStatistics", {RpcGroup::kAdmin, CallWeight::kNormal},
                GetServerStatistics);
  auto caches = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.CacheService");
  caches->Unary("GetCacheStatistics", {RpcGroup::kAdmin, CallWeight::kNormal}, GetCacheStatistics);
  std::vector<std::unique_ptr<grpc::Service>> services;
  services.push_back(std::move(server));
  services.push_back(std::move(caches));
  services.push_back(MakeAdminService(admission, state));
  return services;
}

}  // namespace stagedoor::server

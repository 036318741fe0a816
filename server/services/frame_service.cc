#include "server/services/handler_service.h"
#include "server/services/methods.h"
#include "server/services/services.h"

namespace stagedoor::server {

std::unique_ptr<grpc::Service> MakeFrameService(CallAdmission& admission,
                                                const ServerState& state) {
  auto service = std::make_unique<HandlerService>(admission, state, "stagedoor.v1.FrameService");
  AddFrameMethods(*service);
  return service;
}

}  // namespace stagedoor::server

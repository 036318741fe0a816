#ifndef STAGEDOOR_SERVER_SERVICES_SERVICES_H_
#define STAGEDOOR_SERVER_SERVICES_SERVICES_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

namespace stagedoor::server {

class CallAdmission;
class ServerState;

// The full names of the services, as used by health checks and reflection.
inline constexpr const char* kServiceNames[] = {
    "stagedoor.v1.StagesService",      "stagedoor.v1.SessionsService",
    "stagedoor.v1.QueryService",       "stagedoor.v1.LayersService",
    "stagedoor.v1.CacheService",       "stagedoor.v1.GeomService",
    "stagedoor.v1.ShadeService",       "stagedoor.v1.LuxService",
    "stagedoor.v1.PhysicsService",     "stagedoor.v1.RenderService",
    "stagedoor.v1.SkelService",        "stagedoor.v1.FrameService",
    "stagedoor.v1.ServerService",      "stagedoor.v1.AdminService",
    "stagedoor.v1.QueryChannelService"};

// Make the gRPC services of the API. `admission` and `state` must outlive them.
std::unique_ptr<grpc::Service> MakeStagesService(CallAdmission& admission,
                                                 const ServerState& state);
std::unique_ptr<grpc::Service> MakeSessionsService(CallAdmission& admission,
                                                   const ServerState& state);
std::unique_ptr<grpc::Service> MakeQueryService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeLayersService(CallAdmission& admission,
                                                 const ServerState& state);
std::unique_ptr<grpc::Service> MakeCacheService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeGeomService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeShadeService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeLuxService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakePhysicsService(CallAdmission& admission,
                                                  const ServerState& state);
std::unique_ptr<grpc::Service> MakeRenderService(CallAdmission& admission,
                                                 const ServerState& state);
std::unique_ptr<grpc::Service> MakeSkelService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeFrameService(CallAdmission& admission, const ServerState& state);
std::unique_ptr<grpc::Service> MakeServerService(CallAdmission& admission,
                                                 const ServerState& state);
std::unique_ptr<grpc::Service> MakeAdminService(CallAdmission& admission, const ServerState& state);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_SERVICES_H_

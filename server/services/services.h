#ifndef STAGEDOOR_SERVER_SERVICES_SERVICES_H_
#define STAGEDOOR_SERVER_SERVICES_SERVICES_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>

namespace stagedoor::server {

class CallAdmission;
struct ServerState;

// The full names of the services, as used by health checks and reflection.
inline constexpr const char* kServiceNames[] = {
    "stagedoor.v1.StagesService", "stagedoor.v1.SessionsService", "stagedoor.v1.QueryService",
    "stagedoor.v1.LayersService", "stagedoor.v1.CacheService",    "stagedoor.v1.GeomService",
    "stagedoor.v1.ShadeService",  "stagedoor.v1.LuxService",      "stagedoor.v1.SkelService",
    "stagedoor.v1.ServerService", "stagedoor.v1.AdminService"};

// Make the gRPC services of the API. `admission` and `state` must outlive them.
std::unique_ptr<grpc::Service> MakeStagesService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeSessionsService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeQueryService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeLayersService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeCacheService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeGeomService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeShadeService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeLuxService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeSkelService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeServerService(CallAdmission& admission, ServerState& state);
std::unique_ptr<grpc::Service> MakeAdminService(CallAdmission& admission, ServerState& state);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_SERVICES_H_

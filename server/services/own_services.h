#ifndef STAGEDOOR_SERVER_SERVICES_OWN_SERVICES_H_
#define STAGEDOOR_SERVER_SERVICES_OWN_SERVICES_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>
#include <vector>

namespace stagedoor::server {

class CallAdmission;
class ServerState;

// Makes the services of a node daemon, without the methods that it passes on: those that show and
// steer the daemon itself. Both must outlive them.
std::vector<std::unique_ptr<grpc::Service>> MakeOwnServices(CallAdmission& admission,
                                                            const ServerState& state);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_OWN_SERVICES_H_

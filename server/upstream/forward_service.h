#ifndef STAGEDOOR_SERVER_UPSTREAM_FORWARD_SERVICE_H_
#define STAGEDOOR_SERVER_UPSTREAM_FORWARD_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <memory>
#include <vector>

namespace stagedoor::server {

class CallAdmission;
class Node;

// The gRPC services of a node daemon, with the methods that it passes on. Both must outlive them.
std::vector<std::unique_ptr<grpc::Service>> MakeForwardServices(CallAdmission& admission,
                                                                Node& node);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_FORWARD_SERVICE_H_

#ifndef STAGEDOOR_SERVER_TESTING_HEALTH_OF_H_
#define STAGEDOOR_SERVER_TESTING_HEALTH_OF_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <string>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/server.h"

namespace stagedoor::server {

// The health of the server if `service` is empty, else of that service. UNKNOWN if it has none.
inline grpc::health::v1::HealthCheckResponse::ServingStatus HealthOf(Server& server,
                                                                     const std::string& service) {
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse reply;
  request.set_service(service);
  const grpc::Status status = grpc::health::v1::Health::NewStub(server.InProcessChannel())
                                  ->Check(&context, request, &reply);
  return status.ok() ? reply.status() : grpc::health::v1::HealthCheckResponse::UNKNOWN;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_HEALTH_OF_H_

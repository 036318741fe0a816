#include "client/cc/health.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <chrono>
#include <memory>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/channel_security.h"
#include "client/cc/grpc_status.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace stagedoor {

absl::Status CheckHealth(const ClientOptions& options, const std::string& service) {
  SD_ASSIGN_OR_RETURN(const auto credentials, MakeChannelCredentials(options));
  grpc::ChannelArguments arguments;
  if (!options.security.server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.security.server_name);
  }
  const auto stub = grpc::health::v1::Health::NewStub(
      grpc::CreateCustomChannel(options.address, credentials, arguments));
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  request.set_service(service);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + options.timeout);
  SD_RETURN_IF_ERROR(FromGrpcStatus(stub->Check(&context, request, &response)));
  if (response.status() == grpc::health::v1::HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::FailedPreconditionError("the daemon is not serving: it is starting or stopping");
}

}  // namespace stagedoor

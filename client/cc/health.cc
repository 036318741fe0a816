#include "client/cc/health.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_method.h>

#include <chrono>
#include <memory>

#include "base/status_macros.h"
#include "client/cc/call_state.h"
#include "client/cc/channel.h"
#include "client/cc/retry_policy.h"
#include "grpc/health/v1/health.pb.h"

namespace stagedoor {

using google::protobuf::MessageLite;
using grpc::internal::RpcMethod;

absl::Status CheckHealth(const ClientOptions& options, const std::string& service) {
  SD_RETURN_IF_ERROR(CheckClientOptions(options));
  const auto channel = MakeChannel(options);
  const RpcMethod method("/grpc.health.v1.Health/Check", RpcMethod::NORMAL_RPC);
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  request.set_service(service);
  grpc::ClientContext context;
  CallState state(options, RetryClock::Default(), /*connects=*/true);
  const RetryPolicy policy = state.Policy({});
  context.set_deadline(policy.deadline());
  AttemptEnd end = {grpc::internal::BlockingUnaryCall<MessageLite, MessageLite>(
      channel.get(), method, &context, request, &response)};
  if (!end.status.ok()) {
    state.Explain(policy, &end);
    return state.Failure(end);
  }
  if (response.status() == grpc::health::v1::HealthCheckResponse::SERVING) return absl::OkStatus();
  return absl::FailedPreconditionError("the daemon is not serving: it is starting or stopping");
}

}  // namespace stagedoor

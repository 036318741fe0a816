#ifndef STAGEDOOR_SERVER_RPC_TESTING_RPC_SERVICE_FIXTURE_H_
#define STAGEDOOR_SERVER_RPC_TESTING_RPC_SERVICE_FIXTURE_H_

#include <grpcpp/create_channel.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "base/lane_executor.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "server/rpc/rpc_service.h"

namespace stagedoor::server {

// A server with unary and streaming methods of "test.Service", which tests define. Requests and
// replies are ErrorInfos, the simplest messages at hand.
class RpcServiceTest : public ::testing::Test {
 protected:
  using ErrorInfo = google::rpc::ErrorInfo;

  explicit RpcServiceTest(const CallLimits& limits = TestLimits())
      : admission_(executor_, limits, [this] {
          return StallWatchdog::Clock::now() + std::chrono::seconds(now_s_ - 1000);
        }) {
    const auto unary = [this](RequestContext& context, const ErrorInfo& in, ErrorInfo* out) {
      return unary_(context, in, out);
    };
    service_.AddUnary<ErrorInfo, ErrorInfo>("Unary", {RpcGroup::kQuery, CallWeight::kNormal},
                                            unary);
    service_.AddUnary<ErrorInfo, ErrorInfo>("Light", {RpcGroup::kQuery, CallWeight::kInline},
                                            unary);
    const auto stream = [this](RequestContext& context, const ErrorInfo& in) {
      return stream_(context, in);
    };
    service_.AddStream<ErrorInfo>("Stream", {RpcGroup::kQuery, CallWeight::kNormal}, stream);
    service_.AddStream<ErrorInfo>("LightStream", {RpcGroup::kQuery, CallWeight::kInline}, stream);
    service_.AddStream<ErrorInfo>("PickyStream", {RpcGroup::kQuery, CallWeight::kInline}, stream,
                                  [](const ErrorInfo& in) { return in.reason() == "light"; });
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(Concat("127.0.0.1:", port),
                                         grpc::InsecureChannelCredentials(), arguments);
  }
  ~RpcServiceTest() override {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  template <typename Request>
  grpc::Status Call(const char* name, const Request& request, ErrorInfo* reply,
                    grpc::ClientContext* context) {
    const grpc::internal::RpcMethod method(name, grpc::internal::RpcMethod::NORMAL_RPC, channel_);
    return grpc::internal::BlockingUnaryCall(channel_.get(), method, context, request, reply);
  }
  template <typename Request = ErrorInfo>
  grpc::Status Call(const char* name = kUnary, const Request& request = {}) {
    grpc::ClientContext context;
    ErrorInfo reply;
    return Call(name, request, &reply, &context);
  }

  std::unique_ptr<grpc::ClientReader<ErrorInfo>> Read(grpc::ClientContext* context,
                                                      const char* name = "/test.Service/Stream",
                                                      const ErrorInfo& request = {}) {
    const grpc::internal::RpcMethod method(name, grpc::internal::RpcMethod::SERVER_STREAMING,
                                           channel_);
    using Factory = grpc::internal::ClientReaderFactory<ErrorInfo>;
    return std::unique_ptr<grpc::ClientReader<ErrorInfo>>(
        Factory::Create(channel_.get(), method, context, request));
  }

  static CallLimits TestLimits() {
    CallLimits limits;
    limits.max_bytes = 64 << 20;
    limits.all_bytes = 64 << 20;
    limits.stall = std::chrono::seconds(10);
    return limits;
  }

  static constexpr char kUnary[] = "/test.Service/Unary";
  static constexpr char kLight[] = "/test.Service/Light";

  std::function<absl::Status(RequestContext&, const ErrorInfo&, ErrorInfo*)> unary_ =
      [](RequestContext&, const ErrorInfo&, ErrorInfo*) { return absl::OkStatus(); };
  std::function<absl::StatusOr<ResponseStreamPtr<ErrorInfo>>(RequestContext&, const ErrorInfo&)>
      stream_;

  std::atomic<int> now_s_{1000};
  LaneExecutor executor_{{.threads = 1, .watch = false}};  // so no work is found to overrun
  CallAdmission admission_;
  RpcService service_{admission_, "test.Service"};
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_TESTING_RPC_SERVICE_FIXTURE_H_

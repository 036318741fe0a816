// The server's replies to calls beyond its limits and to malformed requests.
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <string>

#include "base/interned_bytes.h"
#include "base/memory_guard.h"
#include "google/rpc/error_details.pb.h"
#include "server/testing/server_test.h"
#include "server/testing/status_details.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

class OverloadTest : public ServerTest {
 protected:
  // Sends bytes to a unary method. Returns the status and drops the reply.
  grpc::Status Send(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                    const std::string& bytes, grpc::ClientContext* context) {
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer reply;
    const std::string name = "/stagedoor.v1." + method;
    const grpc::internal::RpcMethod rpc(name.c_str(), grpc::internal::RpcMethod::NORMAL_RPC,
                                        channel);
    return grpc::internal::BlockingUnaryCall(channel.get(), rpc, context, request, &reply);
  }
  grpc::Status Send(const std::string& method, const std::string& bytes) {
    grpc::ClientContext context;
    return Send(channel(), method, bytes, &context);
  }
};

TEST_F(OverloadTest, ARejectedCallHasARetryDelay) {
  ServerOptions options;
  options.calls.max_calls = 0;
  Start(options);
  for (const char* method :
       {"ServerService/GetServerStatistics", "QueryService/GetPrim", "QueryService/Traverse"}) {
    const grpc::Status status = Send(method, "");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << method;
    EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED") << method;
    EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 0) << method;
  }
}

// Emptying caches does not help a process whose memory is in use otherwise.
TEST_F(OverloadTest, AServerThatIsShortOfMemoryRefusesAllButEssentialCalls) {
  Write("root.usda", "def \"P\" {}\n");
  ServerOptions options;
  options.memory_limit = MemoryInUse() / 2;
  Start(options);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  grpc::Status status;
  while (status.ok()) {
    status = Send("StagesService/OpenStage", open.SerializeAsString());  // until it has noticed
  }
  while (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
    EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).metadata().at("budget"), "memory");
    status = Send("StagesService/OpenStage", open.SerializeAsString());
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "BUDGET_EXHAUSTED");
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).metadata().at("budget"), "memory");
  EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 0);
  EXPECT_EQ(Send("LayersService/FlattenStage", "").error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Send("ServerService/GetServerStatistics", "").ok());
  EXPECT_TRUE(Send("AdminService/ListCalls", "").ok());
  v1::CloseStageRequest close;
  close.set_handle("unknown");
  const grpc::Status closed = Send("StagesService/CloseStage", close.SerializeAsString());
  EXPECT_EQ(closed.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(OverloadTest, MalformedRequestsAreRejectedWithAReason) {
  for (const char* method :
       {"ServerService/GetServerStatistics", "StagesService/OpenStage", "QueryService/GetPrim",
        "QueryService/Traverse", "SkelService/ComputeSkinnedPoints", "LayersService/ReadLayer"}) {
    const grpc::Status status = Send(method, "\x0a\x7f truncated");
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << method;
    EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(status).reason(), "UNDECODABLE") << method;
  }
}

// gRPC would decompress a megabyte to a gigabyte of zeros before it checks the size.
TEST_F(OverloadTest, CompressedRequestsAreRejected) {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  Start(options);
  const auto channel =
      grpc::CreateChannel(server().addresses().front(), grpc::InsecureChannelCredentials());
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    const grpc::Status status =
        Send(channel, "ServerService/GetServerStatistics", std::string(1 << 20, '\0'), &context);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
  }
  grpc::ClientContext context;
  EXPECT_TRUE(Send(channel, "ServerService/GetServerStatistics", "", &context).ok());
}

struct NameLimit {
  explicit NameLimit(uint64_t bytes) { InternedBytes::SetLimit(bytes); }
  ~NameLimit() { InternedBytes::SetLimit(0); }
};

std::string PrimsNamed(const std::string& prefix, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "def \"" + prefix + std::to_string(i) + "\" {\n}\n";
  return text;
}

v1::OpenStageRequest OpeningOf(const std::string& root, const std::string& session) {
  v1::OpenStageRequest request;
  request.set_root_layer(root);
  if (!session.empty()) request.mutable_session_layer()->set_content("#usda 1.0\n" + session);
  return request;
}

void ExpectNoRoomForNames(const absl::Status& refused) {
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  EXPECT_NE(Message(refused).find("new names"), std::string_view::npos) << refused;
}

TEST_F(OverloadTest, NewNamesAreLimitedAndKnownOnesStillWork) {
  Write("root.usda", PrimsNamed("Known", 3));
  Write("few.usda", PrimsNamed("Few", 3));
  Write("many.usda", PrimsNamed("Many", 1000));
  const v1::StageRef stage = Open();
  const uint64_t used = InternedBytes::used();
  const NameLimit limit(used + 20000);
  EXPECT_TRUE(client().OpenStage(OpeningOf("/root.usda", PrimsNamed("Known", 2))).ok());
  ExpectNoRoomForNames(client().OpenStage(OpeningOf("/many.usda", "")).status());
  EXPECT_EQ(Paths(stage).size(), 3u);
  EXPECT_LE(InternedBytes::used(), used + 20000);
  InternedBytes::SetLimit(InternedBytes::used() + 20000);
  EXPECT_TRUE(client().OpenStage(OpeningOf("/few.usda", "")).ok());
}

TEST_F(OverloadTest, NamesOfSessionLayersMayUseHalfOfTheLimit) {
  Write("root.usda", PrimsNamed("Root", 3));
  Write("other.usda", PrimsNamed("Other", 3));
  Open();
  const NameLimit limit(2 * InternedBytes::used());
  ExpectNoRoomForNames(client().OpenStage(OpeningOf("/root.usda", PrimsNamed("Sent", 1))).status());
  EXPECT_TRUE(client().OpenStage(OpeningOf("/other.usda", "")).ok());
}

}  // namespace
}  // namespace stagedoor::server

#include "server/server.h"

#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "resolver/memory/memory_resolver.h"
#include "server/testing/byte_buffers.h"
#include "server/testing/health_of.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;
using Health = grpc::health::v1::Health;
using HealthReply = grpc::health::v1::HealthCheckResponse;

class SocketFolder {
 public:
  std::string Address(const char* name) const { return Concat("unix:", folder_ / name); }

 private:
  const TempDir folder_{"/tmp"};
};

class ServerLifecycleTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Server> Start(const ServerOptions& options) {
    auto server = Server::Start(options, std::make_shared<MemoryResolver>());
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }
  static std::string Failure(const ServerOptions& options) {
    const absl::Status status = Server::Start(options).status();
    return status.ok() ? "" : std::string(Message(status));
  }
  static absl::Status Call(const std::string& address, size_t bytes = 0) {
    ClientOptions options;
    options.address = address;
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle(std::string(bytes, 'x'));
    return Client::Connect(options)->GetStage(request).status();
  }
};

TEST_F(ServerLifecycleTest, ListensOnAllAddresses) {
  const SocketFolder folder;
  ServerOptions options;
  options.addresses = {"127.0.0.1:0", folder.Address("a"), "127.0.0.1:0"};
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  ASSERT_EQ(server->addresses().size(), 3u);
  EXPECT_EQ(server->addresses()[0].substr(0, 10), "127.0.0.1:");
  EXPECT_NE(server->addresses()[0], "127.0.0.1:0") << "a port was chosen";
  EXPECT_NE(server->addresses()[0], server->addresses()[2]);
  EXPECT_EQ(server->addresses()[1], options.addresses[1]);
  for (const std::string& address : server->addresses()) {
    EXPECT_EQ(ErrorReason(Call(address)), "STAGE_NOT_FOUND") << address;
  }
  EXPECT_EQ(server->metrics_address(), "");
  EXPECT_TRUE(Start({})->addresses().empty());
}

TEST_F(ServerLifecycleTest, ListenErrorsNameTheAddress) {
  const SocketFolder folder;
  ServerOptions options;
  options.addresses = {"127.0.0.1"};
  EXPECT_EQ(Failure(options).find("cannot listen on '127.0.0.1'"), 0u) << Failure(options);
  options.addresses = {"unix:/nowhere/at/all/x"};
  EXPECT_NE(Failure(options).find("/nowhere/at/all"), std::string::npos) << Failure(options);
  options.addresses = {"127.0.0.1:0", folder.Address("a")};
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  for (const std::string& taken : server->addresses()) {
    options.addresses = {"127.0.0.1:0", taken};
    EXPECT_NE(Failure(options).find(taken.substr(taken.find('/') + 1)), std::string::npos)
        << Failure(options);
  }
  options.addresses = {server->addresses()[0]};
  const absl::Status status = Server::Start(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(Message(status)).find(Concat("cannot listen on '", options.addresses[0])),
            0u)
      << status;
}

TEST_F(ServerLifecycleTest, ASocketIsReleasedWithTheServer) {
  const SocketFolder folder;
  ServerOptions options;
  options.addresses = {folder.Address("a")};
  for (int i = 0; i < 2; ++i) EXPECT_NE(Start(options), nullptr) << i;
}

TEST_F(ServerLifecycleTest, HealthCoversAllServices) {
  const auto server = Start({});
  ASSERT_NE(server, nullptr);
  const char* const kServices[] = {"",
                                   "stagedoor.v1.StagesService",
                                   "stagedoor.v1.QueryService",
                                   "stagedoor.v1.LayersService",
                                   "stagedoor.v1.GeomService",
                                   "stagedoor.v1.SkelService",
                                   "stagedoor.v1.CacheService",
                                   "stagedoor.v1.ServerService"};
  for (const char* service : kServices) {
    EXPECT_EQ(HealthOf(*server, service), HealthReply::SERVING) << service;
  }
  EXPECT_EQ(HealthOf(*server, "nobody"), HealthReply::UNKNOWN);
  server->AnnounceShutdown();
  for (const char* service : kServices) {
    EXPECT_EQ(HealthOf(*server, service), HealthReply::NOT_SERVING) << service;
  }
  const auto client = Client::FromChannel(server->InProcessChannel(), {});
  EXPECT_TRUE(client->GetServerStatistics({}).ok()) << "calls are still accepted";
}

TEST_F(ServerLifecycleTest, ADrainedServerAcceptsNoCalls) {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->calls_in_flight(), 0u) << "before the first";
  EXPECT_EQ(ErrorReason(Call(server->addresses()[0])), "STAGE_NOT_FOUND");
  server->CancelCalls();
  server->Drain(std::chrono::hours(1));
  server->Drain(std::chrono::hours(1));
  ClientOptions quick;
  quick.address = server->addresses()[0];
  quick.connect_timeout = std::chrono::milliseconds(1);
  EXPECT_EQ(Client::Connect(quick)->GetServerStatistics({}).status().code(),
            absl::StatusCode::kUnavailable);
}

// Uses a stream that would never end by itself, over a socket, because the in-process transport
// closes its streams as soon as a server shuts down.
TEST_F(ServerLifecycleTest, CancellingCallsEndsADrain) {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  grpc::ClientContext context;
  const auto health = Health::NewStub(
      grpc::CreateChannel(server->addresses()[0], grpc::InsecureChannelCredentials()));
  const auto watch = health->Watch(&context, grpc::health::v1::HealthCheckRequest());
  HealthReply reply;
  ASSERT_TRUE(watch->Read(&reply));
  EXPECT_EQ(reply.status(), HealthReply::SERVING);
  std::thread drain([&] { server->Drain(std::chrono::hours(1)); });
  EXPECT_TRUE(watch->Read(&reply));
  EXPECT_EQ(reply.status(), HealthReply::NOT_SERVING) << "the drain has begun";
  server->CancelCalls();
  drain.join();
  EXPECT_FALSE(watch->Read(&reply));
  EXPECT_FALSE(watch->Finish().ok());
}

TEST_F(ServerLifecycleTest, ReflectionIsOptional) {
  for (const bool wanted : {true, false, true}) {
    ServerOptions options;
    options.reflection = wanted;
    const auto server = Start(options);
    ASSERT_NE(server, nullptr);
    grpc::GenericStub stub(server->InProcessChannel());
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareUnaryCall(
        &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        BufferOf(std::string("\x3a\0", 2)), &queue);  // list_services: ""
    call->StartCall();
    grpc::ByteBuffer reply;
    grpc::Status status;
    call->Finish(&reply, &status, nullptr);
    void* tag;
    bool ok;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(status.error_code(), wanted ? grpc::StatusCode::OK : grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_EQ(BytesOf(reply).find("stagedoor.v1.QueryService") != std::string::npos, wanted);
  }
}

TEST_F(ServerLifecycleTest, RequestSizeIsLimited) {
  ServerOptions options;
  options.addresses = {"127.0.0.1:0"};
  options.max_request_bytes = 1000;
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(ErrorReason(Call(server->addresses()[0], 990)), "STAGE_NOT_FOUND");
  EXPECT_EQ(Call(server->addresses()[0], 1000).code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(ServerLifecycleTest, MetricsHaveTheirOwnAddress) {
  ServerOptions options;
  options.metrics_address = "127.0.0.1:0";
  const auto server = Start(options);
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->metrics_address().substr(0, 10), "127.0.0.1:");
  EXPECT_NE(server->metrics_address(), "127.0.0.1:0");
  options.metrics_address = server->metrics_address();
  EXPECT_NE(Failure(options).find("Address already in use"), std::string::npos) << Failure(options);
}

TEST_F(ServerLifecycleTest, AllServicesAnswer) {
  const auto server = Start({});
  ASSERT_NE(server, nullptr);
  const auto client = Client::FromChannel(server->InProcessChannel(), {});
  const auto nothing = [](const auto&) { return absl::OkStatus(); };
  EXPECT_TRUE(client->ListStages({}).ok());
  EXPECT_TRUE(client->GetCacheStatistics({}).ok());
  EXPECT_TRUE(client->GetServerStatistics({}).ok());
  EXPECT_EQ(ErrorReason(client->Explain({}).status()), "STAGE_NOT_FOUND");
  EXPECT_EQ(ErrorReason(client->ComputeBounds({}).status()), "STAGE_NOT_FOUND");
  EXPECT_EQ(ErrorReason(client->ListSkelBindings({}, nothing)), "STAGE_NOT_FOUND");
  EXPECT_EQ(ErrorReason(client->ReadLayer({}, nothing)), "INVALID_FIELD");
}

class EngineTest : public ServerLifecycleTest {
 protected:
  EngineTest() : root_(fs::path(::testing::TempDir()) / "engine_test") {
    fs::remove_all(root_);
    fs::create_directories(root_ / "in");
    fs::create_directories(root_ / "lib");
    Write("in/root.usda", "(subLayers = [@asset.usda@])\ndef \"P\" {}\n");
    Write("lib/asset.usda", "def \"Found\" {}\n");
    Write("out.usda", "def \"P\" {}\n");
  }
  ~EngineTest() override { fs::remove_all(root_); }
  void Write(const char* name, const std::string& text) {
    std::ofstream(root_ / name) << "#usda 1.0\n" << text;
  }
  std::string Path(const char* name) const { return (root_ / name).string(); }
  // The error reason if the stage does not open. Otherwise empty, with the prim count in `prims`.
  static std::string OpenReason(const ServerOptions& options, const std::string& root,
                                int* prims = nullptr) {
    auto server = Server::Start(options);
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return "no server";
    const auto client = Client::FromChannel((*server)->InProcessChannel(), {});
    v1::OpenStageRequest open;
    open.set_root_layer(root);
    const auto stage = client->OpenStage(open);
    if (!stage.ok()) return ErrorReason(stage.status());
    v1::TraverseRequest traverse;
    traverse.mutable_stage()->set_handle(stage->handle());
    int count = 0;
    EXPECT_TRUE(client
                    ->Traverse(traverse,
                               [&](const v1::TraverseResponse& part) {
                                 count += part.prims_size();
                                 return absl::OkStatus();
                               })
                    .ok());
    if (prims != nullptr) *prims = count;
    return "";
  }

  const fs::path root_;
};

TEST_F(EngineTest, FilesAreReadBelowAllowedRootsOnly) {
  ServerOptions options;
  EXPECT_EQ(OpenReason(options, Path("out.usda")), "");
  options.allowed_roots = {Path("in"), Path("lib")};
  EXPECT_EQ(OpenReason(options, Path("in/root.usda")), "");
  EXPECT_EQ(OpenReason(options, Path("out.usda")), "ASSET_FORBIDDEN");
  options.allowed_roots = {Path("nowhere")};
  EXPECT_EQ(Server::Start(options).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(EngineTest, AssetsAreFoundThroughTheSearchPath) {
  ServerOptions options;
  int prims = 0;
  EXPECT_EQ(OpenReason(options, Path("in/root.usda"), &prims), "");
  EXPECT_EQ(prims, 1);
  options.search_paths = {Path("lib")};
  EXPECT_EQ(OpenReason(options, Path("in/root.usda"), &prims), "");
  EXPECT_EQ(prims, 2);
}

TEST_F(EngineTest, SchemaPluginsMustExist) {
  ServerOptions options;
  options.schema_paths = {Path("lib")};
  EXPECT_EQ(Server::Start(options).status().code(), absl::StatusCode::kNotFound);
  std::ofstream(root_ / "lib/plugInfo.json") << "[]";
  EXPECT_EQ(Server::Start(options).status().code(), absl::StatusCode::kInvalidArgument);
  std::ofstream(root_ / "lib/plugInfo.json") << "{}";
  EXPECT_EQ(OpenReason(options, Path("out.usda")), "");
}

// The server starts regardless.
TEST_F(EngineTest, ProblemsWithinAPluginAreLogged) {
  std::ofstream(root_ / "lib/plugInfo.json")
      << R"({"Plugins": [{"Name": "studio", "Info": {"Types": {
             "T": {"schemaKind": "concreteTyped", "bases": ["UsdTyped"]}}}}]})";
  std::ostringstream text;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
  ServerOptions options;
  options.schema_paths = {Path("lib")};
  EXPECT_TRUE(Server::Start(options).ok());
  spdlog::set_default_logger(before);
  EXPECT_NE(text.str().find("[warning] schema plug-in studio: "), std::string::npos) << text.str();
}

TEST_F(EngineTest, BudgetsComeFromTheOptions) {
  const auto budgets = [](const ServerOptions& options) {
    const auto server = Start(options);
    const auto reply = Client::FromChannel(server->InProcessChannel(), {})->GetCacheStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    std::string text;
    for (const v1::CacheStatistics& cache : reply->caches()) {
      text += Concat(cache.name(), " ", cache.budget_bytes(), " ", cache.budget_entries(), "; ");
    }
    return text;
  };
  ServerOptions options;
  options.memory_limit = uint64_t{16} << 30;
  EXPECT_EQ(
      budgets(options),
      Concat("stages ", uint64_t{4} << 30, " ", StageCacheOptions().max_idle_stages, "; layers ",
             uint64_t{2} << 30, " 0; path_sets ", uint64_t{256} << 20, " 10000; frames ",
             uint64_t{256} << 20, " 10000; clips ", uint64_t{4} << 30, " 16384; "));
  options.layer_cache_bytes = 1000;
  options.clip_cache_bytes = 2000;
  options.clip_cache_files = 3;
  options.stages.max_bytes = 4000;
  options.stages.max_idle_stages = 5;
  EXPECT_EQ(budgets(options),
            "stages 4000 5; layers 1000 0; path_sets 500 10000; frames 500 10000; "
            "clips 2000 3; ");
}

TEST_F(EngineTest, StagesHaveAPrimLimit) {
  Write("many.usda", "def \"A\" {}\ndef \"B\" {}\ndef \"C\" {}\n");
  ServerOptions options;
  EXPECT_EQ(OpenReason(options, Path("many.usda")), "");
  options.max_stage_prims = 2;
  EXPECT_EQ(OpenReason(options, Path("many.usda")), "BUDGET_EXHAUSTED");
}

}  // namespace
}  // namespace stagedoor::server

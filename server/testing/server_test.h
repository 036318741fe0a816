#ifndef STAGEDOOR_SERVER_TESTING_SERVER_TEST_H_
#define STAGEDOOR_SERVER_TESTING_SERVER_TEST_H_

#include <grpcpp/channel.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/client.h"
#include "client/cc/value_batch.h"
#include "resolver/memory/memory_resolver.h"
#include "server/server.h"
#include "server/testing/fake_admin_control.h"

namespace stagedoor::server {

// A fixture with a complete server in the test's process, which serves layers from memory, and a
// client connected to it. Layers are named "/NAME".
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : files_(std::make_shared<MemoryResolver>()) {}

  // Starts the server. Called on first use if the test has not called it.
  void Start(const ServerOptions& options = {}) { StartOn(options, files_); }
  // Starts the server on another resolver; on that of the file system if it is null.
  void StartOn(const ServerOptions& options, std::shared_ptr<const Resolver> resolver) {
    auto server = Server::Start(options, std::move(resolver), &control_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = server_->InProcessChannel();
    client_ = Client::FromChannel(channel_, {});
  }
  Client& client() {
    if (client_ == nullptr) Start();
    return *client_;
  }
  const Server& server() {
    client();
    return *server_;
  }
  // Stops the server, once its calls have ended.
  void Drain(std::chrono::milliseconds grace_period) { server_->Drain(grace_period); }
  // Ends the server, so that another one can have its addresses.
  void Stop() {
    client_ = nullptr;
    channel_ = nullptr;
    server_ = nullptr;
  }
  std::shared_ptr<grpc::Channel> channel() {
    client();
    return channel_;
  }

  // Writes the layer "/NAME". `content` is usda text without the first line.
  void Write(std::string_view name, std::string_view content) {
    ASSERT_TRUE(files_->Put(Concat("/", name), Concat("#usda 1.0\n", content)).ok());
  }

  // Writes "/root.usda" with a clip set on /P given by a template. In its clips, 1 to `count`, P.x
  // is ten times the time.
  void WriteClips(int count) {
    for (int i = 1; i <= count; ++i) {
      Write(Concat("clip.", i, ".usda"),
            Concat("def \"C\" { double x.timeSamples = { ", i, ": ", i * 10, " }; }\n"));
    }
    Write("manifest.usda", "def \"C\" { double x; }\n");
    Write("root.usda", Concat(R"(def "P" (
    clips = { dictionary default = {
        string templateAssetPath = "./clip.#.usda"
        double templateStartTime = 1
        double templateEndTime = )",
                              count, R"(
        double templateStride = 1
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/C"
    } }
)
{
    double x
}
)"));
  }

  // A request for `paths` at `frames`.
  template <typename Request>
  static Request RequestFor(const v1::StageRef& stage, const std::vector<std::string>& paths,
                            const std::vector<double>& frames) {
    Request request;
    *request.mutable_stage() = stage;
    for (const std::string& path : paths) request.add_paths(path);
    for (const double frame : frames) request.mutable_times()->add_frames(frame);
    return request;
  }

  // Opens the stage of `request`, by default of "/root.usda", and returns its handle. If that
  // fails, the test fails and the handle is empty.
  v1::StageRef Open(v1::OpenStageRequest request = {}) {
    if (request.root_layer().empty()) request.set_root_layer("/root.usda");
    const auto reply = client().OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::StageRef ref;
    if (reply.ok()) ref.set_handle(reply->handle());
    return ref;
  }

  // All messages of a stream. The test fails unless the stream ends with OK.
  template <typename Request, typename Response>
  std::vector<Response> All(absl::Status (Client::*method)(const Request&,
                                                           const Client::Sink<Response>&),
                            const Request& request) {
    std::vector<Response> parts;
    const absl::Status status = (client().*method)(request, [&](const Response& part) {
      parts.push_back(part);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return parts;
  }

  // The messages as they arrive, with arrays in chunks: see streams.proto.
  template <typename Request, typename Response>
  std::vector<Response> AllParts(absl::Status (Client::*method)(const Request&,
                                                                const Client::Sink<Response>&),
                                 const Request& request) {
    ClientOptions options;
    options.assemble_arrays = false;
    const auto raw = Client::FromChannel(channel(), options);
    std::vector<Response> parts;
    const absl::Status status = (*raw.*method)(request, [&](const Response& part) {
      parts.push_back(part);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return parts;
  }

  // The status of a stream whose messages do not matter.
  template <typename Request, typename Response>
  absl::Status End(absl::Status (Client::*method)(const Request&, const Client::Sink<Response>&),
                   const Request& request) {
    return (client().*method)(request, [](const Response&) { return absl::OkStatus(); });
  }

  // The paths of a default traversal.
  std::vector<std::string> Paths(const v1::StageRef& stage) {
    v1::TraverseRequest request;
    *request.mutable_stage() = stage;
    return Paths(request);
  }
  std::vector<std::string> Paths(const v1::TraverseRequest& request) {
    std::vector<std::string> paths;
    const absl::Status status = client().Traverse(request, [&](const v1::TraverseResponse& part) {
      for (const v1::Prim& prim : part.prims()) paths.push_back(prim.path());
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return paths;
  }

  // The values of an attribute of type double at frames.
  std::vector<double> Numbers(const v1::StageRef& stage, const std::string& path,
                              const std::vector<double>& frames) {
    return Numbers(RequestFor<v1::BatchGetValuesRequest>(stage, {path}, frames));
  }
  std::vector<double> Numbers(const v1::BatchGetValuesRequest& request) {
    const auto reply = client().BatchGetValues(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    std::vector<double> numbers;
    if (!reply.ok()) return numbers;
    const ValueBatch batch(*reply);
    for (size_t path = 0; path < batch.path_count(); ++path) {
      for (size_t time = 0; time < batch.time_count(); ++time) {
        const auto number = batch.GetDouble(path, time);
        EXPECT_TRUE(number.has_value()) << path << ", " << time;
        numbers.push_back(number.value_or(0));
      }
    }
    return numbers;
  }

  std::shared_ptr<MemoryResolver> files_;
  FakeAdminControl control_;

 private:
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Client> client_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_SERVER_TEST_H_

#ifndef STAGEDOOR_TESTS_SERVER_TEST_SERVER_H_
#define STAGEDOOR_TESTS_SERVER_TEST_SERVER_H_

#include <grpcpp/channel.h>
#include <gtest/gtest.h>

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

namespace stagedoor {

// A whole server in the test's process over layers in memory, and a client of it. Layers are named
// "/NAME".
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : files_(std::make_shared<MemoryResolver>()) {}

  // Called by the first use if the test has not.
  void Start(const ServerOptions& options = {}) {
    auto server = Server::Start(options, files_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = server_->InProcessChannel();
    client_ = Client::Over(channel_, {});
  }
  Client& client() {
    if (client_ == nullptr) Start();
    return *client_;
  }
  const Server& server() {
    client();
    return *server_;
  }
  std::shared_ptr<grpc::Channel> channel() {
    client();
    return channel_;
  }

  // `content` without the first line of a usda file.
  void Write(std::string_view name, std::string_view content) {
    ASSERT_TRUE(files_->Put(Concat("/", name), Concat("#usda 1.0\n", content)).ok());
  }

  // A handle of the stage of "/root.usda", opened as `request` says; null if that fails.
  v1::StageRef Open(v1::OpenStageRequest request = {}) {
    if (request.root_layer().empty()) request.set_root_layer("/root.usda");
    const auto reply = client().OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::StageRef ref;
    if (reply.ok()) ref.set_handle(reply->stage().handle());
    return ref;
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

  // The numbers of one attribute at some frames.
  std::vector<double> Numbers(const v1::StageRef& stage, const std::string& path,
                              const std::vector<double>& frames) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage;
    request.add_paths(path);
    for (const double frame : frames) request.mutable_times()->add_frames(frame);
    return Numbers(request);
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

 private:
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Client> client_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_SERVER_TEST_SERVER_H_

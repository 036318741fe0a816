// A node daemon and the daemon above it, as processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/cc/value_batch.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

class NodeDaemonTest : public ::testing::Test {
 protected:
  NodeDaemonTest() {
    scene_ = above_->WriteFile("scene.usda", R"(#usda 1.0
def "A"
{
    double x.timeSamples = { 0: 0, 100: 1000 }
}
)");
  }

  // The value of /A.x at a time, or the error.
  std::string Read(double time) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage_;
    request.add_paths("/A.x");
    request.mutable_times()->add_frames(time);
    const auto reply = client_->BatchGetValues(request);
    if (!reply.ok()) return reply.status().ToString();
    return Concat(ValueBatch(*reply).GetDouble(0, 0).value_or(-1));
  }

  TempDir folder_{"/tmp"};
  std::unique_ptr<DaemonProcess> above_ = std::make_unique<DaemonProcess>();
  std::string scene_;
  v1::StageRef stage_;
  std::unique_ptr<Client> client_;
};

// A program needs to know nothing but the address: it finds the query socket by itself.
TEST_F(NodeDaemonTest, ClientsReadOverItsQuerySocket) {
  const std::string address = Concat("unix:", folder_ / "node.sock");
  DaemonProcess node({Concat("--upstream=", above_->address()), Concat("--address=", address),
                      Concat("--query-socket=", folder_ / "queries.sock")});
  client_ = Client::Connect({.address = address, .timeout = std::chrono::seconds(20)});
  v1::OpenStageRequest open;
  open.set_root_layer(scene_);
  const auto opened = client_->OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  stage_.set_handle(opened->handle());
  EXPECT_EQ(Read(12), "120");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!client_->statistics().query_socket && std::chrono::steady_clock::now() < end) {
    EXPECT_EQ(Read(13), "130");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(Read(12), "120");
  EXPECT_GT(client_->statistics().socket_queries, 0u);
  above_->Signal(SIGKILL);
  above_->Wait();
  EXPECT_EQ(Read(12), "120") << "it is kept";
  EXPECT_EQ(node.Terminate(), 0);
}

}  // namespace
}  // namespace stagedoor

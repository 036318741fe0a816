// Tests what operators see of the real daemon: the request log, the probes, and the trace of a
// crash.
#include <arpa/inet.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

using nlohmann::json;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A port that nothing listens on.
int FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

class ObservabilityTest : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--log-file=" + log_);
    flags.push_back(Concat("--metrics-address=127.0.0.1:", port_));
    daemon_ = std::make_unique<DaemonProcess>(flags);
    channel_ = grpc::CreateChannel(daemon_->address(), grpc::InsecureChannelCredentials());
  }

  // The answer to GET, and its status line in the first line.
  std::string Get(const std::string& path) const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = Loopback(port_);
    std::string answer;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
      const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
      EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(request.size()));
      char buffer[4096];
      for (ssize_t n; (n = ::recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
        answer.append(buffer, static_cast<size_t>(n));
      }
    }
    ::close(fd);
    return answer;
  }

  grpc::Status OpenStage(const std::string& root, const std::string& id,
                         const std::string& trace_parent = "") {
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", id);
    if (!trace_parent.empty()) context.AddMetadata("traceparent", trace_parent);
    v1::OpenStageRequest request;
    request.set_root_layer(root);
    v1::OpenStageResponse response;
    const grpc::Status status =
        v1::StagesService::NewStub(channel_)->OpenStage(&context, request, &response);
    handle_ = response.handle();
    return status;
  }
  grpc::Status GetValues(const std::string& path) {
    grpc::ClientContext context;
    v1::BatchGetValuesRequest request;
    request.mutable_stage()->set_handle(handle_);
    request.add_paths(path);
    request.mutable_times()->add_frames(1);
    v1::BatchGetValuesResponse response;
    return v1::QueryService::NewStub(channel_)->BatchGetValues(&context, request, &response);
  }

  std::string Log() const {
    std::stringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  // The lines of the log that are records of calls.
  std::vector<json> Records() const {
    std::vector<json> records;
    std::istringstream lines(Log());
    for (std::string line; std::getline(lines, line);) {
      const json record = json::parse(line);
      if (record.contains("method")) records.push_back(record);
    }
    return records;
  }

  const TempDir folder_;
  const std::string log_ = folder_ / "daemon.log";
  const int port_ = FreePort();
  std::unique_ptr<DaemonProcess> daemon_;
  std::shared_ptr<grpc::Channel> channel_;
  std::string handle_;
};

TEST_F(ObservabilityTest, TheRequestLogIsLinesOfJson) {
  Start({"--log-format=json", "--log-requests=all", "--slow-query=0"});
  const std::string root =
      daemon_->WriteFile("sc\nene \"1\".usda", "#usda 1.0\ndef \"A\"\n{\n    int x = 1\n}\n");
  ASSERT_TRUE(
      OpenStage(root, "one \"two\"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
          .ok());
  const grpc::Status got = GetValues("/A.x");
  ASSERT_TRUE(got.ok()) << got.error_message();
  EXPECT_EQ(OpenStage(daemon_->folder() + "/no\nthing.usda", "three").error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(daemon_->Terminate(), 0);

  const std::string check =
      "python3 -c 'import json, sys\nfor line in open(sys.argv[1]): json.loads(line)' ";
  EXPECT_EQ(std::system((check + log_).c_str()), 0) << Log();
  const std::vector<json> records = Records();
  ASSERT_EQ(records.size(), 3u) << Log();
  EXPECT_EQ(records[0]["message"], "slow call");
  EXPECT_EQ(records[0]["method"], "stagedoor.v1.StagesService/OpenStage");
  EXPECT_EQ(records[0]["request_id"], "one \"two\"");
  EXPECT_EQ(records[0]["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(records[0]["stage"], root);
  EXPECT_TRUE(std::string(records[0]["reasons"]).starts_with("opened 1 layer (")) << records[0];
  EXPECT_TRUE(std::string(records[0]["peer"]).starts_with("ipv4:127.0.0.1:")) << records[0];
  EXPECT_EQ(records[1]["method"], "stagedoor.v1.QueryService/BatchGetValues");
  EXPECT_EQ(records[1]["status"], "OK");
  EXPECT_EQ(records[1]["stage"], root);
  EXPECT_EQ(records[2]["status"], "NOT_FOUND");
  EXPECT_EQ(records[2]["stage"], daemon_->folder() + "/no\nthing.usda");
}

TEST_F(ObservabilityTest, ProbesFollowTheLifeOfTheDaemon) {
  Start({"--drain-delay=3600"});
  EXPECT_TRUE(Get("/healthz").starts_with("HTTP/1.1 200 OK\r\n")) << Get("/healthz");
  EXPECT_TRUE(Get("/healthz").ends_with("\r\n\r\nok\n")) << Get("/healthz");
  EXPECT_TRUE(Get("/readyz").starts_with("HTTP/1.1 200 OK\r\n")) << Get("/readyz");
  daemon_->Signal(SIGTERM);
  while (Get("/readyz").starts_with("HTTP/1.1 200 ")) std::this_thread::yield();
  EXPECT_TRUE(Get("/readyz").starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_TRUE(Get("/readyz").ends_with("\r\n\r\ndraining\n"));
  EXPECT_TRUE(Get("/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(Get("/metrics").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(daemon_->Terminate(), 0) << "the second signal ends the delay";
}

TEST_F(ObservabilityTest, ACrashLeavesATrace) {
  Start();
  daemon_->Signal(SIGSEGV);
  EXPECT_EQ(daemon_->Wait(), -1);
  const std::string log = Log();
  EXPECT_NE(log.find("[critical] crash: SIGSEGV, code 0, sent by process "), std::string::npos)
      << log;
  EXPECT_NE(log.find(" stagedoord+0x"), std::string::npos) << log;
  EXPECT_NE(log.find(" stagedoor::server::RunUntilStopped()\n"), std::string::npos) << log;
  EXPECT_NE(log.find("::Main()\n"), std::string::npos) << log;
}

}  // namespace
}  // namespace stagedoor

// How the real daemon starts and stops, coexists with other daemons, and handles its log.
#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "base/version.h"
#include "client/cc/client.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using grpc::health::v1::HealthCheckResponse;

// Runs a daemon that should exit by itself. Returns its exit status and what it printed. `flags`
// may redirect its standard output.
std::pair<int, std::string> RunDaemon(const std::string& flags) {
  return RunShell("exec server/stagedoord " + flags);
}

class LifecycleTest : public ::testing::Test {
 protected:
  LifecycleTest() { ::signal(SIGPIPE, SIG_IGN); }

  void Start(const std::vector<std::string>& flags = {},
             DaemonProcess::Streams streams = DaemonProcess::Streams::kInherited, int log_fd = -1) {
    daemon_ = std::make_unique<DaemonProcess>(flags, streams, log_fd);
    client_ = Client::Connect({.address = daemon_->address(), .timeout = std::chrono::seconds(20)});
    channel_ = grpc::CreateChannel(daemon_->address(), grpc::InsecureChannelCredentials());
  }
  void ExpectAnswers(const std::string& address) {
    const auto client = Client::Connect({.address = address, .timeout = std::chrono::seconds(20)});
    EXPECT_TRUE(client->GetServerStatistics({}).ok()) << address;
  }
  HealthCheckResponse::ServingStatus Health(const std::string& service = "") {
    HealthCheckResponse response;
    const grpc::Status status = Check(service, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.status();
  }
  grpc::Status Check(const std::string& service, HealthCheckResponse* response) {
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::ClientContext context;
    return grpc::health::v1::Health::NewStub(channel_)->Check(&context, request, response);
  }
  std::string Socket() const { return folder_ / "s"; }

  const google::protobuf::LogSilencer silence_;  // requests of this test are malformed on purpose
  const TempDir folder_{"/tmp"};
  std::unique_ptr<DaemonProcess> daemon_;
  std::unique_ptr<Client> client_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(LifecycleTest, ASecondDaemonLeavesALiveSocketAlone) {
  const std::string address = "unix:" + Socket();
  Start({"--address=" + address});
  const auto [status, message] = RunDaemon("--address=" + address);
  EXPECT_EQ(status, 1);
  EXPECT_NE(message.find(address), std::string::npos) << message;
  ExpectAnswers(address);
  EXPECT_EQ(daemon_->Terminate(), 0);
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "socket and lock are removed";
}

TEST_F(LifecycleTest, TheSocketOfAKilledDaemonIsReplaced) {
  const std::string address = "unix:" + Socket();
  Start({"--address=" + address});
  daemon_->Signal(SIGKILL);
  EXPECT_EQ(daemon_->Wait(), -1);
  EXPECT_TRUE(fs::exists(Socket()));
  Start({"--address=" + address});
  ExpectAnswers(address);
}

TEST_F(LifecycleTest, StartupErrorsAreClear) {
  Start();
  const std::string port = daemon_->address().substr(daemon_->address().rfind(':'));
  const struct {
    std::string flags;
    int status;
    std::string part;
  } kCases[] = {
      {"--address=" + daemon_->address(), 1, port + "': Address already in use"},
      {"--address=127.0.0.1:0 --metrics-address=" + daemon_->address(), 1, port},
      {"--address=unix:/nowhere/s", 1, "/nowhere/s"},
      {"--address=unix:", 2, "--address cannot be 'unix:'"},
      {"--address=127.0.0.1:99999", 2, "--address cannot be '127.0.0.1:99999'"},
      {"--threads=99999999", 2, "--threads cannot be '99999999'"},
      {"--log-level=zzz", 2, "--log-level cannot be 'zzz'"},
      {"--address-file=/tmp", 2, "--address-file cannot be '/tmp'"},
      {"--log-file=/tmp", 2, "--log-file cannot be '/tmp'"},
      {"--frobnicate", 2, "unknown flag '--frobnicate'"},
      {"--log-file=/proc/log", 2, "--log-file"},
      {"--session-store=unix:/s --session-store-password-file=/none", 2, "--session-store"},
  };
  for (const auto& c : kCases) {
    const auto [status, message] = RunDaemon(c.flags);
    EXPECT_EQ(status, c.status) << c.flags << ": " << message;
    EXPECT_NE(message.find(c.part), std::string::npos) << c.flags << ": " << message;
  }
  ExpectAnswers(daemon_->address());
}

TEST_F(LifecycleTest, HelpAndVersionArePrinted) {
  const auto [status, help] = RunDaemon("--help");
  EXPECT_EQ(status, 0);
  EXPECT_NE(help.find("--address"), std::string::npos) << help;
  EXPECT_EQ(RunDaemon("--version"), std::pair(0, Concat("stagedoord ", kVersion, "\n")));
  EXPECT_EQ(RunDaemon("--version >/dev/full"),
            std::pair(1, std::string("stagedoord: cannot write to standard output: "
                                     "No space left on device\n")));
}

TEST_F(LifecycleTest, HealthIsReportedPerService) {
  Start();
  for (const char* service : {"", "stagedoor.v1.QueryService", "stagedoor.v1.ServerService"}) {
    EXPECT_EQ(Health(service), HealthCheckResponse::SERVING) << service;
  }
  HealthCheckResponse response;
  EXPECT_EQ(Check("no.such.Service", &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(LifecycleTest, DrainingIsAnnouncedWhileServing) {
  Start({"--drain-delay=3600"});
  daemon_->Signal(SIGTERM);
  while (Health() == HealthCheckResponse::SERVING) std::this_thread::yield();
  EXPECT_EQ(Health("stagedoor.v1.QueryService"), HealthCheckResponse::NOT_SERVING);
  EXPECT_TRUE(client_->GetServerStatistics({}).ok()) << "calls are still accepted";
  ExpectAnswers(daemon_->address());
  EXPECT_EQ(daemon_->Terminate(), 0) << "the second signal ends the delay";
}

TEST_F(LifecycleTest, AnIdleDaemonStopsIfItIsTo) {
  Start({"--stop-when-idle=1"});
  EXPECT_EQ(daemon_->Wait(), 0);
}

TEST_F(LifecycleTest, ADaemonThatHoldsAStageOpenIsNotIdle) {
  Start({"--stop-when-idle=1"});
  v1::OpenStageRequest open;
  open.set_root_layer(daemon_->WriteFile("a.usda", "#usda 1.0\ndef \"A\" {}\n"));
  const auto opened = client_->OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  std::this_thread::sleep_for(std::chrono::seconds(4));  // several times the limit
  EXPECT_TRUE(daemon_->IsRunning());
  v1::CloseStageRequest close;
  close.set_handle(opened->handle());
  EXPECT_TRUE(client_->CloseStage(close).ok());
  EXPECT_EQ(daemon_->Wait(), 0);
}

// A stream whose client does not read would run for hours. Each signal starts the next step.
TEST_F(LifecycleTest, ASecondSignalCancelsRunningCalls) {
  Start({"--drain-seconds=3600"});
  std::string text = "#usda 1.0\ndef \"A\"\n{\n    int[] x = [0";
  for (int i = 1; i < 3000000; ++i) text += ", 7";
  text += "]\n}\n";
  v1::OpenStageRequest open;
  open.set_root_layer(daemon_->WriteFile("array.usda", text));
  const auto opened = client_->OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  v1::StreamValuesRequest request;
  request.mutable_stage()->set_handle(opened->handle());
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  bool signalled = false;
  int status = -1;
  ClientOptions raw;
  raw.address = daemon_->address();
  raw.assemble_arrays = false;  // the first message comes before the array is complete
  const auto client = Client::Connect(raw);
  const absl::Status stream = client->StreamValues(request, [&](const v1::StreamValuesResponse&) {
    if (std::exchange(signalled, true)) return absl::OkStatus();
    daemon_->Signal(SIGTERM);
    HealthCheckResponse response;
    while (Check("", &response).ok()) std::this_thread::yield();  // until it rejects new calls
    status = daemon_->Terminate();
    return absl::OkStatus();
  });
  EXPECT_FALSE(stream.ok()) << "the stream is cancelled";
  EXPECT_EQ(status, 0);
}

// Protobuf logs what it cannot parse, which raises SIGPIPE on a pipe without a reader.
TEST_F(LifecycleTest, ALogWithoutAReaderIsHarmless) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  Start({}, DaemonProcess::Streams::kInherited, pipe[1]);
  ::close(pipe[0]);
  v1::OpenStageRequest request;
  request.set_root_layer("\xff\xfe");
  EXPECT_FALSE(client_->OpenStage(request).ok());
  ExpectAnswers(daemon_->address());
  EXPECT_EQ(daemon_->Terminate(), 0);
  ::close(pipe[1]);
}

TEST_F(LifecycleTest, AFullLogPipeBlocksNothing) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ::fcntl(pipe[1], F_SETFL, O_NONBLOCK);
  while (::write(pipe[1], "x", 1) == 1) {
  }
  ::fcntl(pipe[1], F_SETFL, 0);
  Start({}, DaemonProcess::Streams::kInherited, pipe[1]);
  for (int i = 0; i < 100; ++i) {
    v1::OpenStageRequest request;
    request.set_root_layer("\xff\xfe");
    EXPECT_FALSE(client_->OpenStage(request).ok());
  }
  ExpectAnswers(daemon_->address());
  EXPECT_EQ(daemon_->Terminate(), 0);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(LifecycleTest, ServesWithoutStandardStreams) {
  Start({}, DaemonProcess::Streams::kClosed);
  v1::OpenStageRequest request;
  request.set_root_layer("\xff\xfe");
  EXPECT_FALSE(client_->OpenStage(request).ok());
  request.set_root_layer(daemon_->WriteFile("a.usda", "#usda 1.0\ndef \"A\" {}\n"));
  EXPECT_TRUE(client_->OpenStage(request).ok());
  EXPECT_EQ(daemon_->Terminate(), 0);
}

}  // namespace
}  // namespace stagedoor

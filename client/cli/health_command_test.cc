#include "client/cli/health_command.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cli/exit_status.h"
#include "server/server.h"

namespace stagedoor {
namespace {

class HealthCommandTest : public ::testing::Test {
 protected:
  HealthCommandTest() {
    server::ServerOptions options;
    options.addresses = {address_};
    auto started = server::Server::Start(options);
    EXPECT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
  }

  // Runs the command with --address and these arguments.
  absl::Status Health(std::vector<std::string> args) {
    args.insert(args.begin(), {"health", "--address", address_});
    const auto line = CommandLine::Parse(args);
    EXPECT_TRUE(line.ok()) << line.status();
    Output output;
    testing::internal::CaptureStdout();
    absl::Status status = RunHealth(*line, output);
    output.Flush().IgnoreError();
    printed_ = testing::internal::GetCapturedStdout();
    return status;
  }

  TempDir dir_{"/tmp"};
  const std::string address_ = Concat("unix:", dir_.path(), "/socket");
  std::unique_ptr<server::Server> server_;
  std::string printed_;
};

TEST_F(HealthCommandTest, ADaemonThatServesIsHealthyAsAWholeAndByService) {
  EXPECT_EQ(Health({}), absl::OkStatus());
  EXPECT_EQ(printed_, "serving\n");
  EXPECT_EQ(Health({"stagedoor.v1.QueryService"}), absl::OkStatus());
  EXPECT_EQ(printed_, "serving\n");
}

TEST_F(HealthCommandTest, AnUnknownServiceIsNotFound) {
  const absl::Status status = Health({"stagedoor.v1.Nothing"});
  EXPECT_EQ(ToExitStatus(status), kExitNotFound);
  EXPECT_EQ(Message(status),
            "the daemon has no service 'stagedoor.v1.Nothing'; omit it to ask about the whole");
  EXPECT_EQ(printed_, "");
}

TEST_F(HealthCommandTest, ADaemonThatIsStoppingFails) {
  server_->AnnounceShutdown();
  const absl::Status status = Health({});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_EQ(ToExitStatus(status), kExitFailure);
  EXPECT_EQ(printed_, "");
}

TEST_F(HealthCommandTest, WithoutADaemonItFailsAtOnce) {
  server_.reset();
  EXPECT_EQ(ToExitStatus(Health({})), kExitNoDaemon);
}

}  // namespace
}  // namespace stagedoor

#include "server/daemon_control.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "server/config/config_printer.h"
#include "server/error_info.h"
#include "server/log/testing/log_file_test.h"

namespace stagedoor::server {
namespace {

class DaemonControlTest : public LogFileTest {
 protected:
  DaemonControlTest() : LogFileTest("daemon_control_test.log") {
    Write("log-level: info\nmax-calls: 10\n");
  }
  ~DaemonControlTest() override { server::SetLogLevel("info"); }

  void Write(const std::string& text) { folder_.Write("c.yaml", text); }
  absl::StatusOr<DaemonConfig> Read() const {
    return ReadDaemonConfig({"--config=" + folder_ / "c.yaml"}, {});
  }
  std::unique_ptr<DaemonControl> MakeControl(bool has_config_file = true) {
    reloader_ = std::make_unique<ConfigReloader>(
        Read().value(), [this] { return Read(); },
        [](const AccessOptions&) { return absl::OkStatus(); });
    return std::make_unique<DaemonControl>(
        DaemonControl::Options{.reloader = reloader_.get(),
                               .has_config_file = has_config_file,
                               .schema_paths = {"/schemas"},
                               .reopen_files = [this] { ++reopened_; },
                               .stop = [this] { ++stops_; }});
  }

  const TempDir folder_;
  std::unique_ptr<ConfigReloader> reloader_;
  int reopened_ = 0;
  int stops_ = 0;
};

TEST_F(DaemonControlTest, TheDaemonIsStoppedOnce) {
  const auto control = MakeControl();
  EXPECT_FALSE(control->Drain());
  EXPECT_TRUE(control->Drain());
  EXPECT_EQ(stops_, 1);
}

TEST_F(DaemonControlTest, ADaemonThatStopsAnywayIsNotHurried) {
  const auto control = MakeControl();
  control->SetDraining();
  EXPECT_TRUE(control->Drain());
  EXPECT_EQ(stops_, 0);
}

TEST_F(DaemonControlTest, LogLevelsAreSetAndReturned) {
  const auto control = MakeControl();
  EXPECT_EQ(control->SetLogLevel("debug"), "info");
  EXPECT_EQ(CurrentLogLevel(), "debug");
  EXPECT_EQ(control->SetLogLevel(""), "debug");
  EXPECT_EQ(CurrentLogLevel(), "debug");
  EXPECT_EQ(control->SetLogLevel("off"), "debug");
  EXPECT_EQ(control->SetLogLevel("error"), "off");
}

TEST_F(DaemonControlTest, AReloadOpensFilesAgainAndReports) {
  const auto control = MakeControl();
  Write("log-level: warn\nmax-calls: 11\n");
  const auto report = control->ReloadConfig();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->changed, std::vector<std::string>{"log-level"});
  EXPECT_EQ(report->needs_restart, std::vector<std::string>{"max-calls"});
  EXPECT_EQ(report->errors, std::vector<std::string>());
  EXPECT_EQ(reopened_, 1);
}

TEST_F(DaemonControlTest, WithoutAFileThereIsNothingToReload) {
  const auto status = MakeControl(/*has_config_file=*/false)->ReloadConfig().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_UNSUPPORTED);
  EXPECT_EQ(reopened_, 0);
}

TEST_F(DaemonControlTest, TheConfigurationIsThatInForce) {
  const auto control = MakeControl();
  EXPECT_EQ(control->Config(), PrintDaemonConfig(Read().value(), {"/schemas"}));
  Write("log-level: debug\nmax-calls: 11\n");
  ASSERT_TRUE(control->ReloadConfig().ok());
  const std::string printed = control->Config();
  EXPECT_NE(printed.find("\nlog-level: debug  # file\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("\nmax-calls: 10  # file\n"), std::string::npos) << printed;
}

}  // namespace
}  // namespace stagedoor::server

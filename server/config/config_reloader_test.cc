#include "server/config/config_reloader.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "server/log/testing/log_file_test.h"

namespace stagedoor::server {
namespace {

class ConfigReloaderTest : public LogFileTest {
 protected:
  ConfigReloaderTest() : LogFileTest("config_reloader_test.log") {}
  // The log level is that of the process.
  ~ConfigReloaderTest() override { SetLogLevel("info"); }

  void Write(const std::string& text) { folder_.Write("c.yaml", text); }
  absl::StatusOr<DaemonConfig> Read() const {
    return ReadDaemonConfig({"--config=" + folder_ / "c.yaml", "--drain-delay=3"}, {});
  }
  void Start(const std::string& text) {
    Write(text);
    auto config = Read();
    ASSERT_TRUE(config.ok()) << config.status();
    reloader_ = std::make_unique<ConfigReloader>(
        *std::move(config), [this] { return Read(); },
        [this](const AccessOptions& access) {
          roles_.push_back(access.roles.size());
          return access_status_;
        });
  }
  ReloadReport Reload(const std::string& text) {
    Write(text);
    return reloader_->Reload();
  }
  bool Logged(const std::string& part) { return Text().find(part) != std::string::npos; }

  const TempDir folder_;
  std::unique_ptr<ConfigReloader> reloader_;
  std::vector<size_t> roles_;  // their number in each call of set_access
  absl::Status access_status_;
};

const std::string kRole =
    "access: {roles: [{name: r, identities: local, assets: '*', methods: query}]}\n";

TEST_F(ConfigReloaderTest, TheLogLevelChanges) {
  Start("log-level: info\n");
  Reload("log-level: error\n");
  EXPECT_EQ(spdlog::default_logger()->level(), spdlog::level::err);
  Reload("log-level: debug\n");
  EXPECT_EQ(spdlog::default_logger()->level(), spdlog::level::debug);
  EXPECT_TRUE(Logged("--log-level is now debug"));
  Reload("");
  EXPECT_EQ(spdlog::default_logger()->level(), spdlog::level::info) << "the default";
}

TEST_F(ConfigReloaderTest, TheNewLogLevelAppliesToTheReload) {
  Start("log-level: info\nmax-calls: 10\n");
  Reload("log-level: error\nmax-calls: 11\n");
  EXPECT_EQ(Lines(), 0u);
  Reload("log-level: warn\nmax-calls: 12\n");
  EXPECT_EQ(Lines(), 1u);
  EXPECT_TRUE(Logged("--max-calls changes only at a restart"));
}

TEST_F(ConfigReloaderTest, OtherFlagsChangeOnlyAtARestart) {
  Start("max-calls: 10\nthreads: 2\n");
  Reload("max-calls: 11\nthreads: 2\nsearch-path: [/x]\n");
  EXPECT_TRUE(Logged("--max-calls changes only at a restart"));
  EXPECT_TRUE(Logged("--search-path changes only at a restart"));
  EXPECT_FALSE(Logged("--threads"));
  EXPECT_FALSE(Logged("--drain-delay")) << "the command line is the same";
  const size_t lines = Lines();
  Reload("max-calls: 10\nthreads: 2\n");
  EXPECT_EQ(Lines(), lines + 1) << "compared with what the daemon runs with";
}

TEST_F(ConfigReloaderTest, AccessIsPassedOn) {
  Start("");
  Reload(kRole);
  EXPECT_EQ(roles_, std::vector<size_t>{1});
  EXPECT_TRUE(Logged("the roles and tokens of the section 'access' have changed"));
  const size_t lines = Lines();
  Reload(kRole);
  EXPECT_EQ(roles_, (std::vector<size_t>{1, 1})) << "files that it names may have changed";
  EXPECT_EQ(Lines(), lines + 1);
  Reload("");
  EXPECT_EQ(roles_, (std::vector<size_t>{1, 1, 0}));
}

TEST_F(ConfigReloaderTest, AFileWithErrorsChangesNothing) {
  Start("log-level: info\n");
  Reload("log-level: error\nmax-cals: 3\nthreads: x\n" + kRole);
  EXPECT_EQ(spdlog::default_logger()->level(), spdlog::level::info);
  EXPECT_TRUE(roles_.empty());
  EXPECT_TRUE(Logged(folder_ / "c.yaml" + ":2:1: unknown key 'max-cals'; did you mean"));
  EXPECT_TRUE(Logged(folder_ / "c.yaml" + ":3:10: 'threads' cannot be 'x'"));
  EXPECT_TRUE(Logged("the configuration has errors and was not reloaded"));
  EXPECT_EQ(Lines(), 3u);
}

TEST_F(ConfigReloaderTest, ReportsSayWhatHasChanged) {
  using Names = std::vector<std::string>;
  Start("log-level: info\n");
  ReloadReport report = Reload("log-level: debug\nmax-calls: 11\nthreads: 7\n" + kRole);
  EXPECT_EQ(report.changed, (Names{"log-level", "access"}));
  EXPECT_EQ(report.needs_restart, (Names{"threads", "max-calls"}));
  EXPECT_EQ(report.errors, Names());
  EXPECT_EQ(reloader_->running().flags.log_level, "debug");
  EXPECT_TRUE(reloader_->running().settings.contains("log-level"));
  EXPECT_TRUE(reloader_->running().access_section.has_value());
  report = Reload("max-cals: 11\nthreads: x\n");
  EXPECT_EQ(report.changed, Names());
  EXPECT_EQ(report.errors.size(), 2u);
  EXPECT_TRUE(report.errors.at(0).starts_with(folder_ / "c.yaml:1:1: unknown key"))
      << report.errors[0];
  EXPECT_EQ(reloader_->running().flags.log_level, "debug");
  Reload("");
  EXPECT_FALSE(reloader_->running().settings.contains("log-level")) << "the default";
}

TEST_F(ConfigReloaderTest, RefusedAccessIsAnError) {
  Start("");
  access_status_ = InvalidArgumentError("no");
  const ReloadReport report = Reload(kRole);
  EXPECT_EQ(report.errors, std::vector<std::string>{"access stays as it was: no"});
  EXPECT_EQ(report.changed, std::vector<std::string>());
  EXPECT_FALSE(reloader_->running().access_section.has_value());
}

TEST_F(ConfigReloaderTest, TheLevelOfTheFileReplacesThatOfAnAdministrator) {
  Start("log-level: info\n");
  SetLogLevel("trace");
  EXPECT_EQ(Reload("log-level: info\n").changed, std::vector<std::string>{"log-level"});
  EXPECT_EQ(CurrentLogLevel(), "info");
}

}  // namespace
}  // namespace stagedoor::server

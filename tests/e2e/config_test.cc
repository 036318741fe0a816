// The configuration file of the real daemon.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

// The lines of a configuration without comments.
std::string Settings(const std::string& printed) {
  std::istringstream lines(printed);
  std::string settings;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) settings += line.substr(0, line.find("  # ")) + "\n";
  }
  return settings;
}

class ConfigTest : public ::testing::Test {
 protected:
  std::string File() const { return folder_ / "stagedoord.yaml"; }
  std::string Log() const { return folder_ / "log"; }
  void Write(const std::string& text) const { folder_.Write("stagedoord.yaml", text); }

  // Runs a daemon that should exit by itself with the file and `flags`. Returns its exit status and
  // what it printed.
  std::pair<int, std::string> Run(const std::string& flags, const std::string& environment = "") {
    return RunShell("exec env " + environment + " server/stagedoord --config=" + File() + " " +
                    flags);
  }

  // Waits for what a signal causes. Returns false if the daemon exits before.
  template <typename Condition>
  static bool Await(const DaemonProcess& daemon, const Condition& condition) {
    while (!condition()) {
      if (!daemon.IsRunning()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  // Waits until the log of the daemon has `part`, which is what a reload logs.
  bool AwaitLog(const DaemonProcess& daemon, const std::string& part) const {
    return Await(daemon, [&] {
      std::stringstream text;
      text << std::ifstream(Log()).rdbuf();
      return text.str().find(part) != std::string::npos;
    });
  }

  const TempDir folder_;
};

TEST_F(ConfigTest, MistypedKeysAreErrorsWithTheirLine) {
  Write("threads: 2\nmax-cals: 10\nlog-level: loud\n");
  const std::string errors =
      "stagedoord: " + File() + ":2:1: unknown key 'max-cals'; did you mean 'max-calls'?\n" +
      "stagedoord: " + File() +
      ":3:12: 'log-level' cannot be 'loud': it must be trace, debug, info, warn, error or off\n";
  for (const char* flags : {"", "--check-config", "--print-config"}) {
    const auto [status, output] = Run(flags);
    EXPECT_EQ(status, 2) << flags;
    EXPECT_EQ(output, errors) << flags;
  }
  Write("threads: 2\nmax-calls: 10\n");
  EXPECT_EQ(Run("--check-config"), std::pair(0, std::string("configuration ok\n")));
  const auto [status, output] = Run("--check-config", "STAGEDOOR_SCHEMA_PATH=/none");
  EXPECT_EQ(status, 2);
  EXPECT_NE(output.find("/none"), std::string::npos) << output;
}

TEST_F(ConfigTest, TheCommandLineOverridesTheEnvironmentAndThatTheFile) {
  Write("max-calls: 1\nthreads: 2\nmax-leases: 3\nsearch-path: [/a, /b]\n");
  const auto [status, printed] = Run("--print-config --max-calls=30 --max-reply-bytes=5K",
                                     "STAGEDOOR_MAX_CALLS=20 STAGEDOOR_THREADS=21 "
                                     "STAGEDOOR_SEARCH_PATH=/c,/d STAGEDOOR_SHARED=x");
  EXPECT_EQ(status, 0);
  for (const char* line : {"\nmax-calls: 30  # command line\n", "\nthreads: 21  # environment\n",
                           "\nmax-leases: 3  # file\n", "\nsearch-path: [/c, /d]  # environment\n",
                           "\nmax-reply-bytes: 5K  # command line\n", "\n# lease-ttl: 300\n"}) {
    EXPECT_NE(printed.find(line), std::string::npos) << line << " in\n" << printed;
  }
  Write(printed);
  const auto [again, reprinted] = Run("--print-config");
  EXPECT_EQ(again, 0);
  EXPECT_EQ(Settings(reprinted), Settings(printed));
  EXPECT_NE(reprinted.find("\nmax-calls: 30  # file\n"), std::string::npos) << reprinted;
}

TEST_F(ConfigTest, HangUpReopensTheAuditLog) {
  const std::string audit = folder_ / "audit";
  DaemonProcess daemon({"--audit-log=" + audit, "--memory-limit=0"});
  std::filesystem::rename(audit, audit + ".1");
  daemon.Signal(SIGHUP);
  EXPECT_TRUE(Await(daemon, [&] { return std::filesystem::exists(audit); }));
  EXPECT_EQ(daemon.Terminate(), 0);
}

TEST_F(ConfigTest, HangUpReloadsWhatCanChange) {
  const std::string log = "log-file: " + Log() + "\n";
  Write(log + "log-level: error\nmax-calls: 10\n");
  DaemonProcess daemon({"--config=" + File()});
  Write(log + "log-level: info\nmax-calls: 20\n");
  daemon.Signal(SIGHUP);
  EXPECT_TRUE(AwaitLog(daemon, "--log-level is now info"));
  EXPECT_TRUE(AwaitLog(daemon, "--max-calls changes only at a restart"));
  Write(log + "log-level: info\nmax-calls: 20\nmax-cals: 3\n");
  daemon.Signal(SIGHUP);
  EXPECT_TRUE(AwaitLog(daemon, File() + ":4:1: unknown key 'max-cals'; did you mean 'max-calls'?"));
  EXPECT_TRUE(AwaitLog(daemon, "was not reloaded"));
  const auto client =
      Client::Connect({.address = daemon.address(), .timeout = std::chrono::seconds(20)});
  EXPECT_TRUE(client->GetServerStatistics({}).ok()) << "SIGHUP does not stop the daemon";
  EXPECT_EQ(daemon.Terminate(), 0);
}

}  // namespace
}  // namespace stagedoor

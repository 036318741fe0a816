// The private daemon, which the command and the library start where no address is given.
#include "client/cc/private_daemon.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/testing/private_daemons.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStarted = "stagedoor: started a private daemon";

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

class PrivateDaemonE2eTest : public ::testing::Test {
 protected:
  PrivateDaemonE2eTest() {
    for (const char* name : {"STAGEDOOR_ADDRESS", "STAGEDOOR_EMBEDDED"}) ::unsetenv(name);
    fs::create_directory(folder_ / "run");
    ::chmod((folder_ / "run").c_str(), 0700);
    ::setenv("XDG_RUNTIME_DIR", (folder_ / "run").c_str(), 1);
    ::setenv("PATH", Concat(fs::absolute("server").string(), ":/usr/bin:/bin").c_str(), 1);
    folder_.Write("root.usda", "#usda 1.0\ndef Xform \"A\" {\n  double x = 1\n}\n");
  }
  ~PrivateDaemonE2eTest() override { Kill(); }

  std::pair<int, std::string> Run(const std::string& words) const { return RunShell(Words(words)); }
  static std::string Words(const std::string& words) {
    return Concat("client/cli/stagedoor ", words);
  }
  std::string Get() const { return Concat("get ", folder_ / "root.usda", " /A.x"); }
  static PrivateDaemon Daemon() { return {"", PrivateDaemon::Folder()}; }
  static void Kill() { KillPrivateDaemon(Daemon()); }

  const TempDir folder_{"/tmp"};
};

TEST_F(PrivateDaemonE2eTest, TheCommandStartsOneAndUsesItAgain) {
  const auto [status, output] = Run(Get());
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(Count(output, kStarted), 1u) << output;
  EXPECT_NE(output.find("default\t1\n"), std::string::npos) << output;
  EXPECT_EQ(Run(Get()), std::pair(0, std::string("default\t1\n")));
}

TEST_F(PrivateDaemonE2eTest, CommandsThatStartAtOnceShareOne) {
  const std::string get = Words(Get());
  const auto [status, output] = RunShell(Concat(get, " & ", get, " & ", get, " & wait"));
  EXPECT_EQ(Count(output, kStarted), 1u) << output;
  EXPECT_EQ(Count(output, "default\t1\n"), 3u) << output;
}

TEST_F(PrivateDaemonE2eTest, AKilledOneIsReplaced) {
  EXPECT_EQ(Run(Get()).first, 0);
  Kill();
  const auto [status, output] = Run(Get());
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(Count(output, kStarted), 1u) << output;
}

TEST_F(PrivateDaemonE2eTest, ItIsShownAndStopped) {
  const std::string none = "stagedoor: UNAVAILABLE: no private daemon runs\n";
  EXPECT_EQ(Run("daemon status"), std::pair(3, none));
  EXPECT_EQ(Run("daemon stop"), std::pair(3, none));
  EXPECT_EQ(Run("daemon log").first, 4);
  EXPECT_EQ(Run("daemon start").first, 2);
  EXPECT_EQ(Run(Get()).first, 0);
  const std::string process = std::to_string(Daemon().FindProcess()->value());
  EXPECT_EQ(Run("daemon status"),
            std::pair(0, Concat("process\t", process, "\naddress\t", Daemon().address(), "\nlog\t",
                                Daemon().log_file(), "\n")));
  EXPECT_NE(Run("daemon log").second.find("serving on unix:"), std::string::npos);
  EXPECT_EQ(Run("daemon stop"), std::pair(0, Concat("stopped process ", process, "\n")));
  EXPECT_EQ(Run("daemon status"), std::pair(3, none));
  EXPECT_EQ(Run(Get()).first, 0) << "waits for the one that was stopped";
}

TEST_F(PrivateDaemonE2eTest, HealthStartsNone) {
  EXPECT_EQ(Run("health").first, 3);
  EXPECT_EQ(*Daemon().FindProcess(), std::nullopt);
  EXPECT_EQ(Run(Get()).first, 0);
  EXPECT_EQ(Run("health"), std::pair(0, std::string("serving\n")));
}

TEST_F(PrivateDaemonE2eTest, ItIsOffIfThatIsSaidOrOthersAreMeant) {
  const std::string none =
      "stagedoor: no daemon address; pass --address, set STAGEDOOR_ADDRESS, or use --embedded\n";
  EXPECT_EQ(Run(Get() + " --address=none"), std::pair(2, none));
  EXPECT_EQ(RunShell("STAGEDOOR_ADDRESS=none " + Words(Get())), std::pair(2, none));
  EXPECT_EQ(Run(Get() + " --tls"), std::pair(2, none));
  EXPECT_EQ(RunShell("PATH=/nowhere " + Words(Get())),
            std::pair(2, Concat(none.substr(0, none.size() - 1),
                                "; or install a daemon: pip install 'stagedoor[daemon]'\n")));
  EXPECT_EQ(*Daemon().FindProcess(), std::nullopt);
}

TEST_F(PrivateDaemonE2eTest, TheLibraryStartsItWithTheFirstCallAndAgain) {
  const auto daemon =
      std::make_shared<PrivateDaemon>(fs::absolute("server/stagedoord"), PrivateDaemon::Folder());
  const auto client = Client::Connect({.address = daemon->address(), .private_daemon = daemon});
  EXPECT_EQ(*daemon->FindProcess(), std::nullopt) << "not before";
  v1::OpenStageRequest open;
  open.set_root_layer(folder_ / "root.usda");
  const auto opened = client->OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  Kill();
  v1::CloseStageRequest close;
  close.set_handle(opened->handle());
  EXPECT_FALSE(client->CloseStage(close).ok()) << "is not repeated";
  EXPECT_EQ(*daemon->FindProcess(), std::nullopt);
  const absl::Status again = client->OpenStage(open).status();
  EXPECT_TRUE(again.ok()) << again;
}

TEST_F(PrivateDaemonE2eTest, TheLibraryUsesItsQuerySocket) {
  const auto daemon =
      std::make_shared<PrivateDaemon>(fs::absolute("server/stagedoord"), PrivateDaemon::Folder());
  const auto client = Client::Connect({.address = daemon->address(), .private_daemon = daemon});
  v1::OpenStageRequest open;
  open.set_root_layer(folder_ / "root.usda");
  const auto opened = client->OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  v1::BatchGetValuesRequest ask;
  ask.mutable_stage()->set_handle(opened->handle());
  ask.add_paths("/A.x");
  ask.mutable_times()->add_frames(0);
  for (int i = 0; i < 10000 && client->statistics().socket_queries == 0; ++i) {
    const auto reply = client->BatchGetValues(ask);
    ASSERT_TRUE(reply.ok()) << reply.status();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT(client->statistics().socket_queries, 0u);
}

TEST_F(PrivateDaemonE2eTest, TheLibrarySaysWhyItCannotBeStarted) {
  ::chmod((folder_ / "run").c_str(), 0700);
  fs::create_directory(folder_ / "run/stagedoor");
  ::chmod((folder_ / "run/stagedoor").c_str(), 0755);
  const auto daemon = std::make_shared<PrivateDaemon>("/nowhere", PrivateDaemon::Folder());
  const auto client = Client::Connect({.address = daemon->address(), .private_daemon = daemon});
  const absl::Status status = client->GetServerStatistics({}).status();
  EXPECT_NE(status.message().find("is open to other users"), std::string::npos) << status;
  const auto [exit, output] = Run(Get());
  EXPECT_EQ(exit, 3) << output;
  EXPECT_NE(output.find("is open to other users"), std::string::npos) << output;
  ::chmod((folder_ / "run/stagedoor").c_str(), 0700);
}

}  // namespace
}  // namespace stagedoor

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "client/cli/commands.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class AdminCommandTest : public CommandsTest {
 protected:
  std::string Admin(Args args) {
    args.insert(args.begin(), "admin");
    return Printed(RunAdmin, args);
  }
};

TEST_F(AdminCommandTest, EvictsOneCacheOrAll) {
  Write("root.usda", "def \"P\" {}\n");
  Open();
  EXPECT_EQ(Admin({"evict", "clips"}).rfind("clips: 0 entries, 0 B freed\n", 0), 0u);
  const std::string all = Admin({"evict"});
  EXPECT_NE(all.find("stages: 0 entries, 0 B freed\nclips: "), std::string::npos) << all;
  EXPECT_NE(all.find(" resident now\n"), std::string::npos) << all;
  EXPECT_EQ(Admin({"evict", "all", "--json"}).rfind(R"({"caches":[{"name":"stages",)", 0), 0u);
}

TEST_F(AdminCommandTest, DrainsOnce) {
  EXPECT_EQ(Admin({"drain"}), "draining, 1 calls in flight\n");
  // The previous call may not have quite ended.
  EXPECT_EQ(Admin({"drain"}).rfind("was draining already, ", 0), 0u);
  EXPECT_EQ(Admin({"drain", "--json"}).rfind(R"({"already_draining":true,"calls_in_flight":")", 0),
            0u);
}

TEST_F(AdminCommandTest, ShowsAndSetsTheLogLevel) {
  EXPECT_EQ(Admin({"log-level"}), "info\n");
  EXPECT_EQ(Admin({"log-level", "debug"}), "debug (was info)\n");
  EXPECT_EQ(Admin({"log-level"}), "debug\n");
}

TEST_F(AdminCommandTest, ShowsAndReloadsTheConfiguration) {
  EXPECT_EQ(Admin({"config"}), "threads: 2\n");
  control_.report = server::ReloadReport{{}, {"log-level"}, {"max-calls"}};
  EXPECT_EQ(Admin({"config", "--reload"}),
            "changed: log-level\nchanges only at a restart: max-calls\n");
  control_.report = server::ReloadReport{};
  EXPECT_EQ(Admin({"config", "--reload"}), "nothing has changed\n");
  control_.report = server::ReloadReport{{"c.yaml:1:1: \x1b[2J"}, {}, {}};
  std::string printed;
  const absl::Status status = Run(RunAdmin, {"admin", "config", "--reload"}, &printed);
  EXPECT_EQ(printed, "error: c.yaml:1:1: \\x1b[2J\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST_F(AdminCommandTest, ListsCalls) {
  const std::string calls = Admin({"calls", "--limit", "5"});
  EXPECT_NE(calls.find(" calls in flight, 0 of them waiting\n"), std::string::npos) << calls;
  EXPECT_NE(calls.find("AdminService/ListCalls"), std::string::npos) << calls;
}

TEST_F(AdminCommandTest, WrongWordsAreUsageErrors) {
  for (const Args& args :
       {Args{"admin", "restart"}, Args{"admin", "evict", "disk"}, Args{"admin", "drain", "now"},
        Args{"admin", "log-level", "loud"}, Args{"admin", "drain", "--limit=3"},
        Args{"admin", "calls", "--reload"}, Args{"admin", "calls", "--limit=1001"}}) {
    EXPECT_TRUE(IsUsageError(Failure(RunAdmin, args))) << args[1];
  }
}

TEST_F(AdminCommandTest, TopShowsOneView) {
  Write("root.usda", "def \"P\" {}\n");
  Open();
  const std::string view = Printed(RunTop, {"top", "--once"});
  for (const char* part : {"stagedoord ", " stages, 1 leases\n", " calls in flight, ",
                           "(since the start)", "AdminService/ListCalls", "StagesService/OpenStage",
                           "1  /root.usda", "\nCACHE ", "\nlayers "}) {
    EXPECT_NE(view.find(part), std::string::npos) << part << " in\n" << view;
  }
  const std::string json = Printed(RunTop, {"top", "--once", "--json"});
  EXPECT_EQ(json.rfind("{\"server\":{\"version\":", 0), 0u) << json;
  EXPECT_NE(json.find(",\"calls\":{\"calls\":["), std::string::npos) << json;
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_TRUE(IsUsageError(Failure(RunTop, {"top", "--interval=0"})));
  EXPECT_TRUE(IsUsageError(Failure(RunTop, {"top", "--interval=1:2"})));
}

}  // namespace
}  // namespace stagedoor

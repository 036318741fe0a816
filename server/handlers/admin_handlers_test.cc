#include "server/handlers/admin_handlers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/error_reason.h"
#include "server/log/audit_log.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class AdminHandlersTest : public ServerTest {
 protected:
  void ExpectUnsupported(const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_EQ(ErrorReason(status), "UNSUPPORTED");
    EXPECT_NE(std::string(Message(status)).find("runs inside another program"), std::string::npos);
  }
};

TEST_F(AdminHandlersTest, DrainIsPassedOnOnce) {
  const auto first = client().Drain({});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->already_draining());
  EXPECT_EQ(first->calls_in_flight(), 1u) << "itself";
  EXPECT_TRUE(control_.drained);
  EXPECT_TRUE(client().Drain({})->already_draining());
}

TEST_F(AdminHandlersTest, TheLogLevelIsSetAndReturned) {
  v1::SetLogLevelRequest request;
  request.set_level(v1::LOG_LEVEL_DEBUG);
  const auto first = client().SetLogLevel(request);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->previous_level(), v1::LOG_LEVEL_INFO);
  EXPECT_EQ(control_.level(), "debug");
  EXPECT_EQ(client().SetLogLevel({})->previous_level(), v1::LOG_LEVEL_DEBUG);
  EXPECT_EQ(control_.level(), "debug") << "nothing was asked for";
  for (const auto& [level, name] : {std::pair(v1::LOG_LEVEL_TRACE, "trace"),
                                    {v1::LOG_LEVEL_WARN, "warn"},
                                    {v1::LOG_LEVEL_ERROR, "error"},
                                    {v1::LOG_LEVEL_OFF, "off"},
                                    {v1::LOG_LEVEL_INFO, "info"}}) {
    request.set_level(level);
    ASSERT_TRUE(client().SetLogLevel(request).ok());
    EXPECT_EQ(control_.level(), name);
  }
  request.set_level(static_cast<v1::LogLevel>(7));
  EXPECT_EQ(ErrorReason(client().SetLogLevel(request).status()), "INVALID_FIELD");
}

TEST_F(AdminHandlersTest, TheReportOfAReloadIsReturned) {
  control_.report = ReloadReport{{"c.yaml:1:1: \xff"}, {"log-level", "access"}, {"max-calls"}};
  const auto reply = client().ReloadConfig({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->errors_size(), 1);
  EXPECT_EQ(reply->errors(0), "c.yaml:1:1: \xEF\xBF\xBD");
  ASSERT_EQ(reply->changed_size(), 2);
  EXPECT_EQ(reply->changed(1), "access");
  ASSERT_EQ(reply->needs_restart_size(), 1);
  EXPECT_EQ(reply->needs_restart(0), "max-calls");
  control_.report = FailedPreconditionError("no file");
  EXPECT_EQ(client().ReloadConfig({}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(AdminHandlersTest, TheConfigurationIsReturned) {
  EXPECT_EQ(client().GetConfig({})->yaml(), "threads: 2\n");
}

TEST_F(AdminHandlersTest, AServerInAProgramRefuses) {
  const auto server = Server::Start({}, files_).value();
  const auto client = Client::FromChannel(server->InProcessChannel(), {});
  ExpectUnsupported(client->Drain({}).status());
  ExpectUnsupported(client->SetLogLevel({}).status());
  ExpectUnsupported(client->ReloadConfig({}).status());
  ExpectUnsupported(client->GetConfig({}).status());
  EXPECT_TRUE(client->ListCalls({}).ok());
}

TEST_F(AdminHandlersTest, ActionsAreInTheAuditLog) {
  const TempDir folder;
  ServerOptions options;
  options.audit_log = folder / "audit";
  Start(options);
  v1::SetLogLevelRequest level;
  level.set_level(v1::LOG_LEVEL_WARN);
  ASSERT_TRUE(client().SetLogLevel(level).ok());
  ASSERT_TRUE(client().ReloadConfig({}).ok());
  v1::EvictCachesRequest evict;
  evict.add_caches(v1::CACHE_KIND_LAYERS);
  evict.add_caches(v1::CACHE_KIND_STAGES);
  ASSERT_TRUE(client().EvictCaches(evict).ok());
  ASSERT_TRUE(client().Drain({}).ok());
  ASSERT_TRUE(server().audit_log()->Flush(std::chrono::seconds(60)));
  std::stringstream text;
  text << std::ifstream(folder / "audit").rdbuf();
  std::string log = text.str();
  for (const char* part :
       {R"("method":"stagedoor.v1.AdminService/SetLogLevel","action":"set the log level to warn",)"
        R"("decision":"allowed"})",
        R"("method":"stagedoor.v1.AdminService/ReloadConfig","action":"reload the configuration",)",
        R"("method":"stagedoor.v1.AdminService/EvictCaches","action":"evict stages, layers",)",
        R"("method":"stagedoor.v1.AdminService/Drain","action":"drain the daemon",)"}) {
    const size_t at = log.find(part);
    EXPECT_NE(at, std::string::npos) << part << " in\n" << log;
  }
}

}  // namespace
}  // namespace stagedoor::server

#include "server/log/audit_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::json;

std::vector<Json> Lines(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

class AuditLogTest : public testing::Test {
 protected:
  std::unique_ptr<AuditLog> Open() {
    auto log = AuditLog::Open(path_, [] {
      return AuditLog::Clock::time_point(std::chrono::milliseconds(1700000000007));
    });
    EXPECT_TRUE(log.ok()) << log.status();
    return *std::move(log);
  }

  TempDir folder_;
  const std::string path_ = folder_ / "audit.jsonl";
};

TEST_F(AuditLogTest, RecordsWhoAskedForWhat) {
  const auto log = Open();
  log->Record({.caller = "user:ann",
               .role = "artist",
               .peer = "10.0.0.7",
               .method = "stagedoor.v1.StagesService/OpenStage",
               .asset = "/show/a.usd",
               .decision = absl::OkStatus()});
  log->Record({.caller = "",
               .role = "",
               .peer = "10.0.0.8",
               .method = "x/Y",
               .asset = "",
               .decision = PermissionDeniedError("no")});
  ASSERT_TRUE(log->Flush(std::chrono::seconds(20)));
  const auto lines = Lines(path_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], Json::parse(R"({"time": "2023-11-14T22:13:20.007Z", "caller": "user:ann",
      "role": "artist", "peer": "10.0.0.7", "method": "stagedoor.v1.StagesService/OpenStage",
      "asset": "/show/a.usd", "decision": "allowed"})"));
  EXPECT_EQ(lines[1], Json::parse(R"({"time": "2023-11-14T22:13:20.007Z", "peer": "10.0.0.8",
      "method": "x/Y", "decision": "denied", "reason": "no"})"));
}

TEST_F(AuditLogTest, HostileTextStaysOnItsLine) {
  const auto log = Open();
  log->Record({.caller = "user:a\nb\xff\"",
               .role = "",
               .peer = "",
               .method = "",
               .asset = std::string(1 << 20, 'x'),
               .decision = absl::OkStatus()});
  ASSERT_TRUE(log->Flush(std::chrono::seconds(20)));
  const auto lines = Lines(path_);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["caller"], "user:a\nb\xef\xbf\xbd\"");
  EXPECT_EQ(lines[0]["asset"].get<std::string>().size(), 2000u);
}

TEST_F(AuditLogTest, ReopensAfterRotation) {
  const auto log = Open();
  log->Record({.method = "before"});
  ASSERT_TRUE(log->Flush(std::chrono::seconds(20)));
  std::filesystem::rename(path_, path_ + ".1");
  ASSERT_TRUE(log->Reopen().ok());
  log->Record({.method = "after"});
  ASSERT_TRUE(log->Flush(std::chrono::seconds(20)));
  ASSERT_EQ(Lines(path_).size(), 1u);
  EXPECT_EQ(Lines(path_)[0]["method"], "after");
}

TEST_F(AuditLogTest, AFileThatCannotBeWrittenIsAnError) {
  const auto log = AuditLog::Open(folder_ / "missing/audit.jsonl");
  ASSERT_FALSE(log.ok());
  EXPECT_NE(Message(log.status()).find("missing/audit.jsonl"), std::string::npos) << log.status();
}

}  // namespace
}  // namespace stagedoor::server

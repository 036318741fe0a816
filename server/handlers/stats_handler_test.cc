#include "server/handlers/stats_handler.h"

#include <gtest/gtest.h>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using StatsHandlerTest = ServerTest;

TEST_F(StatsHandlerTest, StatisticsCountCallsAndErrors) {
  Write("root.usda", "def \"P\" {}\n");
  const v1::StageRef stage = Open();
  v1::GetPrimRequest missing;
  *missing.mutable_stage() = stage;
  missing.set_path("/Nobody");
  EXPECT_FALSE(client().GetPrim(missing).ok());
  const auto reply = client().GetServerStatistics({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->open_stages(), 1u);
  EXPECT_EQ(reply->leases(), 1u);
  EXPECT_GT(reply->resident_bytes(), 0u);
  for (const v1::MethodStatistics& method : reply->methods()) {
    if (method.method() != "stagedoor.v1.QueryService/GetPrim") continue;
    EXPECT_EQ(method.calls(), 1u);
    EXPECT_EQ(method.errors(), 1u);
    return;
  }
  ADD_FAILURE() << "GetPrim has no statistics";
}

}  // namespace
}  // namespace stagedoor::server

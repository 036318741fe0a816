#include "server/handlers/server_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/version.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using ServerHandlersTest = ServerTest;

TEST_F(ServerHandlersTest, CapabilitiesTellLimitsAndFormats) {
  ServerOptions options;
  options.max_request_bytes = 12345;
  options.limits.max_items = 77;
  options.limits.max_page_size = 5;
  options.reflection = false;
  Start(options);
  const auto reply = client().GetCapabilities({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->version(), kVersion);
  ASSERT_EQ(reply->api_versions_size(), 1);
  EXPECT_EQ(reply->api_versions(0), "stagedoor.v1");
  EXPECT_EQ(reply->limits().max_request_bytes(), 12345u);
  EXPECT_EQ(reply->limits().max_items(), 77u);
  EXPECT_EQ(reply->limits().max_page_size(), 5u);
  EXPECT_EQ(reply->limits().max_reply_bytes(), options.limits.max_reply_bytes);
  ASSERT_EQ(reply->features_size(), 3) << "no reflection";
  EXPECT_EQ(reply->features(0), v1::FEATURE_PATH_SETS);
  EXPECT_EQ(reply->features(1), v1::FEATURE_FRAMES);
  EXPECT_EQ(reply->features(2), v1::FEATURE_QUERY_CHANNELS);
  ASSERT_EQ(reply->backends_size(), 1);
  EXPECT_EQ(reply->backends(0).name(), "custom");
  std::vector<std::string> formats;
  for (const v1::LayerFileFormat& format : reply->layer_formats()) {
    EXPECT_TRUE(format.writable());
    EXPECT_EQ(format.extensions(0), format.name());
    formats.push_back(format.name());
  }
  EXPECT_EQ(formats, (std::vector<std::string>{"usda", "usdc", "usdz"}));
}

TEST_F(ServerHandlersTest, ReflectionIsAFeature) {
  const auto reply = client().GetCapabilities({});
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->features_size(), 4);
  EXPECT_EQ(reply->features(0), v1::FEATURE_REFLECTION);
}

TEST_F(ServerHandlersTest, StatisticsCountCallsAndErrors) {
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
    EXPECT_EQ(method.bytes_in(), missing.ByteSizeLong());
    EXPECT_EQ(method.bytes_out(), 0u);
    EXPECT_GT(method.handling_time().nanos(), 0);
    return;
  }
  ADD_FAILURE() << "GetPrim has no statistics";
}

}  // namespace
}  // namespace stagedoor::server

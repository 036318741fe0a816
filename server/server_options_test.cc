#include "server/server_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "server/machine_memory.h"

namespace stagedoor::server {
namespace {

constexpr uint64_t kGib = uint64_t{1} << 30;

TEST(EffectiveMemoryLimitTest, IsTheGivenLimitOrUsableMemory) {
  ServerOptions options;
  EXPECT_EQ(EffectiveMemoryLimit(options), UsableMemory());
  options.memory_limit = 0;
  EXPECT_EQ(EffectiveMemoryLimit(options), UsableMemory());
  options.memory_limit = 1;
  EXPECT_EQ(EffectiveMemoryLimit(options), 1u);
}

TEST(FitToMemoryLimitTest, DefaultBudgetsAreSharesOfTheLimit) {
  ServerOptions options;
  options.memory_limit = 16 * kGib;
  const ServerOptions both = FitToMemoryLimit(options);
  EXPECT_EQ(both.layer_cache_bytes, 2 * kGib);
  EXPECT_EQ(both.stages.max_bytes, 4 * kGib);
  options.layer_cache_bytes = 123;
  EXPECT_EQ(FitToMemoryLimit(options).layer_cache_bytes, 123u);
  EXPECT_EQ(FitToMemoryLimit(options).stages.max_bytes, 4 * kGib);
  options.stages.max_bytes = 456;
  EXPECT_EQ(FitToMemoryLimit(options).stages.max_bytes, 456u);
}

TEST(SchemaPathsFromEnvironmentTest, AreSeparatedByColons) {
  using Paths = std::vector<std::string>;
  const struct {
    const char* value;
    Paths expected;
  } kCases[] = {{"", {}},
                {"/a", {"/a"}},
                {"/a:/b", {"/a", "/b"}},
                {":/a::/b:", {"/a", "/b"}},
                {":", {}},
                {"a:b:c", {"a", "b", "c"}}};
  ::unsetenv("STAGEDOOR_SCHEMA_PATH");
  EXPECT_EQ(SchemaPathsFromEnvironment(), Paths{});
  for (const auto& c : kCases) {
    ::setenv("STAGEDOOR_SCHEMA_PATH", c.value, 1);
    EXPECT_EQ(SchemaPathsFromEnvironment(), c.expected) << c.value;
  }
  ::unsetenv("STAGEDOOR_SCHEMA_PATH");
}

TEST(ServerLimitsTest, AnItemMayBeTwiceAReplyWithinGrpcsMaximum) {
  ServerLimits limits;
  EXPECT_EQ(limits.max_item_bytes(), size_t{512} << 20);
  limits.max_reply_bytes = 1000;
  EXPECT_EQ(limits.max_item_bytes(), 2000u);
  limits.max_reply_bytes = size_t{1000} << 20;
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
  limits.max_reply_bytes = (size_t{1000} << 20) + 1;
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
  limits.max_reply_bytes = ~size_t{0};
  EXPECT_EQ(limits.max_item_bytes(), size_t{2000} << 20);
}

}  // namespace
}  // namespace stagedoor::server

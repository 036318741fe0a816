#include "server/stages/stage_budget.h"

#include <chrono>
#include <memory>
#include <string>

#include "base/reservation.h"
#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_format.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

TEST(StageBudgetTest, LayersCountBeyondTheLayerBudget) {
  const auto files = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(files->Put("/a.usda", "#usda 1.0\ndef \"P\" {\n  double x = 1\n}\n").ok());
  for (const size_t most : {size_t{1}, size_t{1} << 30}) {
    LayerRegistry::Options options;
    options.cache.max_bytes = most;
    LayerRegistry layers(files, {UsdaFormat()}, options);
    const StageBudget budget(layers, 100);
    EXPECT_EQ(budget.used(), 0u);
    RequestContext context;
    const auto held = layers.Open(context, {}, "/a.usda", nullptr);
    ASSERT_TRUE(held.ok()) << held.status();
    const size_t bytes = layers.cached_bytes();
    ASSERT_GT(bytes, 101u);
    EXPECT_EQ(budget.used(), most == 1 ? bytes - 1 : 0);
    EXPECT_EQ(budget.over(), most == 1);
    EXPECT_EQ(budget.Check().ok(), most != 1);
  }
}

TEST(StageBudgetTest, ExceedingTheBudgetAdvisesARetry) {
  TestScene scene;
  StageBudget budget(scene.layers(), 100);
  Reservation charge(budget.pool());
  charge.Add(100);
  EXPECT_FALSE(budget.over());
  EXPECT_TRUE(budget.Check().ok());
  charge.Add(1);
  EXPECT_TRUE(budget.over());
  const absl::Status full = budget.Check();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(full), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(RetryDelay(full), std::chrono::seconds(2));
  EXPECT_EQ(Message(full),
            "open stages hold 101 bytes of memory, above the limit of 100 (--stage-cache-bytes); "
            "close stages, or open less with a mask or load rules");
}

}  // namespace
}  // namespace stagedoor::server

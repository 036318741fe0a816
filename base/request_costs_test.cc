#include "base/request_costs.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

TEST(RequestCostsTest, AddsUpByKind) {
  RequestCosts costs;
  costs.Record(RequestCosts::Kind::kClipOpen, "/a.usd", 10, milliseconds(1));
  costs.Record(RequestCosts::Kind::kClipOpen, "/b.usd", 20, milliseconds(2));
  costs.Record(RequestCosts::Kind::kFetch, "/c.usd", 5, milliseconds(4));
  const auto all = costs.costs();
  const auto& clips = all[static_cast<size_t>(RequestCosts::Kind::kClipOpen)];
  EXPECT_EQ(clips.count, 2u);
  EXPECT_EQ(clips.bytes, 30u);
  EXPECT_EQ(clips.time, milliseconds(3));
  EXPECT_EQ(clips.first_names, (std::vector<std::string>{"/a.usd", "/b.usd"}));
  EXPECT_EQ(all[static_cast<size_t>(RequestCosts::Kind::kFetch)].bytes, 5u);
  EXPECT_EQ(all[static_cast<size_t>(RequestCosts::Kind::kLayerOpen)].count, 0u);
}

TEST(RequestCostsTest, KeepsTheFirstNamesOnly) {
  RequestCosts costs;
  for (size_t i = 0; i < 100; ++i) {
    costs.Record(RequestCosts::Kind::kLayerOpen, Concat("/", i), 1, milliseconds(0));
  }
  const auto layers = costs.costs()[static_cast<size_t>(RequestCosts::Kind::kLayerOpen)];
  EXPECT_EQ(layers.count, 100u);
  EXPECT_EQ(layers.first_names, (std::vector<std::string>{"/0", "/1", "/2", "/3"}));
}

}  // namespace
}  // namespace stagedoor

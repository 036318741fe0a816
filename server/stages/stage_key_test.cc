#include "server/stages/stage_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scene/layer/layer_builder.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

TEST(StageKeyTest, EverythingThatAffectsCompositionIsInTheKey) {
  const std::vector<std::function<void(StageKey&)>> changes = {
      [](StageKey&) {},
      [](StageKey& r) { r.options.root = "/s.usda"; },
      [](StageKey& r) { r.options.session = "/s.usda"; },
      [](StageKey& r) { r.session_content = "/s.usda"; },
      [](StageKey& r) { r.options.load = LoadRules::None(); },
      [](StageKey& r) { r.options.load.Set(P("/A"), LoadRules::Rule::kNone); },
      [](StageKey& r) { r.options.load.Set(P("/A"), LoadRules::Rule::kOnly); },
      [](StageKey& r) { r.options.mask = PopulationMask({P("/A")}); },
      [](StageKey& r) {
        r.options.variant_fallbacks = {{"a", {"b", "c"}}};
      },
      [](StageKey& r) {
        r.options.variant_fallbacks = {{"a", {"b"}}, {"c", {}}};
      },
      [](StageKey& r) {
        r.options.variant_fallbacks = {{"a", {"bc"}}};
      },
      [](StageKey& r) { r.options.muted_layers = {"ab"}; },
      [](StageKey& r) {
        r.options.muted_layers = {"a", "b"};
      },
      [](StageKey& r) {
        r.options.resolver_context = ResolverContext::Create({.search_paths = {"/a"}});
      },
      [](StageKey& r) {
        r.options.resolver_context = ResolverContext::Create({.pin_files = {"/a"}});
      },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) {
    StageKey stage_key;
    stage_key.options.root = "/r.usda";
    change(stage_key);
    EXPECT_TRUE(keys.insert(stage_key.CacheKey()).second) << stage_key.CacheKey();
    EXPECT_EQ(stage_key.CacheKey(), StageKey(stage_key).CacheKey());
  }
}

TEST(StageKeyTest, TheContentOfPinFilesIsNotInTheKey) {
  StageKey before, after;
  before.options.resolver_context = ResolverContext::Create({.pin_files = {"/p.json"}});
  after.options.resolver_context =
      before.options.resolver_context.WithPinFiles({{.content_fingerprint = "x"}});
  EXPECT_EQ(before.CacheKey(), after.CacheKey());
  EXPECT_EQ(RoutingKeyOf(before.CacheKey()), RoutingKeyOf(after.CacheKey()));
}

TEST(StageKeyTest, TheHistoryOfEditsIsInTheKey) {
  const std::shared_ptr<const Layer> layer = LayerBuilder().Build({});
  StageKey none, one, other;
  one.edits = {.layer = layer, .fingerprint = "1"};
  other.edits = {.layer = layer, .fingerprint = "2"};
  EXPECT_NE(none.CacheKey(), one.CacheKey());
  EXPECT_NE(one.CacheKey(), other.CacheKey());
  StageKey same = one;
  same.edits.layer = LayerBuilder().Build({});
  EXPECT_EQ(same.CacheKey(), one.CacheKey());
}

TEST(StageKeyTest, TheInterpolationIsNotInTheKey) {
  StageKey linear, held;
  held.options.interpolation = Interpolation::kHeld;
  EXPECT_EQ(linear.CacheKey(), held.CacheKey());
}

}  // namespace
}  // namespace stagedoor::server

#include "resolver/resolver_context.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/heap_costs.h"
#include "base/memory_pool.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/access/access_scope.h"
#include "resolver/asset.h"

namespace stagedoor {
namespace {

using Recipe = ResolverContext::Recipe;

TEST(ResolverContextTest, TheEmptyContextHasNothing) {
  const ResolverContext none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(ResolverContext::Create({}).empty());
  EXPECT_EQ(none.FindPin("a"), nullptr);
  EXPECT_EQ(none.FindLayer("a"), nullptr);
  EXPECT_TRUE(none.search_paths().empty() && none.pin_files().empty() &&
              none.layer_names().empty() && none.read_pin_files().empty());
  EXPECT_EQ(none.fingerprint(), "");
  EXPECT_EQ(none, none.WithPinFiles({}));
  EXPECT_EQ(none, none.WithoutPinFiles());
}

TEST(ResolverContextTest, EverythingIsInTheFingerprint) {
  const std::vector<std::function<void(Recipe&)>> changes = {
      [](Recipe&) {},
      [](Recipe& r) { r.search_paths = {"/a"}; },
      [](Recipe& r) {
        r.search_paths = {"/a", "/b"};
      },
      [](Recipe& r) {
        r.search_paths = {"/b", "/a"};
      },
      [](Recipe& r) { r.pin_files = {"/a"}; },
      [](Recipe& r) {
        r.pin_files = {"/a", "/b"};
      },
      [](Recipe& r) {
        r.pins = {{"/a", "/b"}};
      },
      [](Recipe& r) {
        r.pins = {{"/b", "/a"}};
      },
      [](Recipe& r) {
        r.layers = {{"/a", "/b"}};
      },
      [](Recipe& r) {
        r.layers = {{"/a", "/c"}};
      },
      [](Recipe& r) {
        r.layers = {{"/b", "/b"}};
      },
  };
  std::set<std::string> fingerprints, recipe_fingerprints;
  for (size_t i = 0; i < changes.size(); ++i) {
    Recipe recipe;
    changes[i](recipe);
    const ResolverContext context = ResolverContext::Create(recipe);
    EXPECT_TRUE(fingerprints.insert(context.fingerprint()).second) << i;
    EXPECT_TRUE(recipe_fingerprints.insert(context.recipe_fingerprint()).second) << i;
    EXPECT_EQ(context, ResolverContext::Create(recipe)) << i;
  }
}

TEST(ResolverContextTest, OnlyTheOrderOfSearchPathsAndPinFilesMatters) {
  const ResolverContext a = ResolverContext::Create(
      {.pins = {{"/a", "/x"}, {"/b", "/y"}}, .layers = {{"/l", "1"}, {"/m", "2"}}});
  const ResolverContext b = ResolverContext::Create(
      {.pins = {{"/b", "/y"}, {"/a", "/x"}}, .layers = {{"/m", "2"}, {"/l", "1"}}});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.layer_names(), (std::vector<std::string>{"/l", "/m"}));
}

TEST(ResolverContextTest, PathsAreNormalized) {
  const ResolverContext context = ResolverContext::Create({.search_paths = {"/a/./b/../c/"},
                                                           .pins = {{"/a//b", "x/../y"}},
                                                           .pin_files = {"/p/./q"},
                                                           .layers = {{"/l/../m.usda", "text"}}});
  EXPECT_EQ(context.search_paths().front(), "/a/c");
  ASSERT_NE(context.FindPin("/a/b"), nullptr);
  EXPECT_EQ(*context.FindPin("/a/b"), "y");
  EXPECT_EQ(context.pin_files().front(), "/p/q");
  ASSERT_NE(context.FindLayer("/m.usda"), nullptr);
  EXPECT_EQ(context.FindLayer("/m.usda")->name(), "/m.usda");
  EXPECT_EQ(context.FindLayer("/m.usda")->GetBuffer()->text(), "text");
}

TEST(ResolverContextTest, TheFirstOfEqualNamesCounts) {
  const ResolverContext context = ResolverContext::Create(
      {.pins = {{"/a", "1"}, {"/a", "2"}}, .layers = {{"/l", "1"}, {"/l", "2"}}});
  EXPECT_EQ(*context.FindPin("/a"), "1");
  EXPECT_EQ(context.FindLayer("/l")->GetBuffer()->text(), "1");
  EXPECT_EQ(context.layer_names().size(), 1u);
}

// Contexts of several stages share the layers that are read from equal contents.
TEST(ResolverContextTest, TheVersionOfALayerDependsOnItsContentOnly) {
  const auto version = [](const char* name, const char* content, const char* other) {
    return ResolverContext::Create({.layers = {{name, content}, {"/other", other}}})
        .FindLayer(name)
        ->version();
  };
  EXPECT_EQ(version("/a", "x", "1"), version("/a", "x", "2"));
  EXPECT_NE(version("/a", "x", "1"), version("/a", "y", "1"));
}

TEST(ResolverContextTest, PinFilesChangeTheFingerprintButNotTheRecipe) {
  const ResolverContext before =
      ResolverContext::Create({.pins = {{"/a", "own"}}, .pin_files = {"/1.json", "/2.json"}});
  const auto with = [&](const char* first) {
    return before.WithPinFiles({{.identifier = "/1.json",
                                 .content_fingerprint = first,
                                 .pins = {{"/a", "1"}, {"/b", "1"}}},
                                {.identifier = "/2.json",
                                 .content_fingerprint = "z",
                                 .pins = {{"/b", "2"}, {"/c", "2"}}}});
  };
  const ResolverContext after = with("x");
  EXPECT_EQ(after.recipe_fingerprint(), before.recipe_fingerprint());
  EXPECT_NE(after.fingerprint(), before.fingerprint());
  EXPECT_NE(after.fingerprint(), with("y").fingerprint());
  EXPECT_EQ(after.fingerprint(), with("x").fingerprint());
  EXPECT_EQ(*after.FindPin("/a"), "own");
  EXPECT_EQ(*after.FindPin("/b"), "1");
  EXPECT_EQ(*after.FindPin("/c"), "2");
  EXPECT_EQ(before.FindPin("/b"), nullptr);
  EXPECT_EQ(after.WithoutPinFiles(), before);
  EXPECT_EQ(after.WithoutPinFiles().FindPin("/b"), nullptr);
}

TEST(ResolverContextTest, ChargesWhatItHolds) {
  MemoryPool pool("test");
  {
    const ResolverContext context =
        ResolverContext::Create({.search_paths = {"/a"},
                                 .pins = {{"/p", "/q"}},
                                 .layers = {{"/l", std::string(5000, 'x')}}},
                                &pool);
    const size_t before = pool.used();
    EXPECT_GT(before, 5000u);
    EXPECT_LT(before, 8000u);
    const ResolverContext copy = context;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(pool.used(), before);
    const ResolverContext loaded =
        context.WithPinFiles({{.pins = {{std::string(3000, 'a'), "/b"}}}});
    EXPECT_GT(pool.used(), before + 3000);
    EXPECT_LT(pool.used(), before + 5000);
  }
  EXPECT_EQ(pool.used(), 0u);
}

// A layer is a node of a map and an asset, with its name in both and in a list.
TEST(ResolverContextTest, ChargesSmallLayersWithMoreThanTheirContent) {
  constexpr size_t kLayers = 1000;
  Recipe recipe;
  size_t bytes = 0;
  for (size_t i = 0; i < kLayers; ++i) {
    const std::string name = Concat("/a_layer_whose_name_is_on_the_heap_", i);
    bytes += kNodeBytes + sizeof(InMemoryAsset) + sizeof(std::string) + 3 * name.size();
    recipe.layers.emplace_back(name, "x");
  }
  MemoryPool pool("test");
  const ResolverContext context = ResolverContext::Create(recipe, &pool);
  EXPECT_GT(pool.used(), bytes);
}

TEST(ResolverContextTest, ContextsOfDifferentScopesDiffer) {
  const auto scope = [](const std::string& prefix) {
    return *AccessScope::Create(std::vector<std::string>{prefix});
  };
  const ResolverContext a = ResolverContext::Create({.access = scope("/a")});
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a, ResolverContext::Create({.access = scope("/a")}));
  EXPECT_FALSE(a == ResolverContext::Create({.access = scope("/b")}));
  EXPECT_FALSE(a == ResolverContext());
  EXPECT_NE(a.recipe_fingerprint(), "");
  EXPECT_EQ(ResolverContext().access(), nullptr);
}

TEST(ResolverContextTest, ScopeOnlyKeepsTheScope) {
  const auto scope = *AccessScope::Create(std::vector<std::string>{"/a"});
  const ResolverContext full =
      ResolverContext::Create({.pins = {{"x.usd", "/y.usd"}}, .access = scope});
  EXPECT_EQ(full.ScopeOnly(), ResolverContext::Create({.access = scope}));
  EXPECT_EQ(full.ScopeOnly().access(), scope.get());
  EXPECT_TRUE(ResolverContext::Create({.pins = {{"x.usd", "/y.usd"}}}).ScopeOnly().empty());
}

}  // namespace
}  // namespace stagedoor

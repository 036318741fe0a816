#include "server/stages/used_assets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "resolver/context_resolver.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/testing/faulty_resolver.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

class UsedAssetsTest : public ::testing::Test {
 protected:
  std::vector<UsedAsset> Put(int count) {
    RequestContext context;
    std::vector<UsedAsset> assets;
    for (int i = 0; i < count; ++i) {
      const std::string path = Concat("/", i, ".usda");
      EXPECT_TRUE(memory_->Put(path, "1").ok());
      assets.push_back({path, path, memory_->GetVersion(context, {}, path)->token()});
    }
    return assets;
  }

  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
  FaultyResolver resolver_{memory_, faults_};
};

TEST_F(UsedAssetsTest, FindsThoseThatChangedOrAreGone) {
  const std::vector<UsedAsset> assets = Put(4);
  ASSERT_TRUE(memory_->Put("/1.usda", "2").ok());
  memory_->Remove("/3.usda");
  RequestContext context;
  EXPECT_EQ(FindChangedAssets(context, resolver_, {}, assets).value(),
            std::vector<bool>({false, true, false, true}));
  faults_->versions_unavailable = true;
  EXPECT_EQ(FindChangedAssets(context, resolver_, {}, assets).value(), std::vector<bool>(4, false))
      << "what cannot be determined counts as unchanged";
}

TEST_F(UsedAssetsTest, AsksForManyVersionsAtOnce) {
  const std::vector<UsedAsset> assets = Put(600);
  ASSERT_TRUE(memory_->Put("/599.usda", "2").ok());
  RequestContext context;
  const std::vector<bool> changed = FindChangedAssets(context, resolver_, {}, assets).value();
  EXPECT_EQ(std::count(changed.begin(), changed.end(), true), 1);
  EXPECT_TRUE(changed.back());
  EXPECT_EQ(faults_->versions, 600);
  EXPECT_EQ(faults_->version_calls, 3) << "256 at most in one call";
  EXPECT_TRUE(FindChangedAssets(context, resolver_, {}, {}).value().empty());
  EXPECT_EQ(faults_->version_calls, 3);
}

TEST_F(UsedAssetsTest, ObservesTheDeadline) {
  const std::vector<UsedAsset> assets = Put(600);
  RequestContext late(RequestContext::Clock::now());
  EXPECT_EQ(FindChangedAssets(late, resolver_, {}, assets).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(FindChangedAssets(cancelled, resolver_, {}, assets).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(faults_->version_calls, 0);
}

TEST(UsedAssetsOfAStageTest, LayersOfTheClientAreLeftOut) {
  TestScene scene;
  scene.Write("root.usda", "(\n  subLayers = [@./sub.usda@, @/sent.usda@]\n)\n");
  scene.Write("sub.usda", "def \"P\" {}\n");
  StageOptions options;
  options.resolver_context =
      ResolverContext::Create({.layers = {{"/sent.usda", "#usda 1.0\ndef \"Q\" {}\n"}}});
  const auto stage = scene.Open("root.usda", options);
  std::vector<std::string> paths;
  for (const UsedAsset& asset : UsedAssets(*stage)) paths.push_back(asset.path);
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(paths, std::vector<std::string>({"/root.usda", "/sub.usda"}));
  ASSERT_TRUE(stage->FindPrim(P("/Q")).valid());
}

}  // namespace
}  // namespace stagedoor::server

// Paths created by composition are owned by the stages that use them and freed with them.
#include <memory>
#include <string>
#include <utility>

#include "base/memory_pool.h"
#include "base/request_scope.h"
#include "gtest/gtest.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

constexpr int kChildren = 200;
constexpr int kReferences = 20;

class StagePathsTest : public testing::Test {
 protected:
  // Writes kReferences prims /<root><i> that reference a prim with kChildren children.
  void Write(const std::string& root) {
    std::string asset = "def \"Asset\" {\n";
    for (int i = 0; i < kChildren; ++i) {
      asset += "  def \"c" + std::to_string(i) + "\" {\n    rel r = </Asset/c0>\n  }\n";
    }
    scene_.Write("asset.usda", asset + "}\n");
    std::string text;
    for (int i = 0; i < kReferences; ++i) {
      text +=
          "def \"" + root + std::to_string(i) + "\" (references = @./asset.usda@</Asset>) {\n}\n";
    }
    scene_.Write("root.usda", text);
  }

  TestScene scene_;
};

TEST_F(StagePathsTest, AreFreedWithTheStage) {
  Write("GoWith");
  MemoryPool pool("test");
  scene_.mutable_environment().memory = &pool;
  scene_.Open("root.usda");  // creates the layers' own paths, which stay
  const size_t before = PathStats().count;
  auto stage = scene_.Open("root.usda");
  ASSERT_TRUE(stage);
  EXPECT_GE(PathStats().count, before + kReferences * kChildren);
  EXPECT_GE(pool.used(), size_t{kReferences * kChildren * 80});
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(stage->paths().get()));
    for (const Prim& prim : stage->Traverse(PrimFlagsPredicate::All())) {
      EXPECT_EQ(P(prim.path().ToString()), prim.path());
      prim.path().AppendProperty(Token("r"));
    }
  }
  EXPECT_GE(PathStats().count, before + 2 * kReferences * kChildren);
  stage = nullptr;
  EXPECT_EQ(PathStats().count, before);
  EXPECT_EQ(pool.used(), 0u);
}

TEST_F(StagePathsTest, AreFreedWithADiscardedStage) {
  Write("GivenUp");
  scene_.Open("root.usda");
  const size_t before = PathStats().count;
  scene_.mutable_environment().max_prims = kReferences * kChildren / 2;
  RequestContext context;
  EXPECT_FALSE(Stage::Open(context, scene_.environment(), {.root = "/root.usda"}).ok());
  EXPECT_GT(PathStats().count, before);
  EXPECT_FALSE(context.TakeDeferred().empty());
  EXPECT_EQ(PathStats().count, before);
}

TEST_F(StagePathsTest, OutlivePreviousSnapshots) {
  Write("Outlive");
  auto stage = scene_.Open("root.usda");
  ASSERT_TRUE(stage);
  const auto root = *scene_.layers().Open(scene_.context(), {}, "/root.usda", nullptr);
  const size_t paths = PathStats().count;
  for (int edit = 0; edit < 4; ++edit) {
    scene_.Write("session.usda",
                 "over \"Outlive0\" {\n  def \"New" + std::to_string(edit % 2) + "\" {\n  }\n}\n");
    const auto session = *scene_.layers().Open(scene_.context(), {}, "/session.usda", nullptr);
    auto next = Stage::Recompose(scene_.context(), stage, {}, root, session);
    ASSERT_TRUE(next.ok()) << next.status();
    stage = *std::move(next);  // and frees the previous one
    EXPECT_LE(PathStats().count, paths + 8);
  }
  EXPECT_TRUE(stage->FindPrim("/Outlive0/New1").valid());
  for (const Prim& prim : stage->Traverse(PrimFlagsPredicate::All())) {
    EXPECT_TRUE(stage->FindPrim(prim.path()).valid()) << prim.path().ToString();
  }
  EXPECT_NE(stage->paths(), nullptr);
}

TEST_F(StagePathsTest, OfLayersOutliveTheStage) {
  Write("OfLayers");
  auto stage = scene_.Open("root.usda");
  ASSERT_TRUE(stage);
  const auto asset = *scene_.layers().Open(scene_.context(), {}, "/asset.usda", nullptr);
  const SpecId spec = asset->tree().Find(P("/Asset/c1.r"));
  ASSERT_NE(spec, kNoSpec);
  stage = nullptr;
  const auto targets = asset->GetAs<ListOp<Path>>(spec, Token("targetPaths"));
  ASSERT_TRUE(targets.has_value());
  EXPECT_EQ(targets->explicit_items.at(0).ToString(), "/Asset/c0");
}

}  // namespace
}  // namespace stagedoor

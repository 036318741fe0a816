#include "scene/shade/bound_material_batch.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "scene/paths/path.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kPurposes[] = {"", "preview"};

class BoundMaterialBatchTest : public testing::Test {
 protected:
  // More prims than a piece has: each group has a binding for its meshes, and a broken one; an
  // instance and a mesh of its own bind some more.
  BoundMaterialBatchTest() {
    std::string text = R"(
def Material "Red" {}
def Material "Blue" {}
class Xform "Asset" {
  def Mesh "Geo" {
    rel material:binding = </Blue>
  }
}
)";
    for (int group = 0; group < 60; ++group) {
      text += "def Xform \"G" + std::to_string(group) + "\" {\n  rel material:binding = </Red>\n" +
              "  rel material:binding:preview = </Gone" + std::to_string(group) + ">\n" +
              "  def \"I\" (\n    references = </Asset>\n    instanceable = true\n  ) {}\n";
      for (int mesh = 0; mesh < 40; ++mesh) {
        text += "  def Mesh \"M" + std::to_string(mesh) + "\" {" +
                (mesh % 7 == 0 ? "\n rel material:binding = </Blue>\n" : "") + "}\n";
      }
      text += "}\n";
    }
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
    prims_ = {Prim(), stage_->PseudoRoot()};
    for (const Prim& prim : stage_->Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
      prims_.push_back(prim);
    }
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  std::vector<Prim> prims_;
};

TEST_F(BoundMaterialBatchTest, FindsOnAllThreadsWhatOneFinds) {
  ASSERT_GT(prims_.size(), 2000u);
  ThreadPoolExecutor pool(2);
  MaterialBindings bindings(scene_.context());
  for (Executor* executor : {static_cast<Executor*>(nullptr), static_cast<Executor*>(&pool)}) {
    const BoundMaterialBatch batch(scene_.context(), prims_, kPurposes, executor);
    ASSERT_EQ(batch.found().size(), 2 * prims_.size());
    for (size_t item = 0; item < batch.found().size(); ++item) {
      const Prim& prim = prims_[item / 2];
      const MaterialBinding* one =
          prim.valid() ? bindings.Find(prim, kPurposes[item % 2]) : nullptr;
      const MaterialBinding* found = batch.found()[item];
      ASSERT_EQ(found == nullptr, one == nullptr) << prim.PathText();
      ASSERT_EQ(batch.materials()[item], one == nullptr ? Path() : one->material);
      if (one == nullptr) continue;
      ASSERT_EQ(found->material, one->material) << prim.PathText();
      ASSERT_EQ(found->prim, one->prim) << prim.PathText();
      ASSERT_EQ(found->relationship, one->relationship) << prim.PathText();
    }
    ASSERT_EQ(batch.Broken().size(), bindings.broken().size());
    for (size_t i = 0; i < bindings.broken().size(); ++i) {
      EXPECT_EQ(batch.Broken()[i].relationship, bindings.broken()[i].relationship) << i;
    }
  }
}

TEST_F(BoundMaterialBatchTest, ReportsEachBrokenBindingOnce) {
  ThreadPoolExecutor pool(2);
  std::vector<Prim> same(3000, stage_->FindPrim("/G7/M3"));
  const BoundMaterialBatch batch(scene_.context(), same, kPurposes, &pool);
  ASSERT_EQ(batch.Broken().size(), 1u);
  EXPECT_EQ(batch.Broken()[0].relationship.ToString(), "/G7.material:binding:preview");
}

}  // namespace
}  // namespace stagedoor

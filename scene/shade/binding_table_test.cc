#include "scene/shade/binding_table.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class BindingTableTest : public testing::Test {
 protected:
  BindingTableTest() {
    scene_.Write("a.usda", R"(
def Scope "Looks" {
  def Material "red" {}
  def Material "blue" {}
}
class Xform "Asset" {
  def Mesh "Geo" {
    rel material:binding = </Looks/blue>
  }
}
def Xform "A" (apiSchemas = ["CollectionAPI:c"]) {
  rel material:binding = </Looks/red>
  rel material:binding:collection:c = [</A.collection:c>, </Looks/blue>]
  rel collection:c:includes = </A/B>
  def Xform "B" {}
  def Xform "C" {
    rel material:binding:preview = [</Looks/red>, </Looks/blue>]
  }
  def "I" (
    references = </Asset>
    instanceable = true
  ) {}
}
)");
    stage_ = scene_.Open("a.usda");
  }
  Prim At(std::string_view path) { return stage_->FindPrim(P(path)); }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(BindingTableTest, RequestsShareBindingsAndMembers) {
  MaterialBindings first(scene_.context()), second(scene_.context());
  for (const char* path : {"/A", "/A/B", "/A/C"}) {
    const MaterialBinding* found = first.Find(At(path), "");
    ASSERT_NE(found, nullptr) << path;
    EXPECT_EQ(second.Find(At(path), ""), found) << path;
  }
  BindingTable& table = BindingTable::Of(*stage_);
  const Path collection = P("/A.collection:c");
  EXPECT_EQ(table.MembersOf(scene_.context(), *stage_, collection),
            table.MembersOf(scene_.context(), *stage_, collection));
}

TEST_F(BindingTableTest, EachRequestReportsBrokenBindings) {
  for (int request = 0; request < 2; ++request) {
    MaterialBindings bindings(scene_.context());
    bindings.Find(At("/A/B"), "");
    EXPECT_TRUE(bindings.broken().empty());
    for (int times = 0; times < 2; ++times) bindings.Find(At("/A/C"), "");
    ASSERT_EQ(bindings.broken().size(), 1u);
    EXPECT_EQ(bindings.broken()[0].relationship, P("/A/C.material:binding:preview"));
  }
}

TEST_F(BindingTableTest, KeepsNothingAboutPrimsBelowInstances) {
  MaterialBindings bindings(scene_.context());
  const MaterialBinding* found = bindings.Find(At("/A/I/Geo"), "");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->prim, At("/A/I/Geo"));
  const BindingTable& table = BindingTable::Of(*stage_);
  EXPECT_EQ(table.Find(At("/A/I/Geo")), nullptr);
  EXPECT_NE(table.Find(At("/A/I")), nullptr);
}

TEST_F(BindingTableTest, KeepsTheNamesOfPrimsBelowInstancesOnly) {
  MemoryPool pool("test");
  Reservation charge(pool);
  BindingTable table(stage_->prim_count(), &charge);
  std::vector<Token> own;
  const size_t empty = pool.used();
  EXPECT_EQ(&table.NamesOf(scene_.context(), At("/A"), &own), &own);
  EXPECT_EQ(own.size(), 2u);
  EXPECT_EQ(pool.used(), empty);
  const std::vector<Token>& kept = table.NamesOf(scene_.context(), At("/A/I/Geo"), &own);
  EXPECT_NE(&kept, &own);
  EXPECT_EQ(kept.size(), 1u);
  EXPECT_GT(pool.used(), empty);
}

TEST_F(BindingTableTest, KeepsTheFirstBrokenBindingsOfAPrim) {
  std::string text = "def \"Many\" {\n";
  for (size_t i = 0; i <= MaterialBindings::kMaxBroken; ++i) {
    text += Concat("rel material:binding:p", i, " = [</A>, </B>]\n");
  }
  scene_.Write("many.usda", text + "}\n");
  const auto stage = scene_.Open("many.usda");
  MaterialBindings bindings(scene_.context());
  bindings.Find(stage->FindPrim(P("/Many")), "");
  const PrimBindings* kept = BindingTable::Of(*stage).Find(stage->FindPrim(P("/Many")));
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->broken.size(), MaterialBindings::kMaxBroken);
}

TEST_F(BindingTableTest, IsChargedAndBounded) {
  MemoryPool pool("test");
  Reservation charge(pool);
  BindingTable table(stage_->prim_count(), &charge, 500);
  const size_t empty = pool.used();
  const auto with_bindings = [](size_t count) {
    PrimBindings bindings;
    bindings.bindings.resize(count);
    return std::make_unique<const PrimBindings>(std::move(bindings));
  };
  auto large = with_bindings(100);
  EXPECT_EQ(table.Add(scene_.context(), At("/A"), large), nullptr);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(pool.used(), empty);
  auto small = with_bindings(1);
  const PrimBindings* kept = table.Add(scene_.context(), At("/A"), small);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(small, nullptr);
  EXPECT_EQ(table.Find(At("/A")), kept);
  EXPECT_GT(pool.used(), empty);
  auto second = with_bindings(1);
  EXPECT_EQ(table.Add(scene_.context(), At("/A"), second), kept) << "the first stays";
  EXPECT_NE(second, nullptr);
}

TEST_F(BindingTableTest, PrimsWithoutBindingsShareThoseAbove) {
  MaterialBindings bindings(scene_.context());
  ASSERT_NE(bindings.Find(At("/A/B"), ""), nullptr);
  const BindingTable& table = BindingTable::Of(*stage_);
  EXPECT_EQ(table.Find(At("/A/B")), table.Find(At("/A")));
  EXPECT_EQ(bindings.Find(At("/Looks/red"), ""), nullptr);
  EXPECT_EQ(table.Find(At("/Looks/red")), &BindingTable::None());
}

TEST_F(BindingTableTest, KeepsNothingOfARequestThatIsOver) {
  BindingTable& table = BindingTable::Of(*stage_);
  RequestContext over;
  over.Cancel();
  MaterialBindings bindings(over);
  bindings.Find(At("/A/B"), "");
  EXPECT_EQ(table.Find(At("/A/B")), nullptr);
  EXPECT_EQ(table.MembersOf(over, *stage_, P("/A.collection:c")), nullptr);
  EXPECT_NE(table.MembersOf(scene_.context(), *stage_, P("/A.collection:c")), nullptr);
}

}  // namespace
}  // namespace stagedoor

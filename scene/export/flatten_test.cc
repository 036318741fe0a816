#include "scene/export/flatten.h"

#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

class FlattenTest : public testing::Test {
 protected:
  // Flattens the stage of "a.usda".
  std::shared_ptr<const Layer> Flatten() {
    const auto stage = scene_.Open("a.usda");
    if (!stage) return nullptr;
    const auto flat = FlattenStage(scene_.context(), *stage, {.identifier = "flat"});
    EXPECT_TRUE(flat.ok()) << flat.status();
    return flat.ok() ? *flat : nullptr;
  }

  TestScene scene_;
};

TEST_F(FlattenTest, FlattenedTextIsReadableForAnyValueType) {
  scene_.Write("weak.usda", R"(
def "A" {
  asset a = @x.png@
  string s.timeSamples = { 1: "one" }
}
)");
  scene_.Write("a.usda", R"((subLayers = [@./weak.usda@])
def Cube "A" {
  token a
  float s
  asset size = @size.txt@
}
)");
  const auto flat = Flatten();
  ASSERT_TRUE(flat);
  const std::string text = WriteUsda(*flat);
  scene_.Write("flat.usda", text.substr(text.find('\n') + 1));
  const auto again = scene_.Open("flat.usda");
  ASSERT_TRUE(again) << text;
  const auto find = [&](const char* path) { return Attribute(again->FindProperty(P(path))); };
  EXPECT_EQ(find("/A.s").Get(scene_.context(), TimeCode::At(1)), Value(std::string("one")));
  for (const char* path : {"/A.a", "/A.size"}) {
    const Value value = find(path).Get(scene_.context(), TimeCode::Default());
    EXPECT_EQ(value.type(), ValueType::kAssetPath) << path;
  }
  EXPECT_EQ(find("/A.size").TypeName(), Token("double"));
}

TEST_F(FlattenTest, KeepsInstancesAndDropsInactivePrims) {
  scene_.Write("a.usda", R"(
class "K" {
  def "Child" {
  }
}
def "I" (
  instanceable = true
  inherits = </K>
) {
}
def "Off" (active = false) {
}
)");
  const auto flat = Flatten();
  ASSERT_TRUE(flat);
  const SpecTree& tree = flat->tree();
  EXPECT_NE(tree.Find(P("/Flattened_Prototype_1/Child")), kNoSpec);
  EXPECT_EQ(tree.Find(P("/I/Child")), kNoSpec);
  EXPECT_TRUE(flat->Has(tree.Find(P("/I")), Fields().references));
  EXPECT_EQ(tree.Find(P("/Off")), kNoSpec);
}

TEST_F(FlattenTest, LeavesOutTheSameFieldsAsOpenUsd) {
  scene_.Write("weak.usda", R"(
def "P" {
  rel gone = </A>
  custom int a = 1
  int b = 1
  rel varying_above
}
)");
  scene_.Write("a.usda", R"((
  subLayers = [@weak.usda@]
)
def "P" (
  displayGroup = "of properties"
  hidden = true
) {
  delete rel gone = </A>
  int a = 2
  custom int b = 2
  varying rel varying_above
}
)");
  const auto flat = Flatten();
  ASSERT_TRUE(flat);
  const auto has = [&](std::string_view path, Token field) {
    return flat->Has(flat->tree().Find(P(path)), field);
  };
  EXPECT_FALSE(has("/P", Token("displayGroup")));
  EXPECT_TRUE(has("/P", Token("hidden")));
  EXPECT_FALSE(has("/P.gone", Fields().targetPaths));
  EXPECT_TRUE(has("/P.a", Fields().custom));  // the weakest opinion
  EXPECT_FALSE(has("/P.b", Fields().custom));
  const SpecId rel = flat->tree().Find(P("/P.varying_above"));
  EXPECT_EQ(flat->GetAs<Variability>(rel, Fields().variability), Variability::kVarying);
}

TEST_F(FlattenTest, SamplesKeepTheirValuesIfTimesRound) {
  scene_.Write("weak.usda", R"(
def "P" {
  token t.timeSamples = { -1: "u", 10: "t" }
}
)");
  scene_.Write("a.usda", R"((
  subLayers = [@weak.usda@ (offset = -2; scale = 3)]
)
)");
  const auto flat = Flatten();
  ASSERT_TRUE(flat);
  const Value value = flat->Get(flat->tree().Find(P("/P.t")), Fields().timeSamples);
  ASSERT_NE(value.samples(), nullptr);
  EXPECT_EQ(value.samples()->times()[1], 28);
  EXPECT_EQ(value.samples()->At(1), Value(Token("t")));
}

TEST_F(FlattenTest, PrototypesGetUnusedNames) {
  scene_.Write("a.usda", R"(
def "P" {
  def "X" {
  }
}
def "Flattened_Prototype_1" {
  def "Y" {
  }
}
def "A" (
  instanceable = true
  references = </P>
) {
}
)");
  const auto flat = Flatten();
  ASSERT_TRUE(flat);
  const SpecTree& tree = flat->tree();
  EXPECT_NE(tree.Find(P("/Flattened_Prototype_2/X")), kNoSpec);
  EXPECT_NE(tree.Find(P("/Flattened_Prototype_1/Y")), kNoSpec);
  EXPECT_EQ(tree.Find(P("/Flattened_Prototype_1/X")), kNoSpec);
  EXPECT_EQ(tree.prims(kRootSpec).size(), 4u);
}

}  // namespace
}  // namespace stagedoor

#include "scene/layer/layer.h"

#include "gtest/gtest.h"
#include "scene/layer/field_registry.h"
#include "scene/layer/fields.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

TEST(LayerTest, FindsSpecsOfEverySort) {
  LayerBuilder builder;
  const SpecId b = builder.EnsurePrim(P("/A/B"));
  builder.Set(b, Fields().typeName, Value(Token("Mesh")));
  builder.Set(builder.EnsureProperty(P("/A/B.x"), SpecType::kAttribute), Fields().default_,
              Value(1));
  builder.EnsureProperty(P("/A{v=s}C.r"), SpecType::kRelationship);
  const auto layer = std::move(builder).Build({.identifier = "a.usda"});
  const SpecTree& tree = layer->tree();
  for (const char* path :
       {"/", "/A", "/A/B", "/A/B.x", "/A{v=}", "/A{v=s}", "/A{v=s}C", "/A{v=s}C.r"}) {
    const SpecId id = tree.Find(P(path));
    ASSERT_NE(id, kNoSpec) << path;
    EXPECT_EQ(tree.path(id), P(path));
  }
  EXPECT_EQ(tree.Find(P("/A/C")), kNoSpec);
  EXPECT_EQ(tree.type(tree.Find(P("/A{v=s}C.r"))), SpecType::kRelationship);
  EXPECT_EQ(layer->GetAs<int>(tree.Find(P("/A/B.x")), Fields().default_), 1);
  EXPECT_EQ(layer->GetAs<Specifier>(tree.Find(P("/A")), Fields().specifier), Specifier::kOver);
}

TEST(LayerTest, LongRunsAreIndexed) {
  LayerBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    builder.EnsurePrim(P("/P" + std::to_string(i)));
    builder.EnsureProperty(P("/P0.a" + std::to_string(i)), SpecType::kAttribute);
  }
  const auto layer = std::move(builder).Build({});
  const SpecId p0 = layer->tree().Find(P("/P0"));
  EXPECT_EQ(layer->tree().properties(p0).size(), 1000u);
  EXPECT_EQ(layer->tree().name(layer->tree().Find(P("/P0.a777"))), Token("a777"));
  EXPECT_EQ(layer->tree().name(layer->tree().Find(P("/P777"))), Token("P777"));
  EXPECT_EQ(layer->tree().Find(P("/P1000")), kNoSpec);
  EXPECT_EQ(layer->tree().FindProperty(p0, Token("P777")), kNoSpec);
}

TEST(LayerBuilderTest, EditingLeavesTheOriginalAlone) {
  LayerBuilder first;
  first.Set(first.EnsurePrim(P("/A")), Fields().kind, Value(Token("group")));
  first.EnsurePrim(P("/A/Gone"));
  const auto before = std::move(first).Build({});
  LayerBuilder edit(*before);
  edit.Remove(edit.Find(P("/A/Gone")));
  edit.Set(edit.Find(P("/A")), Fields().kind, Value());
  edit.OrderChildren(kRootSpec, SpecType::kPrim, {});
  const auto after = std::move(edit).Build({});
  EXPECT_NE(before->tree().Find(P("/A/Gone")), kNoSpec);
  EXPECT_EQ(after->tree().Find(P("/A/Gone")), kNoSpec);
  EXPECT_TRUE(before->Has(before->tree().Find(P("/A")), Fields().kind));
  EXPECT_FALSE(after->Has(after->tree().Find(P("/A")), Fields().kind));
}

TEST(LayerBuilderTest, ChildrenAreFoundHoweverManyComeAndGo) {
  LayerBuilder builder;
  const SpecId prim = builder.EnsurePrim(P("/A"));
  const auto name = [](int i) { return Token("a" + std::to_string(i)); };
  for (int i = 0; i < 40; ++i) builder.FindOrAdd(prim, SpecType::kAttribute, name(i));
  for (int i = 0; i < 40; i += 2) {
    builder.Remove(builder.Find(prim, SpecType::kAttribute, name(i)));
  }
  for (int i = 1; i < 20; i += 2) {
    builder.Remove(builder.Find(prim, SpecType::kAttribute, name(i)));
  }
  EXPECT_EQ(builder.properties(prim).size(), 10u);
  for (int i = 0; i < 40; ++i) {
    const SpecId found = builder.Find(prim, SpecType::kRelationship, name(i));
    EXPECT_EQ(found != kNoSpec, i >= 20 && i % 2 == 1) << i;
  }
  std::vector<SpecId> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(builder.FindOrAdd(prim, SpecType::kAttribute, name(i)));
  }
  EXPECT_EQ(builder.properties(prim).size(), 40u);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(builder.Find(prim, SpecType::kAttribute, name(i)), ids[i]) << i;
    EXPECT_EQ(builder.FindOrAdd(prim, SpecType::kAttribute, name(i)), ids[i]) << i;
  }
}

TEST(LayerTest, DefaultPrimMayBeANameOrAPath) {
  for (const auto& [text, want] : {std::pair("A", "/A"), std::pair("/A/B", "/A/B")}) {
    LayerBuilder builder;
    builder.Set(kRootSpec, Fields().defaultPrim, Value(Token(text)));
    EXPECT_EQ(std::move(builder).Build({})->DefaultPrim(), P(want));
  }
  EXPECT_TRUE(LayerBuilder().Build({})->DefaultPrim().empty());
}

TEST(FieldRegistryTest, KnowsFieldsOnTheWrongKindOfSpec) {
  EXPECT_TRUE(IsMisplacedField(SpecType::kPrim, Fields().interpolation));
  EXPECT_TRUE(IsMisplacedField(SpecType::kPseudoRoot, Fields().active));
  EXPECT_FALSE(IsMisplacedField(SpecType::kAttribute, Fields().interpolation));
  EXPECT_FALSE(IsMisplacedField(SpecType::kVariant, Fields().active));
  EXPECT_FALSE(IsMisplacedField(SpecType::kPrim, Token("nobodyKnows")));
}

}  // namespace
}  // namespace stagedoor

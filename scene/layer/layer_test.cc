#include "scene/layer/layer.h"

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

TEST(LayerTest, FindsSpecsOfEveryForm) {
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

TEST(LayerTest, DefaultPrimMayBeANameOrAPath) {
  for (const auto& [text, want] : {std::pair("A", "/A"), std::pair("/A/B", "/A/B")}) {
    LayerBuilder builder;
    builder.Set(kRootSpec, Fields().defaultPrim, Value(Token(text)));
    EXPECT_EQ(std::move(builder).Build({})->DefaultPrim(), P(want));
  }
  EXPECT_TRUE(LayerBuilder().Build({})->DefaultPrim().empty());
}

TEST(LayerTest, OtherTextsAreNotADefaultPrim) {
  for (const char* text : {"", "/", "/A.x", "not a path", "/A{v=s}"}) {
    LayerBuilder builder;
    builder.Set(kRootSpec, Fields().defaultPrim, Value(Token(text)));
    EXPECT_TRUE(std::move(builder).Build({})->DefaultPrim().empty()) << text;
  }
  LayerBuilder builder;
  builder.Set(kRootSpec, Fields().defaultPrim, Value(std::string("A")));
  EXPECT_TRUE(std::move(builder).Build({})->DefaultPrim().empty()) << "not a token";
}

TEST(LayerTest, TimeCodesPerSecondFallsBackToFramesPerSecondAnd24) {
  LayerBuilder builder;
  EXPECT_EQ(LayerBuilder(builder).Build({})->TimeCodesPerSecond(), 24);
  builder.Set(kRootSpec, Fields().framesPerSecond, Value(30.0));
  EXPECT_EQ(LayerBuilder(builder).Build({})->TimeCodesPerSecond(), 30);
  builder.Set(kRootSpec, Fields().timeCodesPerSecond, Value(48.0));
  EXPECT_EQ(LayerBuilder(builder).Build({})->TimeCodesPerSecond(), 48);
}

TEST(LayerTest, GetAsReturnsNothingForOtherTypes) {
  LayerBuilder builder;
  builder.Set(kRootSpec, Fields().comment, Value(1));
  const auto layer = std::move(builder).Build({});
  EXPECT_EQ(layer->GetAs<std::string>(kRootSpec, Fields().comment), std::nullopt);
  EXPECT_EQ(layer->GetAs<int>(kRootSpec, Fields().comment), 1);
  EXPECT_EQ(layer->GetAs<int>(kRootSpec, Fields().owner), std::nullopt);
}

}  // namespace
}  // namespace stagedoor

#include "scene/layer/layer_builder.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/array.h"
#include "scene/values/memory_time_samples.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

std::string Names(const LayerBuilder& builder, const std::vector<SpecId>& specs) {
  std::string names;
  for (const SpecId spec : specs) names += std::string(builder.name(spec).text()) + " ";
  return names;
}

std::string PrimsOfRoot(const Layer& layer) {
  std::string names;
  for (const SpecId prim : layer.tree().prims(kRootSpec)) {
    names += std::string(layer.tree().name(prim).text()) + " ";
  }
  return names;
}

TEST(LayerBuilderTest, EditingDoesNotChangeTheOriginal) {
  LayerBuilder first;
  first.Set(first.EnsurePrim(P("/A")), Fields().kind, Value(Token("group")));
  first.EnsurePrim(P("/A/Gone"));
  const auto before = std::move(first).Build({});
  LayerBuilder edit(*before);
  edit.Remove(edit.Find(P("/A/Gone")));
  edit.Set(edit.Find(P("/A")), Fields().kind, Value());
  const auto after = std::move(edit).Build({});
  EXPECT_NE(before->tree().Find(P("/A/Gone")), kNoSpec);
  EXPECT_EQ(after->tree().Find(P("/A/Gone")), kNoSpec);
  EXPECT_TRUE(before->Has(before->tree().Find(P("/A")), Fields().kind));
  EXPECT_FALSE(after->Has(after->tree().Find(P("/A")), Fields().kind));
}

TEST(LayerBuilderTest, ChildrenAreFoundAfterAddingAndRemovingMany) {
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

// A property, a variant set and a prim may have the same name, also if they have many siblings.
TEST(LayerBuilderTest, ChildrenOfDifferentFormsMayShareAName) {
  for (const int siblings : {0, 40}) {
    LayerBuilder builder;
    const SpecId prim = builder.EnsurePrim(P("/A"));
    for (int i = 0; i < siblings; ++i) {
      const Token name("n" + std::to_string(i));
      builder.FindOrAdd(prim, SpecType::kAttribute, name);
      builder.FindOrAdd(prim, SpecType::kVariantSet, name);
      builder.FindOrAdd(prim, SpecType::kPrim, name);
    }
    const Token name("same");
    const SpecId attribute = builder.FindOrAdd(prim, SpecType::kAttribute, name);
    const SpecId set = builder.FindOrAdd(prim, SpecType::kVariantSet, name);
    const SpecId child = builder.FindOrAdd(prim, SpecType::kPrim, name);
    EXPECT_EQ(builder.Find(prim, SpecType::kAttribute, name), attribute);
    EXPECT_EQ(builder.Find(prim, SpecType::kVariantSet, name), set);
    EXPECT_EQ(builder.Find(prim, SpecType::kPrim, name), child);
    EXPECT_EQ(builder.Find(P("/A/same")), child);
    EXPECT_EQ(builder.Find(P("/A{same=}")), set);
    EXPECT_EQ(builder.Find(P("/A.same")), attribute);
    builder.Remove(set);
    EXPECT_EQ(builder.Find(prim, SpecType::kVariantSet, name), kNoSpec);
    EXPECT_EQ(builder.Find(prim, SpecType::kPrim, name), child);
  }
}

TEST(LayerBuilderTest, EnsuringAnotherTypeKeepsTheFields) {
  LayerBuilder builder;
  const SpecId x = builder.EnsureProperty(P("/A.x"), SpecType::kAttribute);
  builder.Set(x, Fields().custom, Value(true));
  EXPECT_EQ(builder.EnsureProperty(P("/A.x"), SpecType::kRelationship), x);
  EXPECT_EQ(builder.type(x), SpecType::kRelationship);
  ASSERT_NE(builder.Get(x, Fields().custom), nullptr);
}

TEST(LayerBuilderTest, ImplicitlyAddedPrimsAreOvers) {
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(P("/A")), Fields().specifier, Value(Specifier::kDef));
  builder.EnsurePrim(P("/A{v=s}B"));
  EXPECT_EQ(*builder.Get(builder.Find(P("/A")), Fields().specifier), Value(Specifier::kDef));
  EXPECT_EQ(*builder.Get(builder.Find(P("/A{v=s}B")), Fields().specifier), Value(Specifier::kOver));
  EXPECT_EQ(builder.Get(builder.Find(P("/A{v=s}")), Fields().specifier), nullptr);
  EXPECT_EQ(builder.name(builder.parent(builder.Find(P("/A{v=s}")))), Token("v"));
  EXPECT_EQ(builder.EnsurePrim(P("/A{v=}")), builder.Find(P("/A{v=}")));
  EXPECT_EQ(builder.EnsurePrim(P("/")), kRootSpec);
}

TEST(LayerBuilderTest, OtherPathsAddNothing) {
  LayerBuilder builder;
  EXPECT_EQ(builder.EnsurePrim(P("A")), kNoSpec);
  EXPECT_EQ(builder.EnsurePrim(P("/A.x")), kNoSpec);
  EXPECT_EQ(builder.EnsureProperty(P("/A"), SpecType::kAttribute), kNoSpec);
  EXPECT_EQ(builder.EnsureProperty(P("A.x"), SpecType::kAttribute), kNoSpec);
  EXPECT_EQ(builder.EnsureProperty(Path(), SpecType::kAttribute), kNoSpec);
  EXPECT_EQ(builder.Find(P("A")), kNoSpec);
  EXPECT_EQ(builder.Find(P("/A{v=s}")), kNoSpec);
  EXPECT_EQ(builder.Find(P("/A/B.x")), kNoSpec);
  EXPECT_EQ(builder.Find(P("/")), kRootSpec);
  EXPECT_EQ(builder.size(), 1u);
}

TEST(LayerBuilderTest, RemovingASpecRemovesItsDescendants) {
  LayerBuilder builder;
  builder.EnsureProperty(P("/A/B.x"), SpecType::kAttribute);
  builder.EnsurePrim(P("/C"));
  const SpecId a = builder.Find(P("/A"));
  builder.Remove(a);
  builder.Remove(a);
  builder.Remove(kRootSpec);
  EXPECT_EQ(builder.Find(P("/A")), kNoSpec);
  const auto layer = std::move(builder).Build({});
  EXPECT_EQ(layer->tree().size(), 2u);
  EXPECT_EQ(PrimsOfRoot(*layer), "C ");
}

TEST(LayerBuilderTest, OrderedChildrenComeFirst) {
  LayerBuilder builder;
  for (const char* path : {"/A", "/B", "/C", "/D"}) builder.EnsurePrim(P(path));
  builder.OrderChildren(kRootSpec, SpecType::kPrim,
                        {Token("D"), Token("gone"), Token("B"), Token("D")});
  EXPECT_EQ(Names(builder, builder.prims(kRootSpec)), "D B A C ");
  EXPECT_EQ(PrimsOfRoot(*std::move(builder).Build({})), "D B A C ");
}

TEST(LayerBuilderTest, OrderingPropertiesDoesNotAffectPrims) {
  LayerBuilder builder;
  const SpecId a = builder.EnsurePrim(P("/A"));
  builder.EnsurePrim(P("/A/x"));
  builder.EnsurePrim(P("/A/y"));
  builder.EnsureProperty(P("/A.x"), SpecType::kAttribute);
  builder.EnsureProperty(P("/A.y"), SpecType::kRelationship);
  builder.OrderChildren(a, SpecType::kAttribute, {Token("y")});
  EXPECT_EQ(Names(builder, builder.properties(a)), "y x ");
  EXPECT_EQ(Names(builder, builder.prims(a)), "x y ");
}

TEST(LayerBuilderTest, SettingReplacesAndAnEmptyValueRemoves) {
  LayerBuilder builder;
  builder.Set(kRootSpec, Fields().comment, Value());
  EXPECT_TRUE(builder.fields(kRootSpec).empty());
  builder.Set(kRootSpec, Fields().comment, Value(std::string("a")));
  builder.Set(kRootSpec, Fields().owner, Value(std::string("b")));
  builder.Set(kRootSpec, Fields().comment, Value(std::string("c")));
  ASSERT_EQ(builder.fields(kRootSpec).size(), 2u);
  EXPECT_EQ(*builder.Get(kRootSpec, Fields().comment), Value(std::string("c")));
  builder.Set(kRootSpec, Fields().comment, Value());
  EXPECT_EQ(builder.Get(kRootSpec, Fields().comment), nullptr);
  EXPECT_EQ(*builder.Get(kRootSpec, Fields().owner), Value(std::string("b")));
}

TEST(LayerBuilderTest, ACopyHasAllSpecsAndFieldsInOrder) {
  LayerBuilder builder;
  builder.Set(kRootSpec, Fields().comment, Value(std::string("c")));
  for (int i = 0; i < 40; ++i) builder.EnsurePrim(P("/P" + std::to_string(39 - i)));
  builder.Set(builder.EnsureProperty(P("/P3{v=s}C.r"), SpecType::kRelationship), Fields().custom,
              Value(true));
  const auto layer = std::move(builder).Build({});
  const auto copy = LayerBuilder(*layer).Build({.identifier = "copy"});
  EXPECT_EQ(copy->identifier(), "copy");
  ASSERT_EQ(copy->tree().size(), layer->tree().size());
  for (SpecId spec = 0; spec < copy->tree().size(); ++spec) {
    EXPECT_EQ(copy->tree().path(spec), layer->tree().path(spec));
    EXPECT_EQ(copy->tree().type(spec), layer->tree().type(spec));
    ASSERT_EQ(copy->FieldNames(spec), layer->FieldNames(spec));
    for (const Token field : layer->FieldNames(spec)) {
      EXPECT_EQ(copy->Get(spec, field), layer->Get(spec, field));
    }
  }
}

TEST(LayerBuilderTest, ByteSizeCountsFields) {
  LayerBuilder builder;
  const SpecId a = builder.EnsurePrim(P("/A"));
  const size_t before = LayerBuilder(builder).Build({})->byte_size();
  for (int i = 0; i < 100; ++i) builder.Set(a, Token("f" + std::to_string(i)), Value(i));
  EXPECT_GE(std::move(builder).Build({})->byte_size(), before + 100 * sizeof(Value));
}

TEST(LayerBuilderTest, ByteSizeCountsTheHeapOfValues) {
  const auto size_with = [](Value value) {
    LayerBuilder builder;
    builder.Set(builder.EnsurePrim(P("/A")), Token("f"), std::move(value));
    return std::move(builder).Build({})->byte_size();
  };
  const size_t none = size_with(Value(1));
  const auto numbers = [] { return Array<double>::FromVector(std::vector<double>(1000)); };
  EXPECT_EQ(size_with(Value(numbers())), none + 8000);
  EXPECT_GE(size_with(Value::FromSamples(MakeTimeSamples({{1, Value(numbers())}}))), none + 8000);
  EXPECT_GE(size_with(Value(std::string(1000, 'x'))), none + 1000);
  const Value kept(numbers());
  EXPECT_EQ(size_with(kept), none) << "counted by the other owner";
}

}  // namespace
}  // namespace stagedoor

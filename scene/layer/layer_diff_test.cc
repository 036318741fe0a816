#include "scene/layer/layer_diff.h"

#include <algorithm>
#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

// /A with attribute x, variant set v with s and t, of which s has a prim C; /A/B; /D/E.
LayerBuilder Scene() {
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(P("/A")), Fields().kind, Value(Token("group")));
  builder.Set(builder.EnsureProperty(P("/A.x"), SpecType::kAttribute), Fields().default_, Value(1));
  builder.EnsureProperty(P("/A{v=s}C.y"), SpecType::kAttribute);
  builder.EnsurePrim(P("/A{v=t}"));
  builder.EnsurePrim(P("/A/B"));
  builder.EnsurePrim(P("/D/E"));
  return builder;
}

// "!" marks changes of the shape.
std::string Names(std::vector<PrimChange> changes) {
  std::sort(changes.begin(), changes.end(),
            [](const PrimChange& a, const PrimChange& b) { return a.path < b.path; });
  std::string names;
  for (const auto& [path, shape] : changes) names += path.ToString() + (shape ? "! " : " ");
  return names;
}

// The prims that an edit changes; checks that the difference is symmetric.
std::string ChangedBy(const std::function<void(LayerBuilder&)>& edit) {
  const auto before = Scene().Build({});
  LayerBuilder builder = Scene();
  edit(builder);
  const auto after = std::move(builder).Build({});
  const std::string changed = Names(ChangedPrims(before.get(), after.get()));
  EXPECT_EQ(Names(ChangedPrims(after.get(), before.get())), changed);
  return changed;
}

TEST(LayerDiffTest, EqualLayersDoNotDiffer) {
  EXPECT_EQ(ChangedBy([](LayerBuilder&) {}), "");
  EXPECT_EQ(Names(ChangedPrims(nullptr, nullptr)), "");
}

TEST(LayerDiffTest, NullIsAnEmptyLayer) {
  const auto layer = Scene().Build({});
  EXPECT_EQ(Names(ChangedPrims(nullptr, layer.get())), "/ /A! /D /D/E ");
  EXPECT_EQ(Names(ChangedPrims(layer.get(), nullptr)), "/ /A! /D /D/E ");
}

std::string ChangedByField(Path path, Token field, Value value) {
  return ChangedBy([&](LayerBuilder& b) { b.Set(b.Find(path), field, value); });
}

TEST(LayerDiffTest, FieldsOfPrims) {
  EXPECT_EQ(ChangedByField(P("/A"), Fields().kind, Value(Token("model"))), "/A! ");
  EXPECT_EQ(ChangedByField(P("/A/B"), Fields().kind, Value(Token("model"))), "/A/B! ");
  EXPECT_EQ(ChangedByField(P("/A/B"), Fields().hidden, Value(true)), "/A/B ");
  EXPECT_EQ(ChangedByField(P("/A/B"), Fields().specifier, Value(Specifier::kDef)), "/A/B! ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A")), Fields().kind, Value());
              b.Set(b.Find(P("/A")), Fields().active, Value(true));
            }),
            "/A! ");
}

TEST(LayerDiffTest, EveryFieldThatPopulationReadsIsOfTheShape) {
  const FieldKeys& f = Fields();
  for (const Token field :
       {f.active, f.apiSchemas, f.clipSets, f.clips, f.inheritPaths, f.instanceable, f.payload,
        f.permission, f.primOrder, f.references, f.relocates, f.specializes, f.typeName,
        f.variantSelection, f.variantSetNames}) {
    EXPECT_EQ(ChangedByField(P("/A/B"), field, Value(1)), "/A/B! ") << field.text();
  }
}

TEST(LayerDiffTest, FieldsOfTheLayer) {
  EXPECT_EQ(ChangedByField(Path::AbsoluteRoot(), Fields().comment, Value(std::string("c"))), "/ ");
  EXPECT_EQ(ChangedByField(Path::AbsoluteRoot(), Fields().startTimeCode, Value(1.0)), "/ ");
  EXPECT_EQ(ChangedByField(Path::AbsoluteRoot(), Fields().timeCodesPerSecond, Value(1.0)), "/! ");
  EXPECT_EQ(ChangedByField(Path::AbsoluteRoot(), Token("unknown"), Value(1.0)), "/! ");
}

TEST(LayerDiffTest, Properties) {
  EXPECT_EQ(ChangedByField(P("/A.x"), Fields().default_, Value(2)), "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.Remove(b.Find(P("/A.x"))); }), "/A ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A/B.z"), SpecType::kRelationship); }),
      "/A/B ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A.x"), SpecType::kRelationship); }),
      "/A ")
      << "an attribute became a relationship";
}

TEST(LayerDiffTest, PlainOversOfOneSideChangeOnlyOpinions) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.Remove(b.Find(P("/D"))); }), "/ /D /D/E ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/D/N/M")); }), "/D /D/N /D/N/M ");
}

TEST(LayerDiffTest, OtherPrimsOfOneSideStandForTheirDescendants) {
  const auto add = [](Token field, const Value& value) {
    return ChangedBy([&](LayerBuilder& b) {
      b.EnsurePrim(P("/D/N/M"));
      b.Set(b.Find(P("/D/N")), field, value);
    });
  };
  EXPECT_EQ(add(Fields().specifier, Value(Specifier::kOver)), "/D /D/N /D/N/M ");
  EXPECT_EQ(add(Fields().specifier, Value(Specifier::kDef)), "/D /D/N! ");
  EXPECT_EQ(add(Fields().active, Value(false)), "/D /D/N! ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/D/N{v=s}M")); }), "/D /D/N! ");
}

TEST(LayerDiffTest, TheOrderOfChildrenBelongsToTheirParent) {
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.OrderChildren(kRootSpec, SpecType::kPrim, {Token("D")}); }),
      "/ ");
}

TEST(LayerDiffTest, ChangesInVariantsAreAttributedToTheirPrim) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=u}")); }), "/A! ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{w=}")); }), "/A! ");
  EXPECT_EQ(ChangedByField(P("/A{v=t}"), Fields().hidden, Value(true)), "/A! ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A{v=t}.z"), SpecType::kAttribute); }),
      "/A! ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=s}C/Below")); }), "/A! ");
  EXPECT_EQ(ChangedByField(P("/A{v=s}C.y"), Fields().default_, Value(3)), "/A! ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=t}{w=x}")); }), "/A! ");
}

}  // namespace
}  // namespace stagedoor

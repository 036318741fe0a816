#include "scene/layer/layer_diff.h"

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

std::string Names(const std::vector<Path>& paths) {
  std::string names;
  for (const Path path : paths) names += path.ToString() + " ";
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
  EXPECT_EQ(Names(ChangedPrims(nullptr, layer.get())), "/ /A /D ");
  EXPECT_EQ(Names(ChangedPrims(layer.get(), nullptr)), "/ /A /D ");
}

TEST(LayerDiffTest, FieldsOfPrims) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A")), Fields().kind, Value(Token("model")));
            }),
            "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A/B")), Fields().kind, Value(Token("model")));
            }),
            "/A/B ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A")), Fields().kind, Value());
              b.Set(b.Find(P("/A")), Fields().active, Value(true));
            }),
            "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(kRootSpec, Fields().comment, Value(std::string("c")));
            }),
            "/ ");
}

TEST(LayerDiffTest, Properties) {
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.Set(b.Find(P("/A.x")), Fields().default_, Value(2)); }),
      "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.Remove(b.Find(P("/A.x"))); }), "/A ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A/B.z"), SpecType::kRelationship); }),
      "/A/B ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A.x"), SpecType::kRelationship); }),
      "/A ")
      << "an attribute became a relationship";
}

TEST(LayerDiffTest, PrimsOfOneSideAreListedWithoutDescendants) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.Remove(b.Find(P("/D"))); }), "/ /D ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/D/N/M")); }), "/D /D/N ");
}

TEST(LayerDiffTest, TheOrderOfChildrenBelongsToTheirParent) {
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.OrderChildren(kRootSpec, SpecType::kPrim, {Token("D")}); }),
      "/ ");
}

TEST(LayerDiffTest, ChangesInVariantsAreAttributedToTheirPrim) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=u}")); }), "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{w=}")); }), "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A{v=t}")), Fields().kind, Value(Token("model")));
            }),
            "/A ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/A{v=t}.z"), SpecType::kAttribute); }),
      "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=s}C/Below")); }), "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A{v=s}C.y")), Fields().default_, Value(3));
            }),
            "/A ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=t}{w=x}")); }), "/A ");
}

}  // namespace
}  // namespace stagedoor

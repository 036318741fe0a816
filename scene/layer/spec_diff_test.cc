#include "scene/layer/spec_diff.h"

#include <algorithm>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/value_type.h"

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

std::string Describe(const SpecChange& change) {
  std::string text = change.prim.ToString();
  if (!change.property.empty()) text += "." + change.property.str();
  if (change.one_sided) text += '?';
  if (change.structure) text += '!';
  std::set<Token> fields(change.fields.begin(), change.fields.end());
  for (const Token field : fields) text += " " + field.str();
  return text + "; ";
}

std::string Changes(const Layer* before, const Layer* after) {
  RequestContext context;
  Pacer pacer(context);
  std::set<std::string> changes;
  EXPECT_TRUE(VisitSpecChanges(pacer, before, after, [&](const SpecChange& change) {
    EXPECT_TRUE(changes.insert(Describe(change)).second);
    return true;
  }));
  std::string text;
  for (const std::string& change : changes) text += change;
  return text;
}

// The changes of an edit. Also checks that the difference is symmetric.
template <typename Edit>
std::string ChangedBy(const Edit& edit) {
  const auto before = Scene().Build({});
  LayerBuilder builder = Scene();
  edit(builder);
  const auto after = std::move(builder).Build({});
  std::string changes = Changes(before.get(), after.get());
  EXPECT_EQ(Changes(after.get(), before.get()), changes);
  return changes;
}

TEST(SpecDiffTest, EqualLayersDoNotDiffer) {
  EXPECT_EQ(ChangedBy([](LayerBuilder&) {}), "");
  EXPECT_EQ(Changes(nullptr, nullptr), "");
}

TEST(SpecDiffTest, ReportsFieldsOfPrimsAndProperties) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A")), Fields().kind, Value(Token("model")));
              b.Set(b.Find(P("/A")), Fields().comment, Value(std::string("c")));
              b.Set(b.Find(P("/A.x")), Fields().default_, Value(2));
            }),
            "/A comment kind; /A.x default; ");
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.Find(P("/A{v=s}C.y")), Fields().default_, Value(2));
              b.Set(b.Find(P("/")), Fields().startTimeCode, Value(2.0));
            }),
            "/ startTimeCode; /A{v=s}C.y default; ");
}

TEST(SpecDiffTest, ReportsPropertiesOfOneLayer) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.EnsureProperty(P("/A.new"), SpecType::kRelationship);
              b.EnsureProperty(P("/D/E.new"), SpecType::kAttribute);
            }),
            "/A.new!; /D/E.new!; ");
}

TEST(SpecDiffTest, AbsentPrimIsAnOverWithoutOpinions) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) {
              b.Set(b.EnsurePrim(P("/N")), Fields().specifier, Value(Specifier::kOver));
              b.Set(b.EnsurePrim(P("/N/M")), Fields().specifier, Value(Specifier::kDef));
              b.EnsureProperty(P("/N/M.p"), SpecType::kAttribute);
            }),
            "/N/M.p!; /N/M? specifier; /N?; ");
}

TEST(SpecDiffTest, ReportsVariants) {
  EXPECT_EQ(ChangedBy([](LayerBuilder& b) { b.EnsurePrim(P("/A{v=u}")); }), "/A!; /A{v=u}?; ");
  EXPECT_EQ(
      ChangedBy([](LayerBuilder& b) { b.EnsureProperty(P("/D{w=u}.p"), SpecType::kAttribute); }),
      "/D!; /D{w=u}.p!; /D{w=u}?; ");
}

TEST(SpecDiffTest, ReportsTheOrderOfChildrenThatBothHave) {
  LayerBuilder one, other;
  for (const char* path : {"/A", "/B", "/C"}) one.EnsurePrim(P(path));
  for (const char* path : {"/B", "/N", "/A"}) other.EnsurePrim(P(path));
  const auto before = std::move(one).Build({}), after = std::move(other).Build({});
  EXPECT_EQ(Changes(before.get(), after.get()), "/!; /C?; /N?; ");
  EXPECT_EQ(Changes(after.get(), before.get()), "/!; /C?; /N?; ");
}

TEST(SpecDiffTest, StopsWhenToldOrWhenTheRequestIsOver) {
  const auto layer = Scene().Build({});
  RequestContext context;
  Pacer pacer(context);
  int calls = 0;
  EXPECT_FALSE(VisitSpecChanges(pacer, nullptr, layer.get(), [&](const SpecChange&) {
    ++calls;
    return false;
  }));
  EXPECT_EQ(calls, 1);
  context.Cancel();
  LayerBuilder builder;
  for (int i = 0; i < 2000; ++i) builder.EnsurePrim(P("/p" + std::to_string(i)));
  const auto large = std::move(builder).Build({});
  EXPECT_FALSE(
      VisitSpecChanges(pacer, nullptr, large.get(), [](const SpecChange&) { return true; }));
}

}  // namespace
}  // namespace stagedoor

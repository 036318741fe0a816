#include "scene/clips/layer_stitching.h"

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "scene/layer/fields.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

using Tokens = ListOp<Token>;

Token Name(int i) { return Token("s" + std::to_string(i)); }

// A layer with a prim /A of this field.
std::shared_ptr<const Layer> LayerWith(Token field, Value value) {
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(*Path::Parse("/A")), field, std::move(value));
  return std::move(builder).Build({});
}

// What /A has once `weak` is stitched to `strong`.
Value Stitched(RequestContext& context, Token field, Value strong, Value weak) {
  LayerBuilder builder(*LayerWith(field, std::move(strong)));
  StitchLayer(context, *LayerWith(field, std::move(weak)), {}, &builder);
  const Value* merged = builder.Get(builder.Find(*Path::Parse("/A")), field);
  return merged ? *merged : Value();
}

TEST(LayerStitchingTest, TheStrongerListEditCountsWhereBothSpeak) {
  RequestContext context;
  Tokens strong, weak;
  strong.prepended = {Name(1), Name(2)};
  strong.deleted = {Name(3)};
  weak.prepended = {Name(2), Name(3), Name(4)};
  weak.added = {Name(5), Name(1), Name(5)};
  weak.appended = {Name(6)};
  const Value merged = Stitched(context, Fields().apiSchemas, Value(strong), Value(weak));
  ASSERT_NE(merged.Get<Tokens>(), nullptr);
  Tokens expected;
  expected.prepended = {Name(1), Name(2), Name(4)};
  expected.appended = {Name(6), Name(5)};
  expected.deleted = {Name(3)};
  EXPECT_EQ(*merged.Get<Tokens>(), expected);
}

TEST(LayerStitchingTest, SelectionsOfTheStrongerLayerStay) {
  RequestContext context;
  const Value merged =
      Stitched(context, Fields().variantSelection, Value(VariantSelections{{"b", "x"}}),
               Value(VariantSelections{{"a", "1"}, {"b", "y"}}));
  ASSERT_NE(merged.Get<VariantSelections>(), nullptr);
  EXPECT_EQ(*merged.Get<VariantSelections>(), (VariantSelections{{"a", "1"}, {"b", "x"}}));
}

TEST(LayerStitchingTest, LongListsAreWorkOfTheRequest) {
  constexpr int kItems = 20000;
  Tokens strong, weak;
  for (int i = 0; i < kItems; ++i) {
    strong.prepended.push_back(Name(i));
    weak.added.push_back(Name(i + kItems / 2));
  }
  RequestContext context;
  const Value merged = Stitched(context, Fields().apiSchemas, Value(strong), Value(weak));
  ASSERT_NE(merged.Get<Tokens>(), nullptr);
  EXPECT_EQ(merged.Get<Tokens>()->appended.size(), size_t{kItems / 2});
  EXPECT_GE(context.steps(), 2u * kItems);
  EXPECT_LT(context.steps(), 4u * kItems);

  RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = kItems});
  Stitched(few, Fields().apiSchemas, Value(strong), Value(weak));
  EXPECT_TRUE(few.failed());
}

}  // namespace
}  // namespace stagedoor

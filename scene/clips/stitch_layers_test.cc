#include "scene/clips/stitch_layers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

using Tokens = ListOp<Token>;

Token Name(int i) { return Token("s" + std::to_string(i)); }

// A layer with a prim /A that has this field.
std::shared_ptr<const Layer> LayerWith(Token field, Value value) {
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(*Path::Parse("/A")), field, std::move(value));
  return std::move(builder).Build({});
}

// The value of the field of /A after `weak` is stitched to `strong`.
Value Stitched(RequestContext& context, Token field, Value strong, Value weak) {
  LayerBuilder builder(*LayerWith(field, std::move(strong)));
  StitchLayers(context, *LayerWith(field, std::move(weak)), {}, &builder);
  const Value* merged = builder.Get(builder.Find(*Path::Parse("/A")), field);
  return merged ? *merged : Value();
}

TEST(StitchLayersTest, StrongerListOpsWinWhereBothEdit) {
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

TEST(StitchLayersTest, StrongerVariantSelectionsStay) {
  RequestContext context;
  const Value merged =
      Stitched(context, Fields().variantSelection, Value(VariantSelections{{"b", "x"}}),
               Value(VariantSelections{{"a", "1"}, {"b", "y"}}));
  ASSERT_NE(merged.Get<VariantSelections>(), nullptr);
  EXPECT_EQ(*merged.Get<VariantSelections>(), (VariantSelections{{"a", "1"}, {"b", "x"}}));
}

template <typename T>
void ExpectListsMerge(const T& a, const T& b) {
  RequestContext context;
  ListOp<T> strong, weak, both;
  strong.prepended = {a};
  weak.prepended = {b};
  both.prepended = {a, b};
  EXPECT_EQ(Stitched(context, Fields().apiSchemas, Value(strong), Value(weak)), Value(both))
      << static_cast<int>(Value(both).type());
}

TEST(StitchLayersTest, ListOpsOfAllTypesMerge) {
  ExpectListsMerge(Name(1), Name(2));
  ExpectListsMerge<std::string>("a", "b");
  ExpectListsMerge(*Path::Parse("/A"), *Path::Parse("/B"));
  ExpectListsMerge(Reference{.asset = "a"}, Reference{.asset = "b"});
  ExpectListsMerge(Payload{.asset = "a"}, Payload{.asset = "b"});
  ExpectListsMerge<int32_t>(1, -2);
  ExpectListsMerge<uint32_t>(1, 2);
  ExpectListsMerge<int64_t>(1, -2);
  ExpectListsMerge<uint64_t>(1, 2);
}

// A value of each kind that merges with others of its kind.
std::vector<std::pair<Token, Value>> Mergeables() {
  Dictionary dictionary;
  dictionary.Set("a", Value(1.0));
  Tokens tokens;
  tokens.prepended = {Name(1)};
  ListOp<std::string> strings;
  strings.prepended = {"a"};
  return {{Fields().customData, Value(dictionary)},
          {Fields().apiSchemas, Value(tokens)},
          {Fields().variantSetNames, Value(strings)},
          {Fields().variantSelection, Value(VariantSelections{{"a", "x"}})},
          {Fields().timeSamples, Value::FromSamples(MakeTimeSamples({{1, Value(2.0)}}))},
          {Fields().startTimeCode, Value(3.0)}};
}

TEST(StitchLayersTest, ValuesOfDifferentTypesDoNotMerge) {
  RequestContext context;
  const auto values = Mergeables();
  for (const auto& [field, strong] : values) {
    for (const auto& [other, weak] : values) {
      if (field == other) continue;
      EXPECT_EQ(Stitched(context, field, strong, weak), strong)
          << field.str() << " " << other.str();
    }
    EXPECT_EQ(Stitched(context, field, strong, Value(Name(1))), strong) << field.str();
    EXPECT_EQ(Stitched(context, field, Value(Name(1)), strong), Value(Name(1))) << field.str();
  }
}

TEST(StitchLayersTest, UnregisteredFieldsDoNotMerge) {
  RequestContext context;
  Dictionary strong, weak;
  strong.Set("a", Value(1.0));
  weak.Set("b", Value(2.0));
  EXPECT_EQ(Stitched(context, Token("unheardOf"), Value(strong), Value(weak)), Value(strong));
  EXPECT_EQ(Stitched(context, Token("unheardOf"), Value(), Value(weak)), Value(weak));
}

// Values of two layers for one field, each with at least `count` entries.
std::vector<std::pair<Value, Value>> ManyEntries(int count) {
  std::vector<std::pair<Value, Value>> pairs(3);
  for (Value* value : {&pairs[0].first, &pairs[0].second}) {
    Dictionary dictionary;
    for (int i = 0; i < count; ++i)
      dictionary.Set(std::to_string(i), Value(i + (value != &pairs[0].first)));
    dictionary.Set(value == &pairs[0].first ? "strong" : "weak", Value(1));
    *value = Value(dictionary);
  }
  for (Value* value : {&pairs[1].first, &pairs[1].second}) {
    VariantSelections selections;
    for (int i = 0; i < count; ++i) selections.emplace_back(Name(i).str(), "x");
    selections.emplace_back(value == &pairs[1].first ? "strong" : "weak", "x");
    *value = Value(selections);
  }
  for (Value* value : {&pairs[2].first, &pairs[2].second}) {
    std::vector<std::pair<double, Value>> samples;
    for (int i = 0; i < count; ++i)
      samples.emplace_back(i + (value == &pairs[2].first ? 0 : 0.5), Value(i));
    *value = Value::FromSamples(MakeTimeSamples(std::move(samples)));
  }
  return pairs;
}

TEST(StitchLayersTest, StrongerValuesStayWhenARequestEnds) {
  for (const auto& [strong, weak] : ManyEntries(1000)) {
    RequestContext enough;
    EXPECT_NE(Stitched(enough, Fields().customData, strong, weak), strong);
    RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = 1000});
    EXPECT_EQ(Stitched(few, Fields().customData, strong, weak), strong);
    EXPECT_TRUE(few.failed());
  }
}

TEST(StitchLayersTest, LongListsAreChargedToTheRequest) {
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

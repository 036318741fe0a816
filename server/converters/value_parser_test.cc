#include "server/converters/value_parser.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

v1::Value ToMessage(const Value& value) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  v1::Value message;
  FillValue(value, budget, &message);
  EXPECT_TRUE(budget.ok());
  return message;
}

Path P(std::string_view text) { return *Path::Parse(text); }

v1::ErrorReason ReasonFor(const v1::Value& message) {
  RequestContext context;
  const auto value = ParseValue(context, message);
  EXPECT_FALSE(value.ok()) << message.ShortDebugString();
  return GetReason(value.status());
}

TEST(ValueParserTest, IsTheInverseOfTheConverter) {
  const Dictionary dictionary = Dictionary::FromEntries(
      {{"a", Value(1)}, {"b", Value(Dictionary::FromEntries({{"c", Value(2.0)}}))}});
  ListOp<Path> paths;
  paths.prepended = {P("/A"), P("/B.x")};
  paths.deleted = {P("/C")};
  Spline spline;
  spline.knots.push_back({.time = 1, .value = 2, .next = KnotInterpolation::kCurve});
  spline.knots.push_back({.time = 2,
                          .value = 3,
                          .pre_value = 1,
                          .dual_valued = true,
                          .pre_tangent_width = 0.5,
                          .pre_tangent_slope = -1,
                          .pre_tangent_algorithm = TangentAlgorithm::kAutoEase});
  spline.pre = {.mode = ExtrapolationMode::kSloped, .slope = 2};
  spline.loop = SplineLoopParams{.proto_start = 1, .proto_end = 2, .post_loops = 3};
  const std::vector<Value> values = {
      Value(),
      Value(ValueBlock()),
      Value(AnimationBlock()),
      Value(true),
      Value(uint8_t{200}),
      Value(-5),
      Value(4000000000u),
      Value(std::numeric_limits<int64_t>::min()),
      Value(~uint64_t{0}),
      Value(Half(0.5f)),
      Value(0.1f),
      Value(0.1),
      Value(TimeCodeValue{3}),
      Value(Duration{4}),
      Value(std::string("text")),
      Value(Token("name")),
      Value(AssetPath{.authored = "a.usda"}),
      Value(PathExpressionValue{"/A//B"}),
      Value(P("/A/B.x")),
      Value(Vec3f{1, 2, 3}),
      Value(Vec2i{1, 2}),
      Value(Quatd{{1, 2, 3}, 4}),
      Value(Matrix4d::Identity()),
      Value(Array<Vec3f>{{1, 2, 3}, {4, 5, 6}}),
      Value(Array<bool>{true, false}),
      Value(Array<double>()),
      Value(Array<TimeCodeValue>{{1}, {2}}),
      Value(Array<std::string>{"a", ""}),
      Value(Array<Token>{Token("a")}),
      Value(Array<AssetPath>{{.authored = "a"}}),
      Value(Array<PathExpressionValue>{{"/A"}}),
      Value(std::vector<Path>{P("/A")}),
      Value(std::vector<LayerOffset>{{1, 2}}),
      Value(dictionary),
      Value(paths),
      Value(ListOp<Token>::Explicit({Token("a"), Token("b")})),
      Value(ListOp<std::string>::Prepended({"a"})),
      Value(ListOp<int64_t>::Explicit({1})),
      Value(ListOp<Reference>::Prepended(
          {{.asset = "a.usda", .prim_path = P("/A"), .offset = {1, 2}, .custom_data = dictionary},
           {}})),
      Value(ListOp<Payload>::Explicit({{.asset = "a.usda"}})),
      Value(Relocates{{P("/A/B"), P("/A/C")}, {P("/A/D"), Path()}}),
      Value(Specifier::kClass),
      Value(Variability::kUniform),
      Value(Permission::kPrivate),
      Value(spline),
  };
  for (const Value& value : values) {
    RequestContext context;
    const v1::Value message = ToMessage(value);
    const auto parsed = ParseValue(context, message);
    ASSERT_TRUE(parsed.ok()) << message.ShortDebugString() << ": " << parsed.status();
    EXPECT_EQ(*parsed, value) << message.ShortDebugString();
  }
}

TEST(ValueParserTest, PackedBytesMustBeThoseOfTheElements) {
  const v1::Value good = ToMessage(Value(Array<Vec3f>{{1, 2, 3}, {4, 5, 6}}));
  const auto reason = [&](const auto& change) {
    v1::Value bad = good;
    change(bad.mutable_array_value());
    return ReasonFor(bad);
  };
  using Packed = v1::PackedValues;
  EXPECT_EQ(reason([](Packed* p) { p->set_count(3); }), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(reason([](Packed* p) { p->set_count(~uint64_t{0}); }), v1::ERROR_REASON_INVALID_FIELD);
  // count × bytes of an element overflows to the size of the data.
  EXPECT_EQ(reason([](Packed* p) {
              p->set_shape(v1::ELEMENT_SHAPE_MATRIX);
              p->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
              p->set_rows(4);
              p->set_columns(4);
              p->set_count(uint64_t{1} << 57);
              p->clear_data();
            }),
            v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(reason([](Packed* p) { p->mutable_data()->pop_back(); }),
            v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(reason([](Packed* p) { p->set_unchanged(true); }), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(reason([](Packed* p) { p->mutable_streamed(); }), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(reason([](Packed* p) { p->set_columns(5); }), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reason([](Packed* p) { p->set_rows(2); }), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reason([](Packed* p) { p->set_shape(v1::ELEMENT_SHAPE_RANGE); }),
            v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(reason([](Packed* p) { p->set_component_type(v1::COMPONENT_TYPE_UNSPECIFIED); }),
            v1::ERROR_REASON_WRONG_KIND);
  v1::Value two = good;
  *two.mutable_tuple_value() = good.array_value();
  EXPECT_EQ(ReasonFor(two), v1::ERROR_REASON_INVALID_FIELD) << "a tuple is one element";
}

TEST(ValueParserTest, BooleansAreZeroOrOne) {
  v1::Value message = ToMessage(Value(Array<bool>{true, false}));
  (*message.mutable_array_value()->mutable_data())[0] = '\x7f';
  RequestContext context;
  const auto value = ParseValue(context, message);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, Value(Array<bool>{true, false}));
}

TEST(ValueParserTest, ArraysAreReserved) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 100});
  const auto value = ParseValue(
      context, ToMessage(Value(Array<Vec3f>(Array<Vec3f>::FromVector(std::vector<Vec3f>(9))))));
  EXPECT_EQ(value.status().code(), absl::StatusCode::kResourceExhausted);
  RequestContext other(RequestContext::Clock::time_point::max(), {.max_bytes = 100});
  const auto texts = ParseValue(
      other, ToMessage(Value(Array<std::string>::FromVector(std::vector<std::string>(9)))));
  EXPECT_EQ(texts.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ValueParserTest, MalformedTextsAreRefused) {
  v1::Value value;
  value.set_path_value("/A//B");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_PATH);
  value.mutable_asset_path_value()->set_authored("a\nb");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
  value.set_path_expression_value("((");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
  value.mutable_reference()->set_prim_path("A");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_PATH);
  value.mutable_reference()->set_prim_path("/A{v=x}");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_PATH);
  value.mutable_layer_offset()->set_scale(std::numeric_limits<double>::infinity());
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
  value.set_uchar_value(256);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
}

TEST(ValueParserTest, WhatClientsCannotAuthorIsRefused) {
  v1::Value value;
  value.set_invalid_value("x");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.mutable_unregistered_value()->set_int_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.mutable_time_samples();
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.set_array_edit("[]");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.mutable_value_array()->add_values()->set_int_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.set_specifier(v1::SPECIFIER_UNSPECIFIED);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
}

TEST(ValueParserTest, DictionariesHoldValuesWithKeys) {
  v1::Value value;
  v1::Dictionary::Entry* entry = value.mutable_dictionary_value()->add_entries();
  entry->mutable_value()->set_int_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD) << "no key";
  entry->set_key("a");
  entry->mutable_value()->Clear();
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND) << "no value";
  entry->mutable_value()->set_path_value("/A");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND) << "not a type of attributes";
}

TEST(ValueParserTest, NestingIsBounded) {
  const auto nested = [](int levels) {
    v1::Value value;
    v1::Value* inner = &value;
    for (int i = 0; i < levels; ++i) {
      v1::Dictionary::Entry* entry = inner->mutable_dictionary_value()->add_entries();
      entry->set_key("k");
      inner = entry->mutable_value();
    }
    inner->set_int_value(1);
    return value;
  };
  RequestContext context;
  EXPECT_TRUE(ParseValue(context, nested(28)).ok());
  EXPECT_EQ(ReasonFor(nested(29)), v1::ERROR_REASON_INVALID_FIELD);
}

TEST(ValueParserTest, ListEditsHaveItemsOfOneType) {
  v1::Value value;
  value.mutable_list_op()->add_prepended_items()->set_int_value(1);
  value.mutable_list_op()->add_deleted_items()->set_token_value("a");
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.mutable_list_op()->Clear();
  value.mutable_list_op()->add_prepended_items()->set_double_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_WRONG_KIND);
  value.mutable_list_op()->Clear();
  value.mutable_list_op()->set_is_explicit(true);
  value.mutable_list_op()->add_prepended_items()->set_int_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
  value.mutable_list_op()->Clear();
  value.mutable_list_op()->add_explicit_items()->set_int_value(1);
  EXPECT_EQ(ReasonFor(value), v1::ERROR_REASON_INVALID_FIELD);
  RequestContext context;
  v1::ListOp targets;
  targets.add_prepended_items()->set_token_value("/A");
  EXPECT_EQ(GetReason(ParsePathListOp(context, targets).status()), v1::ERROR_REASON_INVALID_PATH);
}

TEST(ValueParserTest, SplinesMustBeSound) {
  Spline good;
  good.knots = {{.time = 1}, {.time = 2}};
  const auto reason = [&](const auto& change) {
    v1::Value message = ToMessage(Value(good));
    change(message.mutable_spline());
    return ReasonFor(message);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Message = v1::Spline;
  for (const v1::ErrorReason found :
       {reason([](Message* s) { s->mutable_knots(1)->set_time(1); }),
        reason([&](Message* s) { s->mutable_knots(1)->set_value(nan); }),
        reason([](Message* s) { s->mutable_knots(0)->mutable_pre_tangent()->set_width(-1); }),
        reason([](Message* s) { s->set_value_type("int"); }),
        reason([](Message* s) { s->mutable_inner_loop(); }),
        reason([&](Message* s) { s->mutable_pre_extrapolation()->set_slope(nan); })}) {
    EXPECT_EQ(found, v1::ERROR_REASON_INVALID_FIELD);
  }
}

}  // namespace
}  // namespace stagedoor::server

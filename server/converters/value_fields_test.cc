// Tests of the conversion of field values to messages, and of the bytes charged for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/vec.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/testing/packed_values.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

Strings ListOf(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

v1::Value ToMessage(const Value& value, size_t* charged = nullptr) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  v1::Value message;
  FillValue(value, budget, &message);
  EXPECT_TRUE(budget.ok()) << budget.status();
  if (charged != nullptr) *charged = budget.message_bytes();
  v1::Value arrived;
  EXPECT_TRUE(arrived.ParseFromString(message.SerializeAsString())) << message.ByteSizeLong();
  return arrived;
}

Path P(const char* text) { return *Path::Parse(text); }

// 1.0 within `levels` nested dictionaries.
Dictionary Nested(int levels) {
  Dictionary dictionary;
  dictionary.Set("d", Value(1.0));
  for (int i = 1; i < levels; ++i) {
    Dictionary outer;
    outer.Set("d", Value(std::move(dictionary)));
    dictionary = std::move(outer);
  }
  return dictionary;
}

bool IsCut(const Value& value) {
  return ToMessage(value).DebugString().find("nested too deeply") != std::string::npos;
}

TEST(ValueFieldsTest, ValuesNestedTooDeeplyAreTruncated) {
  EXPECT_FALSE(IsCut(Value(Nested(28))));
  EXPECT_TRUE(IsCut(Value(Nested(29))));
  EXPECT_FALSE(IsCut(Value(UnregisteredValue{Value(Nested(27))})));
  EXPECT_TRUE(IsCut(Value(UnregisteredValue{Value(Nested(28))})));
  EXPECT_FALSE(IsCut(Value::FromSamples(MakeTimeSamples({{1.0, Value(Nested(27))}}))));
  EXPECT_TRUE(IsCut(Value::FromSamples(MakeTimeSamples({{1.0, Value(Nested(28))}}))));
  Reference reference{"a", P("/P"), {}, Nested(28)};
  EXPECT_FALSE(IsCut(Value(reference)));
  EXPECT_TRUE(IsCut(Value(ListOp<Reference>::Explicit({reference}))));
  reference.custom_data = Nested(27);
  EXPECT_FALSE(IsCut(Value(ListOp<Reference>::Explicit({reference}))));
}

TEST(ValueFieldsTest, ListsOfAListOpAreKeptApart) {
  ListOp<int32_t> op;
  op.prepended = {1, 2};
  op.appended = {3};
  op.deleted = {4};
  op.added = {5};
  op.ordered = {6, 7};
  const v1::ListOp list = ToMessage(Value(op)).list_op();
  EXPECT_FALSE(list.is_explicit());
  EXPECT_EQ(list.explicit_items_size(), 0);
  ASSERT_EQ(list.prepended_items_size(), 2);
  EXPECT_EQ(list.prepended_items(1).int_value(), 2);
  ASSERT_EQ(list.appended_items_size(), 1);
  EXPECT_EQ(list.appended_items(0).int_value(), 3);
  ASSERT_EQ(list.deleted_items_size(), 1);
  EXPECT_EQ(list.deleted_items(0).int_value(), 4);
  ASSERT_EQ(list.added_items_size(), 1);
  EXPECT_EQ(list.added_items(0).int_value(), 5);
  ASSERT_EQ(list.ordered_items_size(), 2);
  EXPECT_EQ(list.ordered_items(1).int_value(), 7);
  const v1::ListOp whole = ToMessage(Value(ListOp<int32_t>::Explicit({8, 9}))).list_op();
  EXPECT_TRUE(whole.is_explicit());
  ASSERT_EQ(whole.explicit_items_size(), 2);
  EXPECT_EQ(whole.explicit_items(1).int_value(), 9);
}

TEST(ValueFieldsTest, ArcsOmitDefaults) {
  Dictionary data;
  data.Set("k", Value(true));
  const v1::Reference reference =
      ToMessage(Value(Reference{"a", P("/P"), LayerOffset{10, 2}, data})).reference();
  EXPECT_EQ(reference.prim_path(), "/P");
  EXPECT_EQ(reference.layer_offset().offset(), 10);
  ASSERT_EQ(reference.custom_data().entries_size(), 1);
  EXPECT_TRUE(reference.custom_data().entries(0).value().bool_value());
  const v1::Reference plain = ToMessage(Value(Reference{"a", Path(), {}, {}})).reference();
  EXPECT_FALSE(plain.has_layer_offset());
  EXPECT_FALSE(plain.has_custom_data());
  EXPECT_EQ(plain.prim_path(), "");
  const v1::Payload payload = ToMessage(Value(Payload{"b", P("/Q"), LayerOffset{1, 3}})).payload();
  EXPECT_EQ(payload.asset_path(), "b");
  EXPECT_EQ(payload.prim_path(), "/Q");
  EXPECT_EQ(payload.layer_offset().offset(), 1);
  EXPECT_EQ(payload.layer_offset().scale(), 3);
  EXPECT_FALSE(ToMessage(Value(Payload{"b", P("/Q"), {}})).payload().has_layer_offset());
  const v1::Value offset = ToMessage(Value(LayerOffset{4, 0.5}));
  EXPECT_EQ(offset.layer_offset().offset(), 4);
  EXPECT_EQ(offset.layer_offset().scale(), 0.5);
}

TEST(ValueFieldsTest, AssetPathsHaveTheirKnownParts) {
  const v1::AssetPath all = ToMessage(Value(AssetPath{"a", "b", "c"})).asset_path_value();
  EXPECT_EQ(all.authored(), "a");
  EXPECT_EQ(all.evaluated(), "b");
  EXPECT_EQ(all.resolved(), "c");
  const v1::AssetPath authored = ToMessage(Value(AssetPath{"a", "", ""})).asset_path_value();
  EXPECT_EQ(authored.evaluated(), "");
  EXPECT_EQ(authored.resolved(), "");
  const v1::Value array =
      ToMessage(Value(Array<AssetPath>{AssetPath{"a", "", ""}, AssetPath{"", "", "r"}}));
  ASSERT_EQ(array.asset_path_array().values_size(), 2);
  EXPECT_EQ(array.asset_path_array().values(0).authored(), "a");
  EXPECT_EQ(array.asset_path_array().values(1).resolved(), "r");
}

TEST(ValueFieldsTest, ListsOfTextKeepTheirKind) {
  EXPECT_EQ(ListOf(ToMessage(Value(Array<std::string>{"a", "b"})).string_array().values()),
            (Strings{"a", "b"}));
  EXPECT_EQ(ListOf(ToMessage(Value(Array<Token>{Token("a")})).token_array().values()),
            Strings{"a"});
  EXPECT_EQ(ListOf(ToMessage(Value(Array<PathExpressionValue>{PathExpressionValue{"//"}}))
                       .path_expression_array()
                       .values()),
            Strings{"//"});
  EXPECT_EQ(
      ListOf(ToMessage(Value(std::vector<Token>{Token("t"), Token("u")})).token_array().values()),
      (Strings{"t", "u"}));
  EXPECT_EQ(ListOf(ToMessage(Value(std::vector<std::string>{"s"})).string_array().values()),
            Strings{"s"});
  EXPECT_EQ(ListOf(ToMessage(Value(std::vector<Path>{P("/A"), P("/B.c")})).path_array().values()),
            (Strings{"/A", "/B.c"}));
  const v1::Value doubles = ToMessage(Value(std::vector<double>{1, 2.5}));
  EXPECT_EQ(doubles.array_value().count(), 2u);
  EXPECT_EQ(Unpack<double>(doubles.array_value()), (std::vector<double>{1, 2.5}));
}

TEST(ValueFieldsTest, ConvertsVariantSelectionsRelocatesAndEnums) {
  const v1::Dictionary selections =
      ToMessage(Value(VariantSelections{{"look", "red"}, {"size", "big"}})).dictionary_value();
  ASSERT_EQ(selections.entries_size(), 2);
  EXPECT_EQ(selections.entries(1).key(), "size");
  EXPECT_EQ(selections.entries(1).value().string_value(), "big");
  EXPECT_EQ(ToMessage(Value(UnregisteredValue{Value(std::string("u"))}))
                .unregistered_value()
                .string_value(),
            "u");
  const v1::Relocates relocates = ToMessage(Value(Relocates{{P("/A/B"), P("/A/C")}})).relocates();
  ASSERT_EQ(relocates.relocates_size(), 1);
  EXPECT_EQ(relocates.relocates(0).source(), "/A/B");
  EXPECT_EQ(ToMessage(Value(Specifier::kDef)).specifier(), v1::SPECIFIER_DEF);
  EXPECT_EQ(ToMessage(Value(Permission::kPublic)).permission(), v1::PERMISSION_PUBLIC);
  EXPECT_EQ(ToMessage(Value(Variability::kUniform)).variability(), v1::VARIABILITY_UNIFORM);
}

TEST(ValueFieldsTest, TuplesArePackedContiguously) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  v1::PackedValues packed;
  AppendTuple(Value(Vec2d{{1, 2}}), budget, &packed);
  EXPECT_EQ(budget.message_bytes(), 16u);
  AppendTuple(Value(Vec2d{{3, 4}}), budget, &packed);
  EXPECT_EQ(packed.component_type(), v1::COMPONENT_TYPE_FLOAT64);
  EXPECT_EQ(packed.shape(), v1::ELEMENT_SHAPE_VECTOR);
  EXPECT_EQ(packed.columns(), 2u);
  EXPECT_EQ(packed.count(), 2u);
  EXPECT_EQ(Unpack<double>(packed), (std::vector<double>{1, 2, 3, 4}));

  v1::PackedValues none;
  AppendTuple(Value(1.0), budget, &none);
  AppendTuple(Value(Dictionary()), budget, &none);
  AppendTuple(Value(std::string("12")), budget, &none);
  EXPECT_EQ(none.ByteSizeLong(), 0u);
  ReplyBudget small(context, 15, "ask for less");
  AppendTuple(Value(Vec2d{{1, 2}}), small, &none);
  EXPECT_EQ(none.ByteSizeLong(), 0u) << "did not fit";
}

TEST(ValueFieldsTest, TuplesHaveMoreThanOneComponent) {
  EXPECT_TRUE(IsTuple(Value(Vec2i{{1, 2}})));
  EXPECT_TRUE(IsTuple(Value(Quatf())));
  EXPECT_TRUE(IsTuple(Value(Matrix2d())));
  EXPECT_FALSE(IsTuple(Value(1.0f)));
  EXPECT_FALSE(IsTuple(Value(Token("t"))));
  EXPECT_FALSE(IsTuple(Value(Array<Vec2i>{Vec2i{{1, 2}}})));
  EXPECT_FALSE(IsTuple(Value()));
}

TEST(ValueFieldsTest, PacksMatricesAndVectorHeaders) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  std::vector<Matrix4d> matrices(2);
  matrices[1][3][0] = 7;
  v1::PackedValues packed;
  FillPackedMatrices(matrices, budget, &packed);
  EXPECT_EQ(packed.count(), 2u);
  EXPECT_EQ(packed.rows(), 4u);
  EXPECT_EQ(packed.columns(), 4u);
  EXPECT_EQ(packed.shape(), v1::ELEMENT_SHAPE_MATRIX);
  EXPECT_EQ(Unpack<double>(packed)[16 + 12], 7);
  EXPECT_GE(budget.message_bytes(), 256u + sizeof(v1::PackedValues));
  v1::PackedValues header;
  FillPackedHeader(PackingOf(ValueType::kVec3f), 5, &header);
  EXPECT_EQ(header.count(), 5u);
  EXPECT_EQ(header.columns(), 3u);
  EXPECT_EQ(header.component_type(), v1::COMPONENT_TYPE_FLOAT32);
  EXPECT_EQ(header.shape(), v1::ELEMENT_SHAPE_VECTOR);
}

TEST(ValueFieldsTest, PacksZerosToBeOverwritten) {
  RequestContext context;
  ReplyBudget budget(context, 1000, "ask for less");
  v1::PackedValues packed;
  char* bytes = FillPackedZeros(kRangePacking, 2, budget, &packed);
  ASSERT_NE(bytes, nullptr);
  bytes[95] = 1;
  EXPECT_EQ(packed.shape(), v1::ELEMENT_SHAPE_RANGE);
  EXPECT_EQ(packed.rows(), 2u);
  EXPECT_EQ(packed.columns(), 3u);
  EXPECT_EQ(packed.data(), std::string(95, '\0') + '\1');
  EXPECT_EQ(FillPackedZeros(kRangePacking, 100, budget, &packed), nullptr);
  EXPECT_FALSE(budget.ok());
}

TEST(ValueFieldsTest, PacksBytesThatTheCallerSets) {
  RequestContext context;
  ReplyBudget budget(context, 1000, "ask for less");
  v1::PackedValues packed;
  char* bytes = FillPackedUninitialized(kRangePacking, 2, budget, &packed);
  ASSERT_NE(bytes, nullptr);
  std::fill_n(bytes, 96, '\1');
  EXPECT_EQ(packed.count(), 2u);
  EXPECT_EQ(packed.data(), std::string(96, '\1'));
  EXPECT_EQ(FillPackedUninitialized(kRangePacking, 100, budget, &packed), nullptr);
  EXPECT_FALSE(budget.ok());
}

TEST(ValueFieldsTest, PackedTypesHaveTheirSizeAndShape) {
  const struct {
    Value value;
    v1::ComponentType component;
    uint32_t columns;
    uint32_t rows = 1;
  } kCases[] = {{Value(Array<bool>{true}), v1::COMPONENT_TYPE_BOOL, 1},
                {Value(Array<uint8_t>{1}), v1::COMPONENT_TYPE_UINT8, 1},
                {Value(Array<uint32_t>{1}), v1::COMPONENT_TYPE_UINT32, 1},
                {Value(Array<int64_t>{1}), v1::COMPONENT_TYPE_INT64, 1},
                {Value(Array<uint64_t>{1}), v1::COMPONENT_TYPE_UINT64, 1},
                {Value(Array<Half>{Half(1)}), v1::COMPONENT_TYPE_FLOAT16, 1},
                {Value(Array<float>{1}), v1::COMPONENT_TYPE_FLOAT32, 1},
                {Value(Array<TimeCodeValue>{TimeCodeValue{1}}), v1::COMPONENT_TYPE_TIME_CODE, 1},
                {Value(Array<Duration>{Duration{1}}), v1::COMPONENT_TYPE_DURATION, 1},
                {Value(Array<Quath>{Quath()}), v1::COMPONENT_TYPE_FLOAT16, 4},
                {Value(Array<Matrix3d>{Matrix3d()}), v1::COMPONENT_TYPE_FLOAT64, 3, 3}};
  for (const auto& c : kCases) {
    const v1::Value value = ToMessage(c.value);
    const v1::PackedValues& packed = value.array_value();
    EXPECT_EQ(packed.component_type(), c.component);
    EXPECT_EQ(packed.rows(), c.rows) << c.component;
    EXPECT_EQ(packed.columns(), c.columns) << c.component;
    EXPECT_EQ(packed.count(), 1u) << c.component;
    EXPECT_EQ(packed.data().size(), PackingOf(c.value.type()).bytes) << c.component;
  }
}

// The charge is roughly what the message takes in memory, and never less than its parts.
TEST(ValueFieldsTest, PartsAreCharged) {
  Dictionary dictionary;
  dictionary.Set("key", Value(1.0));
  Spline spline;
  spline.knots.resize(2);
  Spline with_data = spline;
  with_data.knots[0].custom_data = dictionary;
  const size_t entry = sizeof(v1::Dictionary::Entry) + sizeof(v1::Value) + 3;
  const size_t curve = sizeof(v1::Spline) + 2 * sizeof(v1::Spline::Extrapolation) +
                       sizeof(v1::Spline::InnerLoop) +
                       2 * (sizeof(v1::Spline::Knot) + 2 * sizeof(v1::Spline::Tangent));
  const struct {
    const char* what;
    Value value;
    size_t least;
  } kCases[] = {
      {"dictionary", Value(dictionary), entry},
      {"selections", Value(VariantSelections{{"abc", "de"}}), entry + 2},
      {"asset", Value(AssetPath{"abc", "d", "ef"}), sizeof(v1::AssetPath) + 6},
      {"assets", Value(Array<AssetPath>{AssetPath{"abc", "", ""}}),
       2 * sizeof(v1::AssetPath) + sizeof(void*) + 3},
      {"reference", Value(Reference{"abc", P("/P"), {}, {}}), sizeof(v1::Reference) + 5},
      {"payload", Value(Payload{"abc", P("/P"), {}}), sizeof(v1::Payload) + 5},
      {"unregistered", Value(UnregisteredValue{Value(1.0)}), sizeof(v1::Value)},
      {"list", Value(ListOp<int32_t>::Explicit({1, 2})), 2 * sizeof(v1::Value)},
      {"tuple", Value(Vec3f()), sizeof(v1::PackedValues) + 12},
      {"array", Value(Array<float>{1, 2}), sizeof(v1::PackedValues) + 8},
      {"texts", Value(Array<std::string>{"abc", "de"}), 2 * sizeof(std::string) + 5},
      {"samples", Value::FromSamples(MakeTimeSamples({{1.0, Value(1.0)}, {2.0, Value(1.0)}})),
       sizeof(v1::TimeSamples) + sizeof(v1::PackedValues) + 16 + 2 * sizeof(v1::Value)},
      {"spline", Value(spline), curve},
      {"spline with data", Value(with_data), curve + entry},
      {"relocates", Value(Relocates{{P("/A"), P("/B")}}), sizeof(v1::Relocates::Relocate) + 4},
  };
  for (const auto& c : kCases) {
    size_t charged = 0;
    ToMessage(c.value, &charged);
    EXPECT_GE(charged, c.least) << c.what;
    EXPECT_LE(charged, c.least + 32) << c.what << ": little more than the parts";
  }
}

TEST(ValueFieldsTest, StopsWhenTheBudgetIsUsedUp) {
  std::vector<std::string> texts(100, "text");
  std::vector<Path> paths(100, P("/A"));
  Dictionary dictionary;
  VariantSelections selections;
  Relocates relocates;
  std::vector<std::pair<double, Value>> samples;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "name" + std::to_string(i);
    dictionary.Set(name, Value(1.0));
    selections.emplace_back(name, "x");
    relocates.emplace_back(P("/A"), *Path::Parse("/" + name));
    samples.emplace_back(i, Value(1.0));
  }
  Spline spline;
  spline.knots.resize(100);
  const Value values[] = {
      Value(texts),
      Value(paths),
      Value(dictionary),
      Value(selections),
      Value(relocates),
      Value(spline),
      Value::FromSamples(MakeTimeSamples(std::move(samples))),
      Value(Array<AssetPath>::FromVector(std::vector(100, AssetPath{"a", "", ""}))),
      Value(ListOp<Path>::Explicit(paths)),
      Value(Array<double>::FromVector(std::vector(200, 1.0)))};
  for (const Value& value : values) {
    RequestContext context;
    ReplyBudget budget(context, 1100, "ask for less");
    v1::Value message;
    FillValue(value, budget, &message);
    EXPECT_FALSE(budget.ok()) << message.kind_case();
    EXPECT_LT(message.ByteSizeLong(), 1100u) << message.kind_case();
    EXPECT_LT(message.SpaceUsedLong(), 3000u) << message.kind_case();
  }
}

TEST(ValueFieldsTest, ArrayEditsAreWrittenWithoutTheirKeyword) {
  ArrayEdit edit;
  edit.element = ValueType::kInt;
  ArrayEditStep erase;
  erase.kind = ArrayEditStep::Kind::kErase;
  erase.index = 2;
  edit.steps.push_back(erase);
  EXPECT_EQ(ToMessage(Value(edit)).array_edit(), "[erase [2]]");
}

}  // namespace
}  // namespace stagedoor::server

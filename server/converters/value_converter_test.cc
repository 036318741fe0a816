#include "server/converters/value_converter.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/testing/packed_values.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

v1::Value ToMessage(const Value& value) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  v1::Value message;
  FillValue(value, budget, &message);
  EXPECT_TRUE(budget.ok());
  EXPECT_GE(sizeof(v1::Value) + budget.message_bytes(), message.ByteSizeLong());
  // The message must survive a round trip over the wire.
  v1::Value arrived;
  EXPECT_TRUE(arrived.ParseFromString(message.SerializeAsString()));
  return arrived;
}

TEST(ValueConverterTest, DistinguishesNoValueBlocksAndFailures) {
  EXPECT_EQ(ToMessage(Value()).kind_case(), v1::Value::KIND_NOT_SET);
  EXPECT_TRUE(ToMessage(Value(ValueBlock())).has_block());
  EXPECT_TRUE(ToMessage(Value(AnimationBlock())).has_animation_block());
  EXPECT_EQ(ToMessage(Value::Invalid("file: bad")).invalid_value(), "file: bad");
}

TEST(ValueConverterTest, ScalarsKeepTheirTypes) {
  EXPECT_TRUE(ToMessage(Value(true)).bool_value());
  EXPECT_EQ(ToMessage(Value(uint8_t{200})).uchar_value(), 200u);
  EXPECT_EQ(ToMessage(Value(int32_t{-5})).int_value(), -5);
  EXPECT_EQ(ToMessage(Value(uint32_t{4000000000})).uint_value(), 4000000000u);
  EXPECT_EQ(ToMessage(Value(int64_t{-1} << 60)).int64_value(), int64_t{-1} << 60);
  EXPECT_EQ(ToMessage(Value(~uint64_t{0})).uint64_value(), ~uint64_t{0});
  EXPECT_EQ(ToMessage(Value(Half(0.5f))).half_value(), 0.5f);
  EXPECT_EQ(ToMessage(Value(0.1f)).float_value(), 0.1f);
  EXPECT_EQ(ToMessage(Value(0.1)).double_value(), 0.1);
  EXPECT_EQ(ToMessage(Value(TimeCodeValue{3})).time_code_value(), 3);
  EXPECT_EQ(ToMessage(Value(Duration{4})).duration_value(), 4);
  EXPECT_EQ(ToMessage(Value(std::string("a"))).string_value(), "a");
  EXPECT_EQ(ToMessage(Value(Token("b"))).token_value(), "b");
  EXPECT_EQ(ToMessage(Value(PathExpressionValue{"//x"})).path_expression_value(), "//x");
  EXPECT_EQ(ToMessage(Value(*Path::Parse("/A.b"))).path_value(), "/A.b");
}

TEST(ValueConverterTest, TuplesArePacked) {
  const v1::Value vector = ToMessage(Value(Vec3f{{1, 2, 3}}));
  EXPECT_EQ(vector.tuple_value().shape(), v1::ELEMENT_SHAPE_VECTOR);
  EXPECT_EQ(vector.tuple_value().rows(), 1u);
  EXPECT_EQ(vector.tuple_value().columns(), 3u);
  EXPECT_EQ(Unpack<float>(vector.tuple_value()), (std::vector<float>{1, 2, 3}));

  const v1::Value quaternion = ToMessage(Value(Quatd{{{1, 2, 3}}, 4}));
  EXPECT_EQ(quaternion.tuple_value().shape(), v1::ELEMENT_SHAPE_QUATERNION);
  EXPECT_EQ(Unpack<double>(quaternion.tuple_value()), (std::vector<double>{1, 2, 3, 4}));

  Matrix2d matrix;
  matrix[0][1] = 5;
  const v1::Value square = ToMessage(Value(matrix));
  EXPECT_EQ(square.tuple_value().shape(), v1::ELEMENT_SHAPE_MATRIX);
  EXPECT_EQ(Unpack<double>(square.tuple_value()), (std::vector<double>{0, 5, 0, 0}));
}

TEST(ValueConverterTest, ArraysArePacked) {
  const v1::Value points = ToMessage(Value(Array<Vec3f>{Vec3f{{1, 2, 3}}, Vec3f{{4, 5, 6}}}));
  EXPECT_EQ(points.array_value().count(), 2u);
  EXPECT_EQ(points.array_value().component_type(), v1::COMPONENT_TYPE_FLOAT32);
  EXPECT_EQ(Unpack<float>(points.array_value()), (std::vector<float>{1, 2, 3, 4, 5, 6}));

  const v1::Value empty = ToMessage(Value(Array<double>()));
  ASSERT_TRUE(empty.has_array_value());
  EXPECT_EQ(empty.array_value().count(), 0u);

  const v1::Value tokens = ToMessage(Value(Array<Token>{Token("x"), Token("y")}));
  EXPECT_EQ(tokens.token_array().values_size(), 2);
  const v1::Value no_strings = ToMessage(Value(Array<std::string>()));
  EXPECT_TRUE(no_strings.has_string_array());
}

TEST(ValueConverterTest, PackedHeadersDescribeWithoutBytes) {
  v1::PackedValues header;
  FillPackedHeader(PackingOf(ValueType::kInt), 3, &header);
  EXPECT_EQ(header.count(), 3u);
  EXPECT_EQ(header.payload_case(), v1::PackedValues::PAYLOAD_NOT_SET);
  EXPECT_TRUE(IsPackedArray(Value(Array<int32_t>{1, 2, 3})));
  EXPECT_FALSE(IsPackedArray(Value(Array<Token>{Token("x")})));
  EXPECT_FALSE(IsPackedArray(Value(1.0)));
  EXPECT_EQ(PackingOf(ValueType::kVec3f).bytes, 12u);
  EXPECT_EQ(PackingOf(ValueType::kString).bytes, 0u);
}

TEST(ValueConverterTest, ConvertsCompositeFields) {
  ListOp<Token> op = ListOp<Token>::Prepended({Token("a")});
  op.deleted = {Token("b")};
  const v1::Value list = ToMessage(Value(op));
  EXPECT_FALSE(list.list_op().is_explicit());
  EXPECT_EQ(list.list_op().prepended_items(0).token_value(), "a");
  EXPECT_EQ(list.list_op().deleted_items(0).token_value(), "b");

  const v1::Value none = ToMessage(Value(ListOp<Path>::Explicit({})));
  EXPECT_TRUE(none.list_op().is_explicit());

  const Reference reference{"a.usda", *Path::Parse("/P"), LayerOffset{10, 2}, Dictionary()};
  const v1::Value arc = ToMessage(Value(reference));
  EXPECT_EQ(arc.reference().asset_path(), "a.usda");
  EXPECT_EQ(arc.reference().layer_offset().scale(), 2);

  EXPECT_EQ(ToMessage(Value(Specifier::kClass)).specifier(), v1::SPECIFIER_CLASS);
  EXPECT_EQ(ToMessage(Value(Permission::kPrivate)).permission(), v1::PERMISSION_PRIVATE);
  EXPECT_EQ(ToMessage(Value(Variability::kVarying)).variability(), v1::VARIABILITY_VARYING);
  const v1::Value relocates = ToMessage(
      Value(Relocates{{*Path::Parse("/A/B"), *Path::Parse("/A/C")}, {*Path::Parse("/D"), Path()}}));
  EXPECT_EQ(relocates.relocates().relocates(0).target(), "/A/C");
  EXPECT_EQ(relocates.relocates().relocates(1).target(), "");
  const v1::Value offsets = ToMessage(Value(std::vector<LayerOffset>{LayerOffset{1, 1}}));
  EXPECT_EQ(offsets.value_array().values(0).layer_offset().offset(), 1);
}

TEST(ValueConverterTest, ConvertsTimeSamplesAndSplines) {
  const v1::Value samples = ToMessage(
      Value::FromSamples(MakeTimeSamples({{2.0, Value(ValueBlock())}, {1.0, Value(5.0)}})));
  EXPECT_EQ(Unpack<double>(samples.time_samples().times()), (std::vector<double>{1, 2}));
  ASSERT_EQ(samples.time_samples().values_size(), 2);
  EXPECT_EQ(samples.time_samples().values(0).double_value(), 5);
  EXPECT_TRUE(samples.time_samples().values(1).has_block());

  Spline spline;
  spline.curve_type = CurveType::kHermite;
  spline.post.mode = ExtrapolationMode::kSloped;
  spline.post.slope = 3;
  SplineKnot knot;
  knot.time = 1;
  knot.value = 2;
  knot.dual_valued = true;
  knot.pre_value = 0;
  knot.next = KnotInterpolation::kCurve;
  knot.post_tangent_algorithm = TangentAlgorithm::kAutoEase;
  spline.knots.push_back(knot);
  const v1::Value curve = ToMessage(Value(spline));
  EXPECT_EQ(curve.spline().curve_type(), v1::Spline::CURVE_TYPE_HERMITE);
  EXPECT_EQ(curve.spline().post_extrapolation().slope(), 3);
  EXPECT_TRUE(curve.spline().knots(0).has_pre_value());
  EXPECT_EQ(curve.spline().knots(0).next(), v1::Spline::SEGMENT_CURVE);
  EXPECT_EQ(curve.spline().knots(0).post_tangent().algorithm(),
            v1::Spline::TANGENT_ALGORITHM_AUTO_EASE);
}

TEST(ValueConverterTest, SplinesKeepLoopsTangentsAndKnotData) {
  Spline spline;
  spline.value_type = ValueType::kDouble;
  spline.time_valued = true;
  spline.pre.mode = ExtrapolationMode::kHeld;
  spline.pre.slope = 9;
  spline.loop = SplineLoopParams{
      .proto_start = 1, .proto_end = 2, .pre_loops = 3, .post_loops = 4, .value_offset = 5};
  SplineKnot knot;
  knot.pre_tangent_width = 0.5;
  knot.pre_tangent_slope = 0.25;
  knot.post_tangent_width = 1.5;
  knot.post_tangent_slope = 1.25;
  knot.custom_data.Set("by", Value(std::string("us")));
  spline.knots.push_back(knot);
  const v1::Spline curve = ToMessage(Value(spline)).spline();
  EXPECT_EQ(curve.curve_type(), v1::Spline::CURVE_TYPE_BEZIER);
  EXPECT_EQ(curve.value_type(), "timecode");
  EXPECT_TRUE(curve.time_valued());
  EXPECT_EQ(curve.pre_extrapolation().mode(), v1::Spline::EXTRAPOLATION_MODE_HELD);
  EXPECT_EQ(curve.pre_extrapolation().slope(), 0) << "only sloped extrapolation has a slope";
  EXPECT_EQ(curve.inner_loop().proto_start(), 1);
  EXPECT_EQ(curve.inner_loop().proto_end(), 2);
  EXPECT_EQ(curve.inner_loop().num_pre_loops(), 3);
  EXPECT_EQ(curve.inner_loop().num_post_loops(), 4);
  EXPECT_EQ(curve.inner_loop().value_offset(), 5);
  ASSERT_EQ(curve.knots_size(), 1);
  EXPECT_FALSE(curve.knots(0).has_pre_value());
  EXPECT_EQ(curve.knots(0).pre_tangent().width(), 0.5);
  EXPECT_EQ(curve.knots(0).pre_tangent().slope(), 0.25);
  EXPECT_EQ(curve.knots(0).post_tangent().width(), 1.5);
  EXPECT_EQ(curve.knots(0).post_tangent().slope(), 1.25);
  ASSERT_EQ(curve.knots(0).custom_data().entries_size(), 1);
  EXPECT_EQ(curve.knots(0).custom_data().entries(0).key(), "by");

  spline.time_valued = false;
  EXPECT_EQ(ToMessage(Value(spline)).spline().value_type(), "double");
  EXPECT_FALSE(ToMessage(Value(Spline())).spline().has_inner_loop());
}

TEST(ValueConverterTest, DeepDictionariesBecomeInvalidValues) {
  Value value(1.0);
  for (int i = 0; i < 200; ++i) {
    Dictionary dictionary;
    dictionary.Set("d", std::move(value));
    value = Value(std::move(dictionary));
  }
  const v1::Value message = ToMessage(value);
  EXPECT_NE(message.DebugString().find("nested too deeply"), std::string::npos);
}

TEST(ValueConverterTest, InvalidUtf8IsReplaced) {
  EXPECT_EQ(ToMessage(Value(std::string("a\xff"
                                        "b")))
                .string_value(),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ValueConverterTest, ArrayEditsAreUsdaText) {
  ArrayEdit edit;
  edit.element = ValueType::kInt;
  ArrayEditStep append;
  append.kind = ArrayEditStep::Kind::kAppend;
  append.literal = Value(int32_t{3});
  edit.steps.push_back(append);
  EXPECT_EQ(ToMessage(Value(edit)).array_edit(), "[append 3]");
}

}  // namespace
}  // namespace stagedoor::server

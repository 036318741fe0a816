#include "scene/layer/field_default.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/values/array.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

using Parts = std::vector<DefaultPart>;

// Empty if the parts are not a value of the type.
Value One(ValueType type, const Parts& parts) {
  return MakeFieldDefault(type, false, parts).value_or(Value());
}
Value Many(ValueType type, const Parts& parts) {
  return MakeFieldDefault(type, true, parts).value_or(Value());
}
DefaultPart Text(const char* text) { return std::string(text); }

TEST(FieldDefaultTest, NumbersConvert) {
  EXPECT_EQ(One(ValueType::kDouble, {2}), Value(2.0));
  EXPECT_EQ(One(ValueType::kInt, {2.9}), Value(2));
  EXPECT_EQ(One(ValueType::kInt, {-2.9}), Value(-2));
  EXPECT_EQ(One(ValueType::kBool, {2.5}), Value(true));
  EXPECT_EQ(One(ValueType::kBool, {0}), Value(false));
  EXPECT_EQ(One(ValueType::kHalf, {0.5}), Value(Half(0.5F)));
  EXPECT_EQ(One(ValueType::kTimeCode, {3}), Value(TimeCodeValue{3}));
  EXPECT_EQ(One(ValueType::kDuration, {3}), Value(Duration{3}));
}

TEST(FieldDefaultTest, IntegersMustFit) {
  EXPECT_EQ(One(ValueType::kUChar, {255}), Value(uint8_t{255}));
  EXPECT_EQ(One(ValueType::kUChar, {256}), Value());
  EXPECT_EQ(One(ValueType::kUInt, {0}), Value(0U));
  EXPECT_EQ(One(ValueType::kUInt, {-1}), Value());
  EXPECT_EQ(One(ValueType::kUInt, {-0.5}), Value(0U));
  EXPECT_EQ(One(ValueType::kInt, {2147483647.5}), Value(2147483647));
  EXPECT_EQ(One(ValueType::kInt, {2147483648.0}), Value());
  EXPECT_EQ(One(ValueType::kInt, {-2147483648.0}), Value(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(One(ValueType::kInt, {-2147483649.0}), Value());
  EXPECT_EQ(One(ValueType::kInt64, {9223372036854775808.0}), Value());
  EXPECT_EQ(One(ValueType::kInt64, {std::nan("")}), Value());
}

TEST(FieldDefaultTest, WordsForBooleans) {
  for (const char* word : {"true", "Yes", "TRUE", "1"}) {
    EXPECT_EQ(One(ValueType::kBool, {Text(word)}), Value(true)) << word;
  }
  for (const char* word : {"false", "No", "FALSE", "0"}) {
    EXPECT_EQ(One(ValueType::kBool, {Text(word)}), Value(false)) << word;
  }
  EXPECT_EQ(One(ValueType::kBool, {Text("maybe")}), Value());
}

TEST(FieldDefaultTest, WordsForNumbersThatAreNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(One(ValueType::kDouble, {Text("inf")}), Value(kInfinity));
  EXPECT_EQ(One(ValueType::kDouble, {Text("-inf")}), Value(-kInfinity));
  EXPECT_TRUE(std::isnan(*One(ValueType::kDouble, {Text("nan")}).Get<double>()));
  EXPECT_EQ(One(ValueType::kDouble, {Text("1")}), Value());
  EXPECT_EQ(One(ValueType::kInt, {Text("inf")}), Value());
}

TEST(FieldDefaultTest, Texts) {
  EXPECT_EQ(One(ValueType::kString, {Text("a b")}), Value(std::string("a b")));
  EXPECT_EQ(One(ValueType::kToken, {Text("a")}), Value(Token("a")));
  EXPECT_EQ(One(ValueType::kAssetPath, {Text("a.png")}), Value(AssetPath{.authored = "a.png"}));
  EXPECT_EQ(One(ValueType::kPathExpression, {Text("/A//")}), Value(PathExpressionValue{"/A//"}));
  EXPECT_EQ(One(ValueType::kString, {1}), Value());
  EXPECT_EQ(One(ValueType::kToken, {1}), Value());
}

TEST(FieldDefaultTest, TuplesAreFlat) {
  EXPECT_EQ(One(ValueType::kVec3f, {1, 2, 3.5}), Value(Vec<float, 3>{1, 2, 3.5F}));
  EXPECT_EQ(One(ValueType::kVec3f, {1, 2}), Value());
  EXPECT_EQ(One(ValueType::kVec3f, {1, 2, 3, 4}), Value(Vec<float, 3>{1, 2, 3}))
      << "surplus parts are ignored";
  EXPECT_EQ(One(ValueType::kVec3f, {1, Text("x"), 3}), Value());
  EXPECT_EQ(One(ValueType::kQuatd, {1, 2, 3, 4}), Value(Quat<double>{{2, 3, 4}, 1}));
  const Value matrix = One(ValueType::kMatrix2d, {1, 2, 3, 4});
  ASSERT_TRUE(matrix.Is<Matrix<2>>());
  EXPECT_EQ(matrix.Get<Matrix<2>>()->m[0][1], 2);
  EXPECT_EQ(matrix.Get<Matrix<2>>()->m[1][0], 3);
  EXPECT_EQ(One(ValueType::kMatrix2d, {1, 2, 3}), Value());
}

TEST(FieldDefaultTest, ArraysTakeAllParts) {
  EXPECT_EQ(Many(ValueType::kInt, {}), Value(Array<int32_t>()));
  EXPECT_EQ(Many(ValueType::kInt, {1, 2}), Value(Array<int32_t>::FromVector({1, 2})));
  EXPECT_EQ(Many(ValueType::kInt, {1, Text("x")}), Value());
  EXPECT_EQ(Many(ValueType::kVec2d, {1, 2, 3, 4}),
            Value(Array<Vec<double, 2>>::FromVector({{1, 2}, {3, 4}})));
  EXPECT_EQ(Many(ValueType::kVec2d, {1, 2, 3}), Value(Array<Vec<double, 2>>::FromVector({{1, 2}})))
      << "surplus parts are ignored";
}

TEST(FieldDefaultTest, OtherJsonIsNotAValue) {
  EXPECT_EQ(One(ValueType::kInt, {}), Value());
  EXPECT_EQ(One(ValueType::kInt, {DefaultPart()}), Value());
  EXPECT_EQ(One(ValueType::kDictionary, {1}), Value());
}

}  // namespace
}  // namespace stagedoor

#include "scene/edit/value_cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace stagedoor {
namespace {

Value To(ValueType type, const Value& value, bool is_array = false) {
  return CastValue(value, type, is_array);
}

TEST(ValueCastTest, NumbersThatFitAreConverted) {
  EXPECT_EQ(To(ValueType::kUChar, Value(255)), Value(uint8_t{255}));
  EXPECT_EQ(To(ValueType::kUChar, Value(256)), Value());
  EXPECT_EQ(To(ValueType::kUChar, Value(-1)), Value());
  EXPECT_EQ(To(ValueType::kInt, Value(-2.75)), Value(-2));
  EXPECT_EQ(To(ValueType::kInt, Value(2147483647.5)), Value(2147483647));
  EXPECT_EQ(To(ValueType::kInt, Value(2147483648.0)), Value());
  EXPECT_EQ(To(ValueType::kInt, Value(-2147483649.0)), Value());
  EXPECT_EQ(To(ValueType::kUInt, Value(-0.5)), Value(0u));
  EXPECT_EQ(To(ValueType::kUInt, Value(-1.0)), Value());
  EXPECT_EQ(To(ValueType::kInt64, Value(-0x1p63)), Value(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(To(ValueType::kInt64, Value(0x1p63)), Value());
  EXPECT_EQ(To(ValueType::kUInt64, Value(0x1p63)), Value(uint64_t{1} << 63));
  EXPECT_EQ(To(ValueType::kUInt64, Value(int64_t{-1})), Value());
  EXPECT_EQ(To(ValueType::kInt, Value(std::nan(""))), Value());
  EXPECT_EQ(To(ValueType::kInt, Value(HUGE_VAL)), Value());
  EXPECT_EQ(To(ValueType::kBool, Value(3)), Value(true));
  EXPECT_EQ(To(ValueType::kInt, Value(true)), Value(1));
  EXPECT_EQ(To(ValueType::kHalf, Value(0.5)), Value(Half(0.5f)));
  EXPECT_TRUE(std::isinf(*To(ValueType::kHalf, Value(1e6)).Get<Half>()));
  EXPECT_TRUE(std::isinf(*To(ValueType::kFloat, Value(1e300)).Get<float>()));
  EXPECT_EQ(To(ValueType::kTimeCode, Value(2.0)), Value(TimeCodeValue{2}));
  EXPECT_EQ(To(ValueType::kTimeCode, Value(2)), Value());
  EXPECT_EQ(To(ValueType::kDuration, Value(2.0)), Value(Duration{2}));
  EXPECT_EQ(To(ValueType::kDouble, Value(TimeCodeValue{2})), Value(2.0));
}

TEST(ValueCastTest, TextsAreConverted) {
  EXPECT_EQ(To(ValueType::kToken, Value(std::string("a"))), Value(Token("a")));
  EXPECT_EQ(To(ValueType::kString, Value(Token("a"))), Value(std::string("a")));
  EXPECT_EQ(To(ValueType::kAssetPath, Value(std::string("a"))), Value(AssetPath{.authored = "a"}));
  EXPECT_EQ(To(ValueType::kString, Value(AssetPath{.authored = "a"})), Value());
  EXPECT_EQ(To(ValueType::kString, Value(1)), Value());
  EXPECT_EQ(To(ValueType::kInt, Value(std::string("1"))), Value());
}

TEST(ValueCastTest, VectorsAreConvertedToFloatingPoint) {
  EXPECT_EQ(To(ValueType::kVec3f, Value(Vec3i{1, 2, 3})), Value(Vec3f{1, 2, 3}));
  EXPECT_EQ(To(ValueType::kVec3h, Value(Vec3d{1, 2, 3})), Value(Vec3h{Half(1), Half(2), Half(3)}));
  EXPECT_EQ(To(ValueType::kVec3i, Value(Vec3f{1, 2, 3})), Value());
  EXPECT_EQ(To(ValueType::kVec2f, Value(Vec3f{1, 2, 3})), Value());
  EXPECT_EQ(To(ValueType::kQuatf, Value(Quatd{})), Value());
  EXPECT_EQ(To(ValueType::kMatrix3d, Value(Matrix4d{})), Value());
}

TEST(ValueCastTest, ArraysOfFloatingPointAreConverted) {
  EXPECT_EQ(To(ValueType::kFloat, Value(Array<double>{1, 2}), true), Value(Array<float>{1, 2}));
  EXPECT_EQ(To(ValueType::kVec3d, Value(Array<Vec3f>{{1, 2, 3}}), true),
            Value(Array<Vec3d>{{1, 2, 3}}));
  EXPECT_EQ(To(ValueType::kTimeCode, Value(Array<double>{1}), true),
            Value(Array<TimeCodeValue>{{1}}));
  EXPECT_EQ(To(ValueType::kInt, Value(Array<double>{1}), true), Value());
  EXPECT_EQ(To(ValueType::kFloat, Value(Array<int32_t>{1}), true), Value());
  EXPECT_EQ(To(ValueType::kVec3f, Value(Array<Vec3i>{{1, 2, 3}}), true), Value());
  EXPECT_EQ(To(ValueType::kFloat, Value(1.0f), true), Value()) << "a number is not an array";
  EXPECT_EQ(To(ValueType::kFloat, Value(Array<float>{1})), Value());
  const Value same(Array<int32_t>{1});
  EXPECT_EQ(To(ValueType::kInt, same, true), same);
}

TEST(ValueCastTest, ListsOfNamesAreConverted) {
  EXPECT_EQ(To(ValueType::kTokenVector, Value(Array<std::string>{"a"})),
            Value(std::vector<Token>{Token("a")}));
  EXPECT_EQ(To(ValueType::kStringVector, Value(Array<Token>{Token("a")})),
            Value(std::vector<std::string>{"a"}));
  EXPECT_EQ(To(ValueType::kStringVector, Value(Array<int32_t>{1})), Value());
}

}  // namespace
}  // namespace stagedoor

#include "client/cli/value_numbers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace stagedoor {
namespace {

template <typename T>
v1::Value TupleOf(v1::ComponentType type, const std::vector<T>& numbers) {
  v1::Value value;
  v1::PackedValues& tuple = *value.mutable_tuple_value();
  tuple.set_component_type(type);
  tuple.set_shape(v1::ELEMENT_SHAPE_VECTOR);
  tuple.set_rows(1);
  tuple.set_columns(static_cast<uint32_t>(numbers.size()));
  tuple.set_count(1);
  std::string bytes(numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  tuple.set_data(bytes);
  return value;
}

using Numbers = std::vector<double>;

TEST(ValueNumbersTest, NumbersOfAllTypes) {
  v1::Value value;
  EXPECT_EQ(NumberOf(value), std::nullopt);
  value.set_half_value(0.5f);
  EXPECT_EQ(NumberOf(value), 0.5);
  value.set_uchar_value(200);
  EXPECT_EQ(NumberOf(value), 200);
  value.set_int64_value(-3);
  EXPECT_EQ(NumberOf(value), -3);
  value.set_time_code_value(24);
  EXPECT_EQ(NumberOf(value), 24);
  EXPECT_EQ(ComponentsOf(value), Numbers{24});
  value.set_token_value("1");
  EXPECT_EQ(NumberOf(value), std::nullopt);
  EXPECT_EQ(ComponentsOf(value), Numbers{});
}

TEST(ValueNumbersTest, ComponentsOfVectors) {
  EXPECT_EQ(ComponentsOf(TupleOf<float>(v1::COMPONENT_TYPE_FLOAT32, {1, 2, 3})),
            (Numbers{1, 2, 3}));
  EXPECT_EQ(ComponentsOf(TupleOf<double>(v1::COMPONENT_TYPE_FLOAT64, {1, -2})), (Numbers{1, -2}));
  EXPECT_EQ(ComponentsOf(TupleOf<int32_t>(v1::COMPONENT_TYPE_INT32, {1, 2, 3, -4})),
            (Numbers{1, 2, 3, -4}));
  EXPECT_EQ(ComponentsOf(TupleOf<uint16_t>(v1::COMPONENT_TYPE_FLOAT16, {0x3c00, 0xc000})),
            (Numbers{1, -2}));
}

TEST(ValueNumbersTest, MatricesAndInvalidTuplesHaveNone) {
  v1::Value value = TupleOf<float>(v1::COMPONENT_TYPE_FLOAT32, {1, 2, 3});
  value.mutable_tuple_value()->set_columns(4);
  EXPECT_EQ(ComponentsOf(value), Numbers{});
  value.mutable_tuple_value()->set_columns(4000000000);
  EXPECT_EQ(ComponentsOf(value), Numbers{});
  value = TupleOf<double>(v1::COMPONENT_TYPE_FLOAT64, {1, 2, 3, 4});
  value.mutable_tuple_value()->set_shape(v1::ELEMENT_SHAPE_MATRIX);
  EXPECT_EQ(ComponentsOf(value), Numbers{});
}

}  // namespace
}  // namespace stagedoor

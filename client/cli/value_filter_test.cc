#include "client/cli/value_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "client/cli/command_line.h"

namespace stagedoor {
namespace {

bool Matches(const std::string& expression, const v1::Value& value) {
  const auto filter = ValueFilter::Parse(expression);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() && filter->Matches(value);
}

TEST(ValueFilterTest, NumbersAreComparedAsNumbers) {
  v1::Value value;
  value.set_double_value(2);
  for (const char* yes :
       {"2", "=2", "==2.0", "=2e0", "!=3", "<3", "<=2", ">1", ">=2", "~2", "~?"}) {
    EXPECT_TRUE(Matches(yes, value)) << yes;
  }
  for (const char* no : {"3", "=20", "!=2", "<2", "<=1.9", ">2", ">=2.1", "~3*", "=two"}) {
    EXPECT_FALSE(Matches(no, value)) << no;
  }
  value.set_int_value(-5);
  EXPECT_TRUE(Matches("<-4", value));
  value.set_uint64_value(7);
  EXPECT_TRUE(Matches("=7", value));
}

TEST(ValueFilterTest, FloatsEqualTheNearestFloat) {
  v1::Value value;
  value.set_float_value(0.1f);
  EXPECT_TRUE(Matches("=0.1", value));
  EXPECT_FALSE(Matches("!=0.1", value));
  EXPECT_FALSE(Matches("=0.2", value));
  EXPECT_TRUE(Matches("!=0.2", value));
  value.set_double_value(0.1f);
  EXPECT_FALSE(Matches("=0.1", value));
}

TEST(ValueFilterTest, OtherValuesAreComparedAsText) {
  v1::Value value;
  value.set_token_value("wood_oak");
  EXPECT_TRUE(Matches("=wood_oak", value));
  EXPECT_TRUE(Matches("~wood*", value));
  EXPECT_TRUE(Matches("!=wood", value));
  EXPECT_FALSE(Matches("~oak", value)) << "the whole text";
  EXPECT_FALSE(Matches(">1", value));
  value.set_string_value("=");
  EXPECT_TRUE(Matches("===", value));
  value.set_bool_value(true);
  EXPECT_TRUE(Matches("=true", value));
  value.mutable_asset_path_value()->set_authored("./a.png");
  EXPECT_TRUE(Matches("~*.png", value));
  v1::PackedValues& tuple = *value.mutable_tuple_value();
  tuple.set_component_type(v1::COMPONENT_TYPE_UINT8);
  tuple.set_shape(v1::ELEMENT_SHAPE_VECTOR);
  tuple.set_rows(1);
  tuple.set_columns(3);
  tuple.set_count(1);
  tuple.set_data(std::string("\0\1\0", 3));
  EXPECT_TRUE(Matches("=[0,1,0]", value));
}

TEST(ValueFilterTest, ArraysAndMissingValuesNeverMatch) {
  v1::Value value;
  EXPECT_FALSE(Matches("!=1", value));
  value.mutable_block();
  EXPECT_FALSE(Matches("!=1", value));
  value.mutable_string_array()->add_values("a");
  EXPECT_FALSE(Matches("~*", value));
  value.set_invalid_value("damaged");
  EXPECT_FALSE(Matches("~*", value));
}

TEST(ValueFilterTest, OnlyNumbersAreOrdered) {
  for (const char* bad : {"<", ">x", "<=1a", ">= 1"}) {
    EXPECT_TRUE(IsUsageError(ValueFilter::Parse(bad).status())) << bad;
  }
  EXPECT_EQ(Message(ValueFilter::Parse(">big").status()), "--value > needs a number, not 'big'");
}

}  // namespace
}  // namespace stagedoor

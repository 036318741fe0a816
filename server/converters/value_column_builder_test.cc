#include "server/converters/value_column_builder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scene/values/dictionary.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"
#include "server/converters/reply_budget.h"
#include "server/testing/packed_values.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

class ValueColumnBuilderTest : public ::testing::Test {
 protected:
  // The column of one value of a type.
  v1::ValueColumn Column(const char* type, const Value& value) {
    v1::BatchGetValuesResponse response;
    ValueColumnBuilder builder(budget_, &response);
    builder.Add(3, Token(type), value);
    EXPECT_EQ(response.columns_size(), 1);
    EXPECT_EQ(response.columns(0).type_name(), type);
    EXPECT_EQ(response.columns(0).items_size(), 1);
    EXPECT_EQ(response.columns(0).items(0), 3u);
    return response.columns(0);
  }
  static std::vector<uint32_t> Items(const v1::ValueColumn& column) {
    return {column.items().begin(), column.items().end()};
  }

  RequestContext context_;
  ReplyBudget budget_{context_, 1 << 20, "ask for less"};
};

TEST_F(ValueColumnBuilderTest, EachTypeHasAColumn) {
  EXPECT_EQ(Column("double", Value(0.1)).doubles(0), 0.1);
  EXPECT_EQ(Column("timecode", Value(TimeCodeValue{2})).doubles(0), 2);
  EXPECT_EQ(Column("duration", Value(Duration{3})).doubles(0), 3);
  EXPECT_EQ(Column("float", Value(0.1f)).floats(0), 0.1f);
  EXPECT_EQ(Column("half", Value(Half(0.5f))).floats(0), 0.5f);
  EXPECT_EQ(Column("int", Value(int32_t{-4})).ints(0), -4);
  EXPECT_EQ(Column("uchar", Value(uint8_t{200})).ints(0), 200);
  EXPECT_EQ(Column("uint", Value(uint32_t{4000000000})).ints(0), 4000000000);
  EXPECT_EQ(Column("int64", Value(int64_t{-5})).ints(0), -5);
  EXPECT_TRUE(Column("bool", Value(true)).bools(0));
  EXPECT_FALSE(Column("bool", Value(false)).bools(0));
  EXPECT_EQ(Column("string", Value(std::string("s"))).strings(0), "s");
  EXPECT_EQ(Column("token", Value(Token("t"))).strings(0), "t");
  EXPECT_EQ(Column("uint64", Value(~uint64_t{0})).values(0).uint64_value(), ~uint64_t{0})
      << "does not fit into the signed integers";
  EXPECT_EQ(Column("token", Value(int32_t{3})).values(0).int_value(), 3)
      << "the name is not that of the type";
  EXPECT_EQ(Column("dictionary", Value(Dictionary())).values_size(), 1);
  EXPECT_EQ(Column("double[]", Value(Array<double>{1, 2})).values(0).array_value().count(), 2u);
  EXPECT_EQ(Unpack<float>(Column("float3", Value(Vec3f{{1, 2, 3}})).tuples()),
            (std::vector<float>{1, 2, 3}));
}

TEST_F(ValueColumnBuilderTest, ValuesOfOneTypeShareAColumn) {
  v1::BatchGetValuesResponse response;
  ValueColumnBuilder builder(budget_, &response);
  builder.Add(0, Token("double"), Value(1.0));
  builder.Add(1, Token("int"), Value(int32_t{2}));
  builder.Add(2, Token("double"), Value(3.0));
  builder.Add(4, Token("double"), Value(4.0f));
  builder.Add(5, Token("double"), Value(Array<double>{5}));
  builder.Add(6, Token("timecode"), Value(6.0));
  builder.Add(7, Token("double"), Value(7.0));
  ASSERT_EQ(response.columns_size(), 5);
  EXPECT_EQ(Items(response.columns(0)), (std::vector<uint32_t>{0, 2, 7}));
  EXPECT_EQ(response.columns(0).doubles(2), 7);
  EXPECT_EQ(Items(response.columns(1)), std::vector<uint32_t>{1});
  EXPECT_EQ(response.columns(2).type_name(), "double");
  EXPECT_EQ(response.columns(2).values(0).float_value(), 4) << "stored as another type";
  EXPECT_EQ(response.columns(3).values_size(), 1);
  EXPECT_EQ(response.columns(4).type_name(), "timecode");
}

TEST_F(ValueColumnBuilderTest, FullColumnsOmitItemNumbers) {
  v1::BatchGetValuesResponse response;
  ValueColumnBuilder builder(budget_, &response);
  for (uint32_t item = 0; item < 3; ++item) builder.Add(item, Token("double"), Value(1.0));
  builder.Finish(4);
  EXPECT_EQ(response.columns(0).items_size(), 3) << "one item has no value";
  builder.Finish(3);
  EXPECT_EQ(response.columns(0).items_size(), 0);
  EXPECT_EQ(response.columns(0).doubles_size(), 3);
}

TEST_F(ValueColumnBuilderTest, ItemsAreChargedWithTheirValues) {
  v1::BatchGetValuesResponse response;
  ValueColumnBuilder builder(budget_, &response);
  builder.Add(0, Token("double"), Value(1.0));
  EXPECT_GE(budget_.message_bytes(), sizeof(v1::ValueColumn) + 6 + 16);
  const size_t before = budget_.message_bytes();
  builder.Add(1, Token("double"), Value(2.0));
  EXPECT_EQ(budget_.message_bytes() - before, 16u);
}

TEST_F(ValueColumnBuilderTest, OmitsValuesThatDoNotFit) {
  const size_t column = sizeof(v1::ValueColumn) + sizeof(void*) + 6;
  ReplyBudget small(context_, column + 16 + 15, "ask for less");
  v1::BatchGetValuesResponse response;
  ValueColumnBuilder builder(small, &response);
  builder.Add(0, Token("double"), Value(1.0));
  EXPECT_TRUE(small.ok());
  builder.Add(1, Token("double"), Value(2.0));
  EXPECT_FALSE(small.ok());
  EXPECT_EQ(response.columns(0).items_size(), 1);
  EXPECT_EQ(response.columns(0).doubles_size(), 1);
}

}  // namespace
}  // namespace stagedoor::server

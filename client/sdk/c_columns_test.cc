#include "client/sdk/c_columns.h"

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::sdk {
namespace {

// The first value of a batch that has one column.
sd_value FirstOf(const v1::ValueColumn& column, bool* filled = nullptr) {
  static auto* kept = new std::deque<ValueBatch>;  // the values refer to their batches
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(1);
  reply.set_time_count(1);
  *reply.add_columns() = column;
  kept->emplace_back(std::move(reply));
  sd_value value;
  const ValueBatch::Place place = kept->back().FindPlain(0, 0);
  EXPECT_NE(place.column, nullptr);
  const bool ok = place.column != nullptr && FillFromColumn(place, &value);
  if (filled != nullptr) *filled = ok;
  EXPECT_TRUE(ok || filled != nullptr);
  return value;
}

v1::ValueColumn ColumnOf(std::string_view type_name) {
  v1::ValueColumn column;
  column.set_type_name(std::string(type_name));
  return column;
}

TEST(ColumnsTest, DoublesHaveTheComponentOfTheirType) {
  for (const auto& [type, component] : std::initializer_list<std::pair<const char*, sd_component>>{
           {"double", SD_COMPONENT_FLOAT64},
           {"float", SD_COMPONENT_FLOAT32},
           {"timecode", SD_COMPONENT_TIME_CODE},
           {"duration", SD_COMPONENT_DURATION}}) {
    v1::ValueColumn column = ColumnOf(type);
    column.add_doubles(2.5);
    const sd_value value = FirstOf(column);
    EXPECT_EQ(value.kind, SD_NUMBER);
    EXPECT_EQ(value.component, component) << type;
    EXPECT_STREQ(value.type_name, type);
    EXPECT_EQ(value.number, 2.5);
    EXPECT_EQ(value.integer, 0);
  }
}

TEST(ColumnsTest, FloatsMayBeHalves) {
  for (const auto& [type, component] :
       {std::pair("half", SD_COMPONENT_FLOAT16), std::pair("float", SD_COMPONENT_FLOAT32)}) {
    v1::ValueColumn column = ColumnOf(type);
    column.add_floats(0.5F);
    const sd_value value = FirstOf(column);
    EXPECT_EQ(value.component, component);
    EXPECT_EQ(value.number, 0.5);
  }
}

TEST(ColumnsTest, IntegersAndBoolsAreBoth) {
  v1::ValueColumn ints = ColumnOf("int");
  ints.add_ints(-7);
  const sd_value integer = FirstOf(ints);
  EXPECT_EQ(integer.component, SD_COMPONENT_INT32);
  EXPECT_EQ(integer.number, -7);
  EXPECT_EQ(integer.integer, -7);
  v1::ValueColumn bools = ColumnOf("bool");
  bools.add_bools(true);
  const sd_value yes = FirstOf(bools);
  EXPECT_EQ(yes.component, SD_COMPONENT_BOOL);
  EXPECT_EQ(yes.number, 1);
  EXPECT_EQ(yes.integer, 1);
}

TEST(ColumnsTest, TextsAreCounted) {
  v1::ValueColumn column = ColumnOf("token");
  column.add_strings("a");
  const sd_value value = FirstOf(column);
  EXPECT_EQ(value.kind, SD_TEXT);
  EXPECT_EQ(value.count, 1);
}

v1::ValueColumn Points(size_t bytes, uint32_t count) {
  v1::ValueColumn column = ColumnOf("float3");
  v1::PackedValues* tuples = column.mutable_tuples();
  tuples->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
  tuples->set_rows(1);
  tuples->set_columns(3);
  tuples->set_count(count);
  tuples->set_data(std::string(bytes, 'x'));
  return column;
}

TEST(ColumnsTest, TuplesStayInTheColumn) {
  const sd_value value = FirstOf(Points(12, 1));
  EXPECT_EQ(value.kind, SD_TUPLE);
  EXPECT_EQ(value.component, SD_COMPONENT_FLOAT32);
  EXPECT_EQ(value.columns, 3);
  EXPECT_EQ(value.count, 1);
  EXPECT_EQ(std::string_view(static_cast<const char*>(value.data), 12), std::string(12, 'x'));
}

TEST(ColumnsTest, TuplesWhoseBytesContradictTheirTypeAreNotFilled) {
  for (const v1::ValueColumn& column : {Points(24, 1), Points(13, 1), Points(11, 1)}) {
    bool filled = true;
    FirstOf(column, &filled);
    EXPECT_FALSE(filled) << column.tuples().data().size();
  }
}

TEST(ColumnsTest, MessagesAreNotInColumns) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(1);
  reply.set_time_count(1);
  *reply.add_columns() = ColumnOf("int");
  reply.mutable_columns(0)->add_values()->set_int_value(1);
  const ValueBatch batch(std::move(reply));
  EXPECT_EQ(batch.FindPlain(0, 0).column, nullptr);
  EXPECT_EQ(batch.FindPlain(1, 0).column, nullptr) << "out of range";
}

}  // namespace
}  // namespace stagedoor::sdk

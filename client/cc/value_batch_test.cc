#include "client/cc/value_batch.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/cc/shared_arrays.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// Three paths at two times: items 0 to 5, path by path.
v1::BatchGetValuesResponse Reply() {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(3);
  reply.set_time_count(2);
  return reply;
}

v1::ValueColumn* AddColumn(v1::BatchGetValuesResponse& reply, const std::string& type,
                           const std::vector<uint32_t>& items) {
  v1::ValueColumn* column = reply.add_columns();
  column->set_type_name(type);
  column->mutable_items()->Add(items.begin(), items.end());
  return column;
}

template <typename T>
std::string Bytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

TEST(ValueBatchTest, AColumnWithoutItemsHasAValueForEachItem) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* column = AddColumn(reply, "double", {});
  for (const double value : {0., 1., 10., 11., 20., 21.}) column->add_doubles(value);
  const ValueBatch batch(reply);
  for (size_t path = 0; path < 3; ++path) {
    for (size_t time = 0; time < 2; ++time) {
      EXPECT_EQ(batch.GetDouble(path, time), 10. * path + time);
      EXPECT_TRUE(batch.has_value(path, time));
      EXPECT_FALSE(batch.is_blocked(path, time));
      EXPECT_EQ(batch.type_name(path, time), "double");
      EXPECT_TRUE(batch.status(path, time).ok());
    }
  }
}

// An array of three ints in a segment.
v1::PackedValues* AddShared(v1::ValueColumn* column, uint64_t offset) {
  v1::PackedValues* packed = column->add_values()->mutable_array_value();
  packed->set_component_type(v1::COMPONENT_TYPE_INT32);
  packed->set_count(3);
  packed->mutable_segment()->set_offset(offset);
  return packed;
}

TEST(ValueBatchTest, ArraysInSharedMemoryAreReadThere) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* arrays = AddColumn(reply, "int[]", {0, 2, 4});
  AddShared(arrays, 0);
  v1::PackedValues* own = arrays->add_values()->mutable_array_value();
  own->set_component_type(v1::COMPONENT_TYPE_INT32);
  own->set_data(Bytes<int32_t>({7}));
  AddShared(arrays, 64);
  const std::string first = Bytes<int32_t>({1, 2, 3}), second = Bytes<int32_t>({4, 5, 6});
  size_t released = 0;
  auto shared = std::make_shared<const SharedArrays>(
      std::vector<SharedArrays::Array>{{{}, first, nullptr}, {{}, second, nullptr}},
      [&](const auto& places) { released += places.size(); });
  {
    const ValueBatch batch(reply, std::move(shared));
    const ValueBatch copy(batch);  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(static_cast<const void*>(batch.GetNumbers<int32_t>(0, 0).data()), first.data());
    EXPECT_EQ(batch.GetNumbers<int32_t>(1, 0)[0], 7);
    EXPECT_EQ(copy.GetNumbers<int32_t>(2, 0)[2], 6);
    EXPECT_TRUE(batch.GetNumbers<float>(0, 0).empty());
    EXPECT_EQ(batch.GetValue(2, 0).array_value().data(), second);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 2);
}

TEST(ValueBatchTest, ColumnsShareTheItems) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* floats = AddColumn(reply, "float", {0, 3});
  floats->add_floats(0.5F);
  floats->add_floats(3.5F);
  v1::ValueColumn* tokens = AddColumn(reply, "token", {1, 4});
  tokens->add_strings("one");
  tokens->add_strings("four");
  for (const v1::ItemState state :
       {v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE, v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_VALUE,
        v1::ITEM_STATE_VALUE, v1::ITEM_STATE_NONE}) {
    reply.add_states(state);
  }
  const ValueBatch batch(reply);
  EXPECT_EQ(batch.GetDouble(0, 0), 0.5);
  EXPECT_EQ(batch.GetDouble(1, 1), 3.5);
  EXPECT_EQ(batch.GetString(0, 1), "one");
  EXPECT_EQ(batch.GetString(2, 0), "four");
  EXPECT_EQ(batch.GetString(0, 0), std::nullopt);
  EXPECT_EQ(batch.GetDouble(0, 1), std::nullopt);
  EXPECT_EQ(batch.type_name(2, 0), "token");
  EXPECT_EQ(batch.GetValue(2, 0).token_value(), "four");
  EXPECT_EQ(batch.GetValue(1, 1).float_value(), 3.5F);

  EXPECT_TRUE(batch.is_blocked(1, 0));
  EXPECT_FALSE(batch.has_value(1, 0));
  EXPECT_TRUE(batch.GetValue(1, 0).has_block());
  EXPECT_TRUE(batch.status(1, 0).ok());
  // Item 5 has no value, and is not blocked.
  EXPECT_TRUE(batch.status(2, 1).ok());
  EXPECT_FALSE(batch.is_blocked(2, 1));
  EXPECT_FALSE(batch.has_value(2, 1));
  EXPECT_EQ(batch.GetValue(2, 1).kind_case(), v1::Value::KIND_NOT_SET);
}

TEST(ValueBatchTest, ErrorsBelongToAPathOrAnItem) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ItemStatus* path = reply.add_path_errors();
  path->set_item(1);
  path->set_code(5);
  path->set_message("no prim");
  v1::ItemStatus* item = reply.add_item_errors();
  item->set_item(5);
  item->set_code(15);
  item->set_message("cut");
  for (const v1::ItemState state :
       {v1::ITEM_STATE_NONE, v1::ITEM_STATE_NONE, v1::ITEM_STATE_ERROR, v1::ITEM_STATE_ERROR,
        v1::ITEM_STATE_ERROR, v1::ITEM_STATE_ERROR}) {
    reply.add_states(state);
  }
  const ValueBatch batch(reply);
  for (size_t time = 0; time < 2; ++time) {
    EXPECT_TRUE(batch.status(0, time).ok());
    EXPECT_EQ(batch.status(1, time).code(), absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(batch.status(2, 0).message(), "the reply lacks the error of item 4");
  EXPECT_EQ(batch.status(2, 1).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(batch.status(2, 1).message(), "cut");
  EXPECT_EQ(batch.GetValue(1, 0).invalid_value(), "no prim") << "not as if there were no value";
}

TEST(ValueBatchTest, UnknownStatesAreErrors) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* column = AddColumn(reply, "double", {});
  for (int i = 0; i < 6; ++i) column->add_doubles(i);
  for (const int state : {1, 18, 17, 0}) reply.add_states(static_cast<v1::ItemState>(state));
  v1::BatchGetValuesResponse sent;
  ASSERT_TRUE(sent.ParseFromString(reply.SerializeAsString()));
  const ValueBatch batch(sent);
  EXPECT_TRUE(batch.status(0, 0).ok());
  EXPECT_EQ(static_cast<int>(batch.state(1, 0)), 17);
  for (size_t item = 1; item < 6; ++item) {
    const size_t path = item / 2, time = item % 2;
    EXPECT_EQ(batch.status(path, time).code(), absl::StatusCode::kUnimplemented) << item;
    EXPECT_FALSE(batch.has_value(path, time)) << item;
    EXPECT_FALSE(batch.is_blocked(path, time)) << item;
    EXPECT_TRUE(batch.GetValue(path, time).has_invalid_value()) << item;
  }
}

TEST(ValueBatchTest, AnItemWithoutItsValueIsAnError) {
  v1::BatchGetValuesResponse reply = Reply();
  AddColumn(reply, "double", {0})->add_doubles(5);
  const ValueBatch batch(reply);
  EXPECT_TRUE(batch.status(0, 0).ok());
  EXPECT_EQ(batch.status(0, 1).message(), "the reply lacks the value of item 1");
  EXPECT_FALSE(batch.status(3, 0).ok()) << "beyond the last path";
  EXPECT_FALSE(batch.status(0, 2).ok()) << "beyond the last time";
}

TEST(ValueBatchTest, TuplesAreContiguous) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::PackedValues* tuples = AddColumn(reply, "double3", {2, 3})->mutable_tuples();
  tuples->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  tuples->set_rows(1);
  tuples->set_columns(3);
  tuples->set_count(2);
  tuples->set_data(Bytes<double>({1, 2, 3, 4, 5, 6}));
  const ValueBatch batch(reply);
  const auto second = batch.GetNumbers<double>(1, 1);
  EXPECT_EQ(std::vector<double>(second.begin(), second.end()), (std::vector<double>{4, 5, 6}));
  EXPECT_TRUE(batch.GetNumbers<float>(1, 1).empty());
  EXPECT_TRUE(batch.GetNumbers<double>(0, 0).empty());
  const v1::Value first = batch.GetValue(1, 0);
  EXPECT_EQ(first.tuple_value().data(), Bytes<double>({1, 2, 3}));
  EXPECT_EQ(first.tuple_value().count(), 1u);
}

TEST(ValueBatchTest, ArraysAreReadInPlace) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* column = AddColumn(reply, "int[]", {4});
  v1::PackedValues* array = column->add_values()->mutable_array_value();
  array->set_component_type(v1::COMPONENT_TYPE_INT32);
  array->set_data(Bytes<int32_t>({7, 8}));
  const ValueBatch batch(reply);
  const auto numbers = batch.GetNumbers<int32_t>(2, 0);
  EXPECT_EQ(std::vector<int32_t>(numbers.begin(), numbers.end()), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(batch.GetValue(2, 0).array_value().data(), Bytes<int32_t>({7, 8}));
}

TEST(ValueBatchTest, EachKindOfColumnHasItsValues) {
  const auto batch = [](const std::string& type, const auto& fill) {
    v1::BatchGetValuesResponse reply;
    reply.set_path_count(1);
    reply.set_time_count(1);
    fill(*AddColumn(reply, type, {}));
    return ValueBatch(reply);
  };
  const auto doubles = [](v1::ValueColumn& c) { c.add_doubles(2.5); };
  EXPECT_EQ(batch("double", doubles).GetValue(0, 0).double_value(), 2.5);
  EXPECT_EQ(batch("timecode", doubles).GetValue(0, 0).time_code_value(), 2.5);
  EXPECT_EQ(batch("duration", doubles).GetValue(0, 0).duration_value(), 2.5);
  const auto floats = [](v1::ValueColumn& c) { c.add_floats(0.5F); };
  EXPECT_EQ(batch("half", floats).GetValue(0, 0).half_value(), 0.5F);
  EXPECT_EQ(batch("float", floats).GetValue(0, 0).float_value(), 0.5F);
  const auto ints = [](v1::ValueColumn& c) { c.add_ints(-7); };
  EXPECT_EQ(batch("int", ints).GetValue(0, 0).int64_value(), -7);
  EXPECT_EQ(batch("int", ints).GetDouble(0, 0), -7);
  for (const bool flag : {false, true}) {
    const auto bools = [flag](v1::ValueColumn& c) { c.add_bools(flag); };
    EXPECT_EQ(batch("bool", bools).GetDouble(0, 0), flag ? 1 : 0);
    EXPECT_EQ(batch("bool", bools).GetValue(0, 0).kind_case(), v1::Value::kBoolValue);
    EXPECT_EQ(batch("bool", bools).GetValue(0, 0).bool_value(), flag);
  }
  const auto strings = [](v1::ValueColumn& c) { c.add_strings("s"); };
  EXPECT_EQ(batch("string", strings).GetValue(0, 0).string_value(), "s");
  EXPECT_EQ(batch("token", strings).GetValue(0, 0).token_value(), "s");
  EXPECT_EQ(batch("string", strings).GetDouble(0, 0), std::nullopt);
  EXPECT_EQ(batch("double", doubles).GetString(0, 0), std::nullopt);
  EXPECT_TRUE(batch("double", doubles).GetNumbers<double>(0, 0).empty());
}

TEST(ValueBatchTest, TuplesKeepTheirTypeAndShape) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::PackedValues* tuples = AddColumn(reply, "quatf", {5})->mutable_tuples();
  tuples->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
  tuples->set_shape(v1::ELEMENT_SHAPE_QUATERNION);
  tuples->set_rows(1);
  tuples->set_columns(4);
  tuples->set_count(1);
  tuples->set_data(Bytes<float>({1, 2, 3, 4}));
  const v1::Value value = ValueBatch(reply).GetValue(2, 1);
  EXPECT_EQ(value.tuple_value().SerializeAsString(), tuples->SerializeAsString());
}

TEST(ValueBatchTest, ArraysOfAnotherTypeAreNotRead) {
  v1::BatchGetValuesResponse reply = Reply();
  v1::ValueColumn* column = AddColumn(reply, "int64[]", {0, 1});
  v1::PackedValues* array = column->add_values()->mutable_array_value();
  array->set_component_type(v1::COMPONENT_TYPE_INT64);
  array->set_data(Bytes<int64_t>({7}));
  column->add_values()->set_string_value("12345678");
  const ValueBatch batch(reply);
  EXPECT_EQ(batch.GetNumbers<int64_t>(0, 0).size(), 1u);
  EXPECT_TRUE(batch.GetNumbers<int32_t>(0, 0).empty());
  EXPECT_TRUE(batch.GetNumbers<double>(0, 0).empty());
  EXPECT_TRUE(batch.GetNumbers<int64_t>(0, 1).empty()) << "not an array";
}

TEST(ValueBatchTest, MissingValuesHaveNoType) {
  const ValueBatch batch(Reply());
  EXPECT_EQ(batch.type_name(0, 0), "");
  EXPECT_EQ(batch.path_count(), 3u);
  EXPECT_EQ(batch.GetDouble(0, 0), std::nullopt);
  EXPECT_EQ(batch.GetString(0, 0), std::nullopt);
  EXPECT_TRUE(batch.GetNumbers<float>(0, 0).empty());
}

TEST(ItemErrorTest, PathIsPrefixed) {
  v1::ItemStatus error;
  error.set_code(5);
  error.set_message("no prim");
  EXPECT_EQ(ItemError(error), absl::NotFoundError("no prim"));
  EXPECT_EQ(ItemErrorAt("/A", error), absl::NotFoundError("/A: no prim"));
  EXPECT_EQ(ItemError(v1::ItemStatus()).code(), absl::StatusCode::kUnknown) << "never OK";
}

TEST(ItemErrorTest, ReasonsAreKept) {
  v1::ItemStatus error;
  error.set_code(5);
  error.set_reason(v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(ErrorReason(ItemError(error)), "PRIM_NOT_FOUND");
  EXPECT_TRUE(ErrorMetadata(ItemError(error)).empty());
  EXPECT_EQ(ErrorReason(ItemErrorAt("/A", error)), "PRIM_NOT_FOUND");
  EXPECT_EQ(ErrorMetadata(ItemErrorAt("/A", error)).at("path"), "/A");
  error.set_reason(static_cast<v1::ErrorReason>(9999));
  EXPECT_EQ(ErrorReason(ItemError(error)), "") << "of a newer daemon";
}

TEST(ValueBatchTest, ReasonsOfErrorsAreKept) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(2);
  reply.set_time_count(2);
  for (int i = 0; i < 4; ++i) reply.add_states(v1::ITEM_STATE_ERROR);
  v1::ItemStatus* path = reply.add_path_errors();
  path->set_item(1);
  path->set_reason(v1::ERROR_REASON_WRONG_KIND);
  v1::ItemStatus* item = reply.add_item_errors();
  item->set_item(1);
  item->set_reason(v1::ERROR_REASON_LAYER_CORRUPT);
  const ValueBatch batch(reply);
  EXPECT_EQ(ErrorReason(batch.status(0, 1)), "LAYER_CORRUPT");
  EXPECT_EQ(ErrorReason(batch.status(1, 0)), "WRONG_KIND");
  EXPECT_EQ(ErrorReason(batch.status(1, 1)), "WRONG_KIND");
  EXPECT_EQ(batch.status(0, 0).code(), absl::StatusCode::kDataLoss) << "its error is missing";
}

TEST(ValueBatchTest, NumbersOfAllComponentTypes) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(5);
  reply.set_time_count(1);
  v1::ValueColumn* column = AddColumn(reply, "mixed", {});
  const auto add = [&](v1::ComponentType type, std::string bytes) {
    v1::PackedValues* packed = column->add_values()->mutable_array_value();
    packed->set_component_type(type);
    packed->set_data(std::move(bytes));
  };
  add(v1::COMPONENT_TYPE_BOOL, std::string("\1\0", 2));
  add(v1::COMPONENT_TYPE_FLOAT16, std::string("\0\x3c", 2));
  add(v1::COMPONENT_TYPE_UINT32, std::string("\7\0\0\0", 4));
  add(v1::COMPONENT_TYPE_UINT64, std::string("\7\0\0\0\0\0\0\0", 8));
  column->add_values()->set_uint64_value(1ULL << 63);
  const ValueBatch batch(reply);
  EXPECT_EQ(batch.GetNumbers<uint8_t>(0, 0).size(), 2u);
  EXPECT_EQ(batch.GetNumbers<uint16_t>(1, 0)[0], 0x3c00);
  EXPECT_TRUE(batch.GetNumbers<float>(1, 0).empty());
  EXPECT_EQ(batch.GetNumbers<uint32_t>(2, 0)[0], 7u);
  EXPECT_EQ(batch.GetNumbers<uint64_t>(3, 0)[0], 7u);
  EXPECT_EQ(batch.GetDouble(4, 0), 0x1p63);
  ASSERT_NE(batch.FindValue(4, 0), nullptr);
  EXPECT_EQ(batch.FindValue(4, 0)->uint64_value(), 1ULL << 63);
  EXPECT_EQ(batch.FindValue(5, 0), nullptr);
}

// As a malicious or broken daemon may send them.
TEST(ValueBatchTest, InconsistentRepliesHaveFewerValues) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(~0U);
  reply.set_time_count(~0U);
  v1::ValueColumn* two_kinds = AddColumn(reply, "double", {});
  two_kinds->add_doubles(1);
  for (int i = 0; i < 5; ++i) two_kinds->add_strings("x");
  v1::ValueColumn* too_few = AddColumn(reply, "int", {7, 8, 9});
  too_few->add_ints(70);
  v1::PackedValues* no_bytes = AddColumn(reply, "float3", {11, 12})->mutable_tuples();
  no_bytes->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
  no_bytes->set_count(~0U);
  AddColumn(reply, "bool", {~0U - 1})->add_bools(true);
  const ValueBatch batch(reply);
  EXPECT_EQ(batch.GetDouble(0, 0), 1);
  EXPECT_FALSE(batch.has_value(0, 1));
  EXPECT_EQ(batch.GetDouble(0, 7), 70);
  EXPECT_FALSE(batch.has_value(0, 8));
  EXPECT_FALSE(batch.has_value(0, 11));
  EXPECT_TRUE(batch.has_value(0, ~0U - 1)) << "without an index as large";
  EXPECT_FALSE(batch.has_value(~0U, ~0U));
}

TEST(ValueBatchTest, AColumnIsAsShortAsItsShortestList) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(1);
  reply.set_time_count(3);
  v1::ValueColumn* column = AddColumn(reply, "float3", {});
  column->mutable_tuples()->set_count(5);
  column->mutable_tuples()->set_data("xy");
  EXPECT_TRUE(ValueBatch(reply).has_value(0, 1)) << "a byte each";
  EXPECT_FALSE(ValueBatch(reply).has_value(0, 2));
  column->add_bools(true);
  EXPECT_TRUE(ValueBatch(reply).has_value(0, 0));
  EXPECT_FALSE(ValueBatch(reply).has_value(0, 1));
}

}  // namespace
}  // namespace stagedoor

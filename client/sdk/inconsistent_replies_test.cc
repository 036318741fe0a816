// Replies as a broken or malicious daemon may send them.
#include <google/protobuf/repeated_ptr_field.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "client/sdk/array_cache.h"
#include "client/sdk/array_exchange.h"
#include "client/sdk/geometry_reply.h"
#include "client/sdk/sample_collector.h"
#include "client/sdk/values_reply.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {
namespace {

absl::Status Inconsistent(const std::string& how) {
  return absl::DataLossError("the daemon's reply is inconsistent: " + how);
}

v1::StreamValuesResponse Item(uint32_t item) {
  v1::StreamValuesResponse message;
  message.set_item(item);
  message.set_type_name("double");
  message.set_state(v1::ITEM_STATE_VALUE);
  message.mutable_value()->set_double_value(item);
  return message;
}

TEST(StreamedBatchTest, ItemsComeInOrder) {
  StreamedBatch batch;
  v1::StreamValuesResponse first = Item(0);
  first.set_snapshot("s");
  first.add_warnings()->set_message("w");
  EXPECT_TRUE(batch.Add(first).ok());
  EXPECT_TRUE(batch.Add(Item(1)).ok());
  v1::StreamValuesResponse failed;
  failed.set_item(2);
  failed.set_state(v1::ITEM_STATE_ERROR);
  failed.mutable_error()->set_message("no such attribute");
  EXPECT_TRUE(batch.Add(failed).ok());
  const auto reply = batch.Finish(3);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot(), "s");
  EXPECT_EQ(reply->warnings(0).message(), "w");
  EXPECT_EQ(reply->time_count(), 1u);
  ASSERT_EQ(reply->columns_size(), 1);
  EXPECT_EQ(reply->columns(0).items_size(), 2);
  EXPECT_EQ(reply->item_errors(0).item(), 2u);
}

TEST(StreamedBatchTest, ItemsThatAreMissingAreDataLoss) {
  {
    StreamedBatch batch;
    EXPECT_EQ(batch.Add(Item(1)), Inconsistent("item 1 came in place of item 0"));
  }
  {
    StreamedBatch batch;
    EXPECT_TRUE(batch.Add(Item(0)).ok());
    EXPECT_EQ(batch.Add(Item(0)), Inconsistent("item 0 came in place of item 1"));
  }
  for (const size_t paths : {size_t{0}, size_t{2}}) {
    StreamedBatch batch;
    EXPECT_TRUE(batch.Add(Item(0)).ok());
    EXPECT_EQ(batch.Finish(paths).status(),
              Inconsistent("it has 1 items for " + std::to_string(paths) + " paths"));
  }
}

TEST(TakeArraysTest, ItemsOutsideOfTheRequestAreLeftAlone) {
  v1::BatchGetValuesRequest request;
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(1);
  reply.set_time_count(1);
  v1::ValueColumn* const column = reply.add_columns();
  column->add_items(0);
  column->add_items(std::numeric_limits<uint32_t>::max());
  for (const char* digest : {"a", "b", "c"}) {  // the last one has no item
    v1::PackedValues* const packed = column->add_values()->mutable_array_value();
    packed->set_digest(digest);
    packed->set_data("1234");
  }
  ArrayCache cache(1000);
  ArrayExchange exchange(cache);
  TakeArrays(request, exchange, &reply);
  EXPECT_TRUE(exchange.arrays().contains("a"));
  EXPECT_FALSE(exchange.arrays().contains("b"));
  EXPECT_FALSE(exchange.arrays().contains("c"));
  EXPECT_EQ(column->values(1).array_value().data(), "1234");
}

class SampleCollectorTest : public ::testing::Test {
 protected:
  SampleCollectorTest() {
    paths_.Add("/A.x");
    paths_.Add("/A.y");
  }
  static v1::SampleValuesResponse Part(uint32_t item) {
    v1::SampleValuesResponse message;
    v1::SampledItem* const part = message.add_items();
    part->set_item(item);
    part->set_type_name("double");
    return message;
  }
  // The first error for these items.
  absl::Status Collect(const std::vector<uint32_t>& items) {
    std::vector<Samples> all;
    SampleCollector collector(paths_, exchange_, &all);
    for (const uint32_t item : items) {
      const absl::Status status = collector.Add(Part(item));
      if (!status.ok()) return status;
    }
    return collector.Finish();
  }

  google::protobuf::RepeatedPtrField<std::string> paths_;
  ArrayCache cache_{1000};
  ArrayExchange exchange_{cache_};
};

TEST_F(SampleCollectorTest, EachItemIsOfAPath) {
  EXPECT_TRUE(Collect({0, 1}).ok()) << Collect({0, 1});
  EXPECT_EQ(Collect({0, 1, 2}), Inconsistent("it has more items than the 2 paths"));
}

TEST(GeometryReplyTest, EachPathHasItsMatrices) {
  v1::ComputeTransformsResponse reply;
  v1::PackedValues* const packed = reply.mutable_local_to_world();
  packed->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  packed->set_count(2);
  packed->set_data(std::string(2 * sizeof(Matrix4d), '\0'));
  v1::ItemStatus* const failed = reply.add_path_errors();
  failed->set_item(1);
  reply.add_path_errors()->set_item(7);  // of no path
  const std::vector<std::string> two = {"/A", "/B"}, three = {"/A", "/B", "/C"};
  const auto table = TransformsIn(reply, two);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->time_count(), 1u);
  EXPECT_TRUE(table->Get(0, 0).ok());
  EXPECT_FALSE(table->Get(1, 0).ok());
  EXPECT_EQ(TransformsIn(reply, three).status(), Inconsistent("it has 2 items for 3 paths"));
  EXPECT_EQ(TransformsIn(reply, {}).status(), Inconsistent("it has 2 items for 0 paths"));
  packed->set_count(3);
  EXPECT_EQ(TransformsIn(reply, three).status(), Inconsistent("it has 256 bytes for 3 elements"));
  packed->set_count(2);
  packed->mutable_data()->push_back('\0');
  EXPECT_EQ(TransformsIn(reply, two).status(), Inconsistent("it has 257 bytes for 2 elements"));
  packed->mutable_data()->pop_back();
  packed->set_component_type(v1::COMPONENT_TYPE_INT64);
  EXPECT_FALSE(TransformsIn(reply, two).ok());
}

TEST(GeometryReplyTest, PointsOfAnotherShapeAreNone) {
  v1::SkinnedPrim item;
  item.set_path("/A");
  item.mutable_points()->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
  item.mutable_points()->set_columns(3);
  item.mutable_points()->set_data(std::string(24, '\0'));
  EXPECT_EQ(SkinnedPrimOf(item).points.size(), 2u);
  item.mutable_points()->set_columns(2);
  EXPECT_EQ(SkinnedPrimOf(item).points.size(), 0u);
  item.mutable_points()->set_columns(3);
  item.mutable_points()->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  EXPECT_EQ(SkinnedPrimOf(item).points.size(), 0u);
}

}  // namespace
}  // namespace stagedoor::sdk

#include "client/cc/query_batch.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cc/value_batch.h"

namespace stagedoor {
namespace {

using Request = v1::BatchGetValuesRequest;
using Response = v1::BatchGetValuesResponse;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

Request MakeRequest(const std::vector<std::string>& paths, const std::vector<double>& frames) {
  Request request;
  request.mutable_stage()->set_handle("h");
  for (const std::string& path : paths) request.add_paths(path);
  for (const double frame : frames) request.mutable_times()->add_frames(frame);
  return request;
}

absl::StatusOr<std::vector<Response>> Split(const std::vector<Request>& requests,
                                            const std::string& reply) {
  std::vector<const Request*> pointers;
  for (const Request& request : requests) pointers.push_back(&request);
  return SplitReply(pointers, Parse<Response>(reply));
}

TEST(QueryBatchTest, OnlySmallQueriesAreJoined) {
  EXPECT_TRUE(IsSmallQuery(MakeRequest({"/A.x"}, {1})));
  EXPECT_TRUE(IsSmallQuery(MakeRequest({"/A.x", "/A.y"}, {1, 2, 3, 4, 5, 6, 7, 8})));
  EXPECT_FALSE(IsSmallQuery(MakeRequest({"/A.x", "/A.y"}, {1, 2, 3, 4, 5, 6, 7, 8, 9})));
  EXPECT_TRUE(IsSmallQuery(MakeRequest(std::vector<std::string>(16, "/A.x"), {1})));
  EXPECT_FALSE(IsSmallQuery(MakeRequest(std::vector<std::string>(17, "/A.x"), {1})));
  EXPECT_TRUE(IsSmallQuery(MakeRequest({"/A.x"}, std::vector<double>(16, 1))));
  EXPECT_FALSE(IsSmallQuery(MakeRequest({"/A.x"}, std::vector<double>(17, 1))));
  EXPECT_FALSE(IsSmallQuery(MakeRequest({}, {1})));
  EXPECT_FALSE(IsSmallQuery(MakeRequest({"/A.x"}, {})));
  Request request = MakeRequest({"/A.x"}, {});
  request.mutable_times()->add_times();
  EXPECT_TRUE(IsSmallQuery(request));
  request.mutable_times()->add_frames(1);
  EXPECT_FALSE(IsSmallQuery(request)) << "times of two kinds";
  request = MakeRequest({"/A.x"}, {1});
  request.mutable_times()->add_ranges("1:10");
  EXPECT_FALSE(IsSmallQuery(request)) << "the number of times is not known";
  request = MakeRequest({"/A.x"}, {1});
  request.set_paired(true);
  EXPECT_FALSE(IsSmallQuery(request));
}

TEST(QueryBatchTest, KeyHasAllButPathsAndTimes) {
  const Request request = MakeRequest({"/A.x"}, {1});
  const std::string key = JoinKey(request);
  EXPECT_EQ(JoinKey(MakeRequest({"/B.y", "/C.z"}, {2, 3})), key);
  Request other = request;
  other.mutable_stage()->set_handle("other");
  EXPECT_NE(JoinKey(other), key);
  other = request;
  other.mutable_stage()->set_snapshot("s");
  EXPECT_NE(JoinKey(other), key);
  other = request;
  other.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_NE(JoinKey(other), key);
  other = request;
  other.set_with_sources(true);
  EXPECT_NE(JoinKey(other), key);
  other = MakeRequest({"/A.x"}, {});
  other.mutable_times()->add_times();
  EXPECT_NE(JoinKey(other), key) << "frames and time codes have an order in a request";
}

TEST(QueryBatchTest, JoinedRequestPairsPathsAndTimes) {
  const Request a = MakeRequest({"/A.x", "/A.y"}, {1, 2}), b = MakeRequest({"/B.z"}, {3});
  const Request* requests[] = {&a, &b};
  const Request joined = JoinQueries(requests);
  EXPECT_EQ(joined.SerializeAsString(), Parse<Request>(R"(
    stage { handle: "h" }
    paths: "/A.x" paths: "/A.x" paths: "/A.y" paths: "/A.y" paths: "/B.z"
    times { frames: 1 frames: 2 frames: 1 frames: 2 frames: 3 }
    paired: true)")
                                            .SerializeAsString());
}

TEST(QueryBatchTest, EachQueryGetsItsPartOfTheReply) {
  const auto replies =
      Split({MakeRequest({"/A.x", "/A.y"}, {1, 2}), MakeRequest({"/B.z"}, {3})}, R"(
    snapshot: "s" path_count: 5 time_count: 1
    columns { type_name: "double" items: 0 items: 1 items: 4 doubles: 10 doubles: 11 doubles: 14 }
    columns { type_name: "float3" items: 2 tuples {
      component_type: COMPONENT_TYPE_FLOAT32 shape: ELEMENT_SHAPE_VECTOR rows: 1 columns: 3 count: 1
      data: "abcdefghijkl" } }
    states: ITEM_STATE_VALUE states: ITEM_STATE_VALUE states: ITEM_STATE_VALUE
    states: ITEM_STATE_BLOCKED states: ITEM_STATE_VALUE
    warnings { message: "a clip is missing" }
    sources: VALUE_SOURCE_DEFAULT sources: VALUE_SOURCE_DEFAULT sources: VALUE_SOURCE_FALLBACK
    sources: VALUE_SOURCE_FALLBACK sources: VALUE_SOURCE_DEFAULT)");
  ASSERT_TRUE(replies.ok()) << replies.status();
  ASSERT_EQ(replies->size(), 2u);
  EXPECT_EQ((*replies)[0].SerializeAsString(), Parse<Response>(R"(
    snapshot: "s" path_count: 2 time_count: 2
    columns { type_name: "double" items: 0 items: 1 doubles: 10 doubles: 11 }
    columns { type_name: "float3" items: 2 tuples {
      component_type: COMPONENT_TYPE_FLOAT32 shape: ELEMENT_SHAPE_VECTOR rows: 1 columns: 3 count: 1
      data: "abcdefghijkl" } }
    states: ITEM_STATE_VALUE states: ITEM_STATE_VALUE states: ITEM_STATE_VALUE
    states: ITEM_STATE_BLOCKED
    warnings { message: "a clip is missing" }
    sources: VALUE_SOURCE_DEFAULT sources: VALUE_SOURCE_FALLBACK)")
                                                   .SerializeAsString());
  EXPECT_EQ((*replies)[1].SerializeAsString(), Parse<Response>(R"(
    snapshot: "s" path_count: 1 time_count: 1
    columns { type_name: "double" doubles: 14 }
    warnings { message: "a clip is missing" }
    sources: VALUE_SOURCE_DEFAULT)")
                                                   .SerializeAsString())
      << "neither a column that has all items lists them, nor states that are all the same";
}

TEST(QueryBatchTest, ValuesOfAllKindsAreSplit) {
  const std::vector<Request> requests(2, MakeRequest({"/A.x"}, {1}));
  for (const std::string values :
       {"doubles: 1 doubles: 2", "floats: 1 floats: 2", "ints: 1 ints: 2",
        "bools: false bools: true", "strings: '1' strings: '2'",
        "values { int_value: 1 } values { int_value: 2 }",
        "tuples { component_type: COMPONENT_TYPE_UINT8 columns: 2 count: 2 data: '1122' }"}) {
    const auto replies =
        Split(requests, "path_count: 2 time_count: 1 columns { type_name: 't' " + values + " }");
    ASSERT_TRUE(replies.ok()) << values;
    const auto text = [&](size_t i) {
      return ValueBatch((*replies)[i]).GetValue(0, 0).SerializeAsString();
    };
    EXPECT_NE(text(0), "") << values;
    EXPECT_NE(text(0), text(1)) << values;
    EXPECT_EQ((*replies)[0].columns(0).type_name(), "t");
  }
}

TEST(QueryBatchTest, ErrorsReachTheQueryTheyConcern) {
  const auto replies =
      Split({MakeRequest({"/A.x"}, {1}), MakeRequest({"/B.y", "/B.z"}, {2, 3})}, R"(
    path_count: 5 time_count: 1
    path_errors { item: 3 code: 5 message: "no z" } path_errors { item: 4 code: 5 message: "no z" }
    item_errors { item: 2 code: 15 message: "damaged" })");
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ((*replies)[0].path_errors_size() + (*replies)[0].item_errors_size(), 0);
  EXPECT_EQ((*replies)[1].SerializeAsString(), Parse<Response>(R"(
    path_count: 2 time_count: 2
    path_errors { item: 1 code: 5 message: "no z" }
    item_errors { item: 1 code: 15 message: "damaged" })")
                                                   .SerializeAsString());
}

TEST(QueryBatchTest, RepliesThatDoNotFitAreErrors) {
  const std::vector<Request> requests(2, MakeRequest({"/A.x"}, {1}));
  EXPECT_TRUE(Split(requests, "path_count: 2 time_count: 1").ok());
  for (const std::string reply : {"path_count: 3 time_count: 1", "path_count: 2 time_count: 2", "",
                                  "path_count: 2 time_count: 1 columns { items: 2 doubles: 1 }",
                                  "path_count: 2 time_count: 1 columns { doubles: 1 }",
                                  "path_count: 2 time_count: 1 columns { }",
                                  "path_count: 2 time_count: 1 states: ITEM_STATE_BLOCKED",
                                  "path_count: 2 time_count: 1 path_errors { item: 2 }",
                                  "path_count: 2 time_count: 1 item_errors { item: 4294967295 }",
                                  "path_count: 2 time_count: 1 sources: VALUE_SOURCE_DEFAULT"}) {
    EXPECT_EQ(Split(requests, reply).status().code(), absl::StatusCode::kInternal) << reply;
  }
  EXPECT_TRUE(Split(requests,
                    "path_count: 2 time_count: 1 columns { "
                    "tuples { count: 18446744073709551615 } }")
                  .ok())
      << "tuples without bytes";
}

}  // namespace
}  // namespace stagedoor

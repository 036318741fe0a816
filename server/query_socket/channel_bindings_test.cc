#include "server/query_socket/channel_bindings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

class ChannelBindingsTest : public ::testing::Test {
 protected:
  absl::Status Stage(uint32_t number, const std::string& handle) {
    v1::BindStage frame;
    frame.set_stage(number);
    frame.mutable_ref()->set_handle(handle);
    return bindings_.BindStage(frame);
  }
  absl::Status Paths(uint32_t stage, uint32_t first, const std::vector<std::string>& paths) {
    v1::BindPaths frame;
    frame.set_stage(stage);
    frame.set_first(first);
    for (const std::string& path : paths) frame.add_paths(path);
    return bindings_.BindPaths(frame);
  }
  absl::Status Unbind(uint32_t stage, uint32_t first, uint32_t count) {
    v1::Unbind frame;
    frame.mutable_paths()->set_stage(stage);
    frame.mutable_paths()->set_first(first);
    frame.mutable_paths()->set_count(count);
    return bindings_.Unbind(frame);
  }
  absl::Status UnbindStage(uint32_t stage) {
    v1::Unbind frame;
    frame.set_stage(stage);
    return bindings_.Unbind(frame);
  }
  // The handle and the paths of the request of a query, or its error.
  std::string Request(uint32_t stage, const std::vector<uint32_t>& paths) {
    v1::Query query;
    query.set_stage(stage);
    for (const uint32_t path : paths) query.add_paths(path);
    v1::BatchGetValuesRequest request;
    const absl::Status filled = bindings_.FillRequest(query, context_, &request);
    if (!filled.ok()) return std::string(Message(filled));
    std::string text = request.stage().handle();
    for (const std::string& path : request.paths()) text += " " + path;
    return text;
  }

  MemoryPool memory_{"channel", 10000};
  RequestContext context_{RequestContext::Clock::time_point::max(), {.max_bytes = 5000}};
  ChannelBindings bindings_{memory_};
};

TEST_F(ChannelBindingsTest, NumbersStandForStagesAndPaths) {
  ASSERT_TRUE(Stage(7, "h").ok());
  ASSERT_TRUE(Paths(7, 10, {"/A.x", "/A.y"}).ok());
  ASSERT_TRUE(Paths(7, 999999, {"/B.x"}).ok());
  EXPECT_EQ(Request(7, {11, 10, 999999, 10}), "h /A.y /A.x /B.x /A.x");
  EXPECT_EQ(Request(7, {}), "h");
}

TEST_F(ChannelBindingsTest, PathsStayWhenTheirStageIsReplaced) {
  ASSERT_TRUE(Stage(0, "old").ok());
  ASSERT_TRUE(Paths(0, 0, {"/A.x"}).ok());
  ASSERT_TRUE(Stage(0, "new").ok());
  EXPECT_EQ(Request(0, {0}), "new /A.x");
}

TEST_F(ChannelBindingsTest, NumbersThatAreNotBoundAreErrors) {
  EXPECT_EQ(Request(0, {}), "query.stage: the number 0 is not bound");
  EXPECT_EQ(Message(Paths(3, 0, {"/A.x"})), "bind_paths.stage: the number 3 is not bound");
  EXPECT_EQ(Message(UnbindStage(3)), "unbind.stage: the number 3 is not bound");
  EXPECT_EQ(Message(Unbind(3, 0, 1)), "unbind.paths.stage: the number 3 is not bound");
  ASSERT_TRUE(Stage(0, "h").ok());
  EXPECT_EQ(Request(0, {5}), "query.paths: the number 5 is not bound");
}

TEST_F(ChannelBindingsTest, LargeNumbersAreErrors) {
  EXPECT_EQ(GetReason(Stage(65536, "h")), v1::ERROR_REASON_INVALID_FIELD);
  ASSERT_TRUE(Stage(65535, "h").ok());
  EXPECT_EQ(GetReason(Paths(65535, 999999, {"/A.x", "/A.y"})), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(GetReason(Paths(65535, 4294967295, {"/A.x"})), v1::ERROR_REASON_INVALID_FIELD);
}

TEST_F(ChannelBindingsTest, UnbindReturnsAllMemory) {
  ASSERT_TRUE(Stage(0, "h").ok());
  const size_t bare = memory_.used();
  ASSERT_TRUE(Paths(0, 0, {"/A.x", "/A.y", "/A.z"}).ok());
  ASSERT_TRUE(Paths(0, 1, {"/a much longer path than before.y"}).ok());
  ASSERT_TRUE(Unbind(0, 1, 1).ok());
  EXPECT_EQ(Request(0, {1}), "query.paths: the number 1 is not bound");
  EXPECT_EQ(Request(0, {0, 2}), "h /A.x /A.z");
  ASSERT_TRUE(Unbind(0, 0, 4000000000).ok());
  EXPECT_EQ(memory_.used(), bare);
  ASSERT_TRUE(Stage(0, "a longer handle").ok());
  ASSERT_TRUE(Paths(0, 0, {"/A.x"}).ok());
  ASSERT_TRUE(UnbindStage(0).ok());
  EXPECT_EQ(memory_.used(), 0);
}

TEST_F(ChannelBindingsTest, BindingsCountAgainstTheChannel) {
  ASSERT_TRUE(Stage(0, "h").ok());
  EXPECT_EQ(Paths(0, 0, {"/" + std::string(20000, 'x')}).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Stage(1, std::string(20000, 'x')).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Request(1, {}), "query.stage: the number 1 is not bound");
}

TEST_F(ChannelBindingsTest, RequestsCountAgainstTheCall) {
  ASSERT_TRUE(Stage(0, "h").ok());
  ASSERT_TRUE(Paths(0, 0, {"/" + std::string(1000, 'x')}).ok());
  EXPECT_NE(Request(0, {0, 0, 0, 0, 0, 0}).find("the request"), std::string::npos);
  EXPECT_TRUE(context_.failed());
}

TEST_F(ChannelBindingsTest, WhatAQueryTakesIsReservedForItsRequest) {
  ASSERT_TRUE(Stage(0, "h").ok());
  v1::Query small, frames, times, ranges, digests;
  for (int i = 0; i < 50; ++i) {
    frames.mutable_times()->add_frames(i);
    times.mutable_times()->add_times()->mutable_default_time();
    ranges.mutable_times()->add_ranges("1:" + std::string(40, '1'));
    digests.mutable_digest_options()->add_known(std::string(32, 'd'));
  }
  for (const v1::Query* query : {&small, &frames, &times, &ranges, &digests}) {
    RequestContext context(RequestContext::Clock::time_point::max(), {});
    v1::BatchGetValuesRequest request;
    ASSERT_TRUE(bindings_.FillRequest(*query, context, &request).ok());
    EXPECT_GE(context.reserved_bytes(), query->SpaceUsedLong()) << query->DebugString();
    EXPECT_LE(context.reserved_bytes(), 4 * query->SpaceUsedLong() + 1000) << query->DebugString();
  }
}

}  // namespace
}  // namespace stagedoor::server

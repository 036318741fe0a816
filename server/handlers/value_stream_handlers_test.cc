#include "server/handlers/value_stream_handlers.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/testing/data_streams.h"
#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Doubles = std::vector<double>;

using Strings = std::vector<std::string>;

class ValueStreamHandlersTest : public ServerTest {
 protected:
  static std::string Numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += Concat(i == 0 ? "" : ", ", i);
    return text;
  }
  v1::StreamValuesRequest MakeRequest(const Strings& paths, const Doubles& frames) {
    return RequestFor<v1::StreamValuesRequest>(Open(), paths, frames);
  }
  v1::StreamTimeSamplesRequest AskTimes(const Strings& paths) {
    v1::StreamTimeSamplesRequest request;
    *request.mutable_stage() = Open();
    for (const std::string& path : paths) request.add_paths(path);
    return request;
  }
};

TEST_F(ValueStreamHandlersTest, ItemsComeInOrderEachWithAHeader) {
  Write("root.usda", R"(def "P"
{
    int[] array.timeSamples = { 1: [1, 2], 2: [3] }
    double number = 5
    double none = None
}
)");
  const auto parts = All(&Client::StreamValues,
                         MakeRequest({"/P.array", "/P.number", "/P.none", "/P.nothing"}, {1, 2}));
  ASSERT_EQ(parts.size(), 8u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(parts[i].header().item(), i);
  EXPECT_EQ(parts[0].header().type_name(), "int[]");
  EXPECT_EQ(parts[0].header().array().count(), 2u);
  EXPECT_EQ(parts[0].data(), std::string("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(parts[1].header().array().count(), 1u);
  EXPECT_EQ(parts[1].data(), std::string("\3\0\0\0", 4));
  EXPECT_EQ(parts[2].header().value().double_value(), 5);
  const v1::ItemState states[] = {
      v1::ITEM_STATE_VALUE,   v1::ITEM_STATE_VALUE,   v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE,
      v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_ERROR, v1::ITEM_STATE_ERROR};
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(parts[i].header().state(), states[i]) << i;
  EXPECT_EQ(parts[6].header().error().reason(), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(parts[6].header().error().item(), 6u);
}

TEST_F(ValueStreamHandlersTest, ArraysComeInChunksOfAtLeastAPage) {
  Write("root.usda", Concat("def \"P\" { int[] array = [", Numbers(2049), "]; }\n"));
  v1::StreamValuesRequest request = MakeRequest({"/P.array"}, {1});
  request.set_chunk_bytes(1);
  const auto parts = All(&Client::StreamValues, request);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].data().size(), 4096u);
  EXPECT_EQ(parts[2].data().size(), 4u);
  EXPECT_TRUE(parts[0].has_header());
  EXPECT_FALSE(parts[1].has_header());
  v1::PackedValues whole;
  whole.set_data(DataOf(parts));
  const auto numbers = Unpack<int>(whole);
  ASSERT_EQ(numbers.size(), 2049u);
  for (int i = 0; i < 2049; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
}

TEST_F(ValueStreamHandlersTest, ChunksHaveTheRequestedSizeUpToALimit) {
  constexpr int kCount = (4 << 20) / 4 + 1;
  std::string zeros = "0";
  for (int i = 1; i < kCount; ++i) zeros += ",0";
  Write("root.usda", Concat("def \"P\" { int[] array = [", zeros, "]; }\n"));
  v1::StreamValuesRequest request = MakeRequest({"/P.array"}, {1});
  const auto first_size = [&](uint32_t chunk) {
    request.set_chunk_bytes(chunk);
    return All(&Client::StreamValues, request)[0].data().size();
  };
  EXPECT_EQ(first_size(10000), 10000u);
  EXPECT_EQ(first_size(0), 1u << 20) << "the default";
  EXPECT_EQ(first_size(1u << 30), 4u << 20) << "the maximum";
}

TEST_F(ValueStreamHandlersTest, ValuesHaveLimits) {
  Write("root.usda", "def \"P\" { double x = 1; }\n");
  ServerOptions options;
  options.limits.max_paths = 2;
  options.limits.max_items = 4;
  Start(options);
  EXPECT_TRUE(End(&Client::StreamValues, MakeRequest({"/P.x", "/P.x"}, {1, 2})).ok());
  EXPECT_EQ(ErrorReason(End(&Client::StreamValues, MakeRequest({"/P.x", "/P.x"}, {1, 2, 3}))),
            "REQUEST_TOO_LARGE");
  EXPECT_EQ(ErrorReason(End(&Client::StreamValues, MakeRequest({"/P.x", "/P.x", "/P.x"}, {1}))),
            "REQUEST_TOO_LARGE");
  EXPECT_TRUE(End(&Client::StreamTimeSamples, AskTimes({"/P.x", "/P.x"})).ok());
  EXPECT_EQ(ErrorReason(End(&Client::StreamTimeSamples, AskTimes({"/P.x", "/P.x", "/P.x"}))),
            "REQUEST_TOO_LARGE");
}

TEST_F(ValueStreamHandlersTest, InterpolatesAsRequested) {
  Write("root.usda", "def \"P\" { double[] x.timeSamples = { 1: [10], 3: [30] }; }\n");
  v1::StreamValuesRequest request = MakeRequest({"/P.x"}, {2});
  const auto value = [&] {
    v1::PackedValues packed;
    packed.set_data(DataOf(All(&Client::StreamValues, request)));
    return Unpack<double>(packed);
  };
  EXPECT_EQ(value(), Doubles{20});
  request.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(value(), Doubles{10});
}

TEST_F(ValueStreamHandlersTest, TimesFollowTheirPaths) {
  Write("root.usda", R"(def "P"
{
    double x.timeSamples = { 1: 10, 3: 30 }
    double fixed = 4
}
)");
  const auto parts = All(&Client::StreamTimeSamples, AskTimes({"/P.x", "/P.none", "/P.fixed"}));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(Doubles(parts[0].times().begin(), parts[0].times().end()), (Doubles{1, 3}));
  EXPECT_EQ(parts[1].path_index(), 1u);
  EXPECT_EQ(parts[1].error().reason(), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(parts[1].error().item(), 1u);
  EXPECT_EQ(parts[2].path_index(), 2u);
  EXPECT_EQ(parts[2].times_size(), 0);
  v1::StreamTimeSamplesRequest some = AskTimes({"/P.x"});
  some.mutable_interval()->set_start(2);
  some.mutable_interval()->set_end(3);
  const auto late = All(&Client::StreamTimeSamples, some);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(Doubles(late[0].times().begin(), late[0].times().end()), Doubles{3});
}

TEST_F(ValueStreamHandlersTest, LongListsOfTimesComeInSeveralMessages) {
  constexpr int kPerMessage = 64 << 10;
  std::string samples;
  for (int i = 0; i <= kPerMessage; ++i) samples += Concat(i, ":0,");
  Write("root.usda", Concat("def \"P\" { int x.timeSamples = {", samples, "}; }\n"));
  const auto parts = All(&Client::StreamTimeSamples, AskTimes({"/P.x"}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].times_size(), kPerMessage);
  EXPECT_EQ(parts[0].path_index(), 0u);
  ASSERT_EQ(parts[1].times_size(), 1);
  EXPECT_EQ(parts[1].times(0), kPerMessage);
}

TEST_F(ValueStreamHandlersTest, HandlesEmptyAndInvalidIntervals) {
  Write("root.usda", "def \"P\" { double x.timeSamples = { 1: 10, 3: 30 }; }\n");
  v1::StreamTimeSamplesRequest request = AskTimes({"/P.x", "/P.x"});
  request.mutable_interval()->set_start(5);
  request.mutable_interval()->set_end(9);
  const auto none = All(&Client::StreamTimeSamples, request);
  ASSERT_EQ(none.size(), 2u) << "one message per path";
  EXPECT_EQ(none[0].times_size(), 0);
  EXPECT_EQ(none[1].path_index(), 1u);
  request.mutable_interval()->set_start(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ErrorReason(End(&Client::StreamTimeSamples, request)), "INVALID_TIME");
}

TEST_F(ValueStreamHandlersTest, EmptyArraysAreNotBlocked) {
  Write("root.usda", R"(def "P"
{
    int[] empty = []
    int[] next = [7]
    int[] blocked = None
    int[] nothing
    string[] texts = ["a", "b"]
    uchar[] byte = [9]
}
)");
  const auto parts = All(
      &Client::StreamValues,
      MakeRequest({"/P.empty", "/P.next", "/P.blocked", "/P.nothing", "/P.texts", "/P.byte"}, {1}));
  ASSERT_EQ(parts.size(), 6u);
  EXPECT_TRUE(parts[0].header().has_array());
  EXPECT_EQ(parts[0].header().array().count(), 0u);
  EXPECT_EQ(parts[0].header().state(), v1::ITEM_STATE_VALUE);
  EXPECT_EQ(parts[0].data(), "");
  EXPECT_EQ(parts[1].data().size(), 4u);
  EXPECT_EQ(parts[2].header().state(), v1::ITEM_STATE_BLOCKED);
  EXPECT_EQ(parts[3].header().state(), v1::ITEM_STATE_NONE);
  EXPECT_FALSE(parts[3].header().has_array());
  EXPECT_FALSE(parts[3].header().has_value());
  EXPECT_EQ(parts[4].header().value().string_array().values_size(), 2);
  EXPECT_EQ(parts[5].data(), "\x09");
}

TEST_F(ValueStreamHandlersTest, ReportsAnItemThatIsTooLarge) {
  Write("root.usda",
        Concat("def \"P\" { string a = \"", std::string(5000, 'x'), "\"; double b = 1; }\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 500;
  Start(options);
  const auto parts = All(&Client::StreamValues, MakeRequest({"/P.a", "/P.b"}, {1}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].header().error().reason(), "REQUEST_TOO_LARGE");
  EXPECT_EQ(parts[0].header().state(), v1::ITEM_STATE_ERROR);
  EXPECT_EQ(parts[0].header().item(), 0u);
  EXPECT_EQ(parts[1].header().item(), 1u);
  EXPECT_EQ(parts[1].header().value().double_value(), 1);
}

TEST_F(ValueStreamHandlersTest, NoEmptyChunkFollowsTheLastFullOne) {
  Write("root.usda", Concat("def \"P\" { int[] a = [", Numbers(2048), "]; double b = 1; }\n"));
  v1::StreamValuesRequest request = MakeRequest({"/P.a", "/P.b"}, {1});
  request.set_chunk_bytes(4096);
  const auto parts = All(&Client::StreamValues, request);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].data().size(), 4096u);
  EXPECT_EQ(parts[2].header().item(), 1u);
}

}  // namespace
}  // namespace stagedoor::server

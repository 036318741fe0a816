#include "server/handlers/value_stream_handlers.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

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

TEST_F(ValueStreamHandlersTest, ItemsComeInOrderEachInAMessage) {
  Write("root.usda", R"(def "P"
{
    int[] array.timeSamples = { 1: [1, 2], 2: [3] }
    double number = 5
    double none = None
}
)");
  const auto items = All(&Client::StreamValues,
                         MakeRequest({"/P.array", "/P.number", "/P.none", "/P.nothing"}, {1, 2}));
  ASSERT_EQ(items.size(), 8u);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(items[i].item(), i);
    EXPECT_EQ(items[i].snapshot().empty(), i != 0);
  }
  EXPECT_EQ(items[0].type_name(), "int[]");
  EXPECT_EQ(items[0].value().array_value().count(), 2u);
  EXPECT_EQ(items[0].value().array_value().data(), std::string("\1\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(items[1].value().array_value().count(), 1u);
  EXPECT_EQ(items[1].value().array_value().data(), std::string("\3\0\0\0", 4));
  EXPECT_EQ(items[2].value().double_value(), 5);
  const v1::ItemState states[] = {
      v1::ITEM_STATE_VALUE,   v1::ITEM_STATE_VALUE,   v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE,
      v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_ERROR, v1::ITEM_STATE_ERROR};
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(items[i].state(), states[i]) << i;
  EXPECT_FALSE(items[4].has_value());
  EXPECT_EQ(items[6].error().reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
  EXPECT_EQ(items[6].error().item(), 6u);
}

TEST_F(ValueStreamHandlersTest, WarningsComeOnceWithTheItemThatMetThemFirst) {
  WriteClips(3);
  Write("clip.2.usda", "not a layer {{{");
  Write("clip.3.usda", "not a layer either {{{");
  const auto items = All(&Client::StreamValues, MakeRequest({"/P.x"}, {1, 2, 2, 3, 2}));
  ASSERT_EQ(items.size(), 5u);
  for (const int i : {0, 2, 4}) EXPECT_EQ(items[i].warnings_size(), 0) << i;
  for (const auto& [item, clip] : {std::pair(1, "clip.2.usda"), {3, "clip.3.usda"}}) {
    ASSERT_EQ(items[item].warnings_size(), 1) << item;
    EXPECT_EQ(items[item].warnings(0).kind(), v1::Warning::KIND_UNREADABLE_ASSET);
    EXPECT_NE(items[item].warnings(0).asset().find(clip), std::string::npos);
  }
}

TEST_F(ValueStreamHandlersTest, LongArraysComeInChunksOfAtLeast64KiB) {
  constexpr int kCount = (128 << 10) / 4 + 1;
  Write("root.usda",
        Concat("def \"P\" { int[] array = [", Numbers(kCount), "]; double b = 1; }\n"));
  v1::StreamValuesRequest request = MakeRequest({"/P.array", "/P.b"}, {1});
  request.mutable_stream_options()->set_chunk_bytes(1);
  const auto parts = AllParts(&Client::StreamValues, request);
  ASSERT_EQ(parts.size(), 4u) << "no empty chunk follows the last one";
  EXPECT_EQ(parts[0].stream_parts().array_count(), 1u);
  EXPECT_EQ(parts[0].value().array_value().streamed().total_bytes(), kCount * sizeof(int));
  EXPECT_EQ(parts[3].item(), 1u);
  size_t offset = 0;
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(parts[i].stream_parts().chunks_size(), 1) << i;
    const v1::ArrayChunk& chunk = parts[i].stream_parts().chunks(0);
    EXPECT_EQ(chunk.array_id(), 0u);
    EXPECT_EQ(chunk.offset(), offset);
    offset += chunk.data().size();
    EXPECT_LE(parts[i].ByteSizeLong(), (size_t{64} << 10) + 200);
    EXPECT_GT(parts[i].ByteSizeLong(), i == 2 ? 0 : (size_t{64} << 10) - 200);
  }
  const auto items = All(&Client::StreamValues, request);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_FALSE(items[0].has_stream_parts());
  const auto numbers = Unpack<int>(items[0].value().array_value());
  ASSERT_EQ(numbers.size(), static_cast<size_t>(kCount));
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
}

TEST_F(ValueStreamHandlersTest, ChunksHaveTheRequestedSizeUpToALimit) {
  constexpr int kCount = (4 << 20) / 4 + 1;
  std::string zeros = "0";
  for (int i = 1; i < kCount; ++i) zeros += ",0";
  Write("root.usda", Concat("def \"P\" { int[] array = [", zeros, "]; }\n"));
  v1::StreamValuesRequest request = MakeRequest({"/P.array"}, {1});
  const auto second_size = [&](uint32_t chunk) {
    request.mutable_stream_options()->set_chunk_bytes(chunk);
    return AllParts(&Client::StreamValues, request)[1].stream_parts().chunks(0).data().size();
  };
  EXPECT_EQ(second_size(100000), 100000u);
  EXPECT_EQ(second_size(1), 64u << 10) << "the minimum";
  EXPECT_EQ(second_size(0), 1u << 20) << "the default";
  request.mutable_stream_options()->set_shared_segments(true);  // which no daemon has yet
  request.mutable_stream_options()->set_chunk_bytes(1u << 30);
  const auto parts = AllParts(&Client::StreamValues, request);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_LE(parts[0].ByteSizeLong(), (size_t{3584} << 10) + 200) << "the maximum";
  EXPECT_GE(parts[0].ByteSizeLong(), size_t{3584} << 10);
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
    return Unpack<double>(All(&Client::StreamValues, request)[0].value().array_value());
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
  EXPECT_EQ(Unpack<double>(parts[0].times()), (Doubles{1, 3}));
  EXPECT_EQ(parts[1].path_index(), 1u);
  EXPECT_EQ(parts[1].error().reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
  EXPECT_EQ(parts[1].error().item(), 1u);
  EXPECT_EQ(parts[2].path_index(), 2u);
  EXPECT_EQ(parts[2].times().count(), 0u);
  v1::StreamTimeSamplesRequest some = AskTimes({"/P.x"});
  some.mutable_interval()->set_start(2);
  some.mutable_interval()->set_end(3);
  const auto late = All(&Client::StreamTimeSamples, some);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(Unpack<double>(late[0].times()), Doubles{3});
  some.mutable_interval()->set_start(1);
  some.mutable_interval()->set_start_open(true);
  const auto after = All(&Client::StreamTimeSamples, some);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(Unpack<double>(after[0].times()), Doubles{3});
}

TEST_F(ValueStreamHandlersTest, LongListsOfTimesComeInChunks) {
  constexpr int kCount = 20000;
  std::string samples;
  for (int i = 0; i < kCount; ++i) samples += Concat(i, ":0,");
  Write("root.usda", Concat("def \"P\" { int x.timeSamples = {", samples, "}; }\n"));
  v1::StreamTimeSamplesRequest request = AskTimes({"/P.x", "/P.x"});
  request.mutable_interval()->set_start(1);
  request.mutable_interval()->set_end(kCount);
  request.mutable_stream_options()->set_chunk_bytes(64 << 10);
  EXPECT_EQ(AllParts(&Client::StreamTimeSamples, request).size(), 6u);
  const auto paths = All(&Client::StreamTimeSamples, request);
  ASSERT_EQ(paths.size(), 2u);
  for (const v1::StreamTimeSamplesResponse& path : paths) {
    const Doubles times = Unpack<double>(path.times());
    ASSERT_EQ(times.size(), kCount - 1u);
    for (int i = 1; i < kCount; ++i) EXPECT_EQ(times[static_cast<size_t>(i - 1)], i);
  }
}

TEST_F(ValueStreamHandlersTest, HandlesEmptyAndInvalidIntervals) {
  Write("root.usda", "def \"P\" { double x.timeSamples = { 1: 10, 3: 30 }; }\n");
  v1::StreamTimeSamplesRequest request = AskTimes({"/P.x", "/P.x"});
  request.mutable_interval()->set_start(5);
  request.mutable_interval()->set_end(9);
  const auto none = All(&Client::StreamTimeSamples, request);
  ASSERT_EQ(none.size(), 2u) << "one message per path";
  EXPECT_EQ(none[0].times().count(), 0u);
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
  EXPECT_TRUE(parts[0].value().has_array_value());
  EXPECT_EQ(parts[0].value().array_value().count(), 0u);
  EXPECT_EQ(parts[0].state(), v1::ITEM_STATE_VALUE);
  EXPECT_EQ(parts[0].value().array_value().data(), "");
  EXPECT_EQ(parts[1].value().array_value().data().size(), 4u);
  EXPECT_EQ(parts[2].state(), v1::ITEM_STATE_BLOCKED);
  EXPECT_EQ(parts[3].state(), v1::ITEM_STATE_NONE);
  EXPECT_FALSE(parts[3].has_value());
  EXPECT_EQ(parts[4].value().string_array().values_size(), 2);
  EXPECT_EQ(parts[5].value().array_value().data(), "\x09");
}

TEST_F(ValueStreamHandlersTest, ReportsAnItemThatIsTooLarge) {
  Write("root.usda",
        Concat("def \"P\" { string a = \"", std::string(5000, 'x'), "\"; double b = 1; }\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 500;
  Start(options);
  const auto parts = All(&Client::StreamValues, MakeRequest({"/P.a", "/P.b"}, {1}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].error().reason(), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_EQ(parts[0].item(), 0u);
  EXPECT_EQ(parts[1].item(), 1u);
  EXPECT_EQ(parts[1].value().double_value(), 1);
}

}  // namespace
}  // namespace stagedoor::server

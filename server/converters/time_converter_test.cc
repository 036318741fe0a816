#include "server/converters/time_converter.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace stagedoor {
namespace {

std::vector<double> Values(const std::vector<Time>& times) {
  std::vector<double> values;
  for (const Time time : times) values.push_back(time.value());
  return values;
}

TEST(FrameRangeTest, ExpandsWithBothEnds) {
  RequestContext context;
  const struct {
    std::string text;
    std::vector<double> expected;
  } kCases[] = {
      {"7", {7}},
      {"1:4", {1, 2, 3, 4}},
      {"4:1", {4, 3, 2, 1}},
      {"1:2:0.5", {1, 1.5, 2}},
      {"1:2x0.5", {1, 1.5, 2}},
      {"1:2:0.4", {1, 1.4, 1.8}},
      {"0:1:0.25,10", {0, 0.25, 0.5, 0.75, 1, 10}},
      {"-1:1", {-1, 0, 1}},
      {"5:5:3", {5}},
  };
  for (const auto& c : kCases) {
    std::vector<Time> times;
    ASSERT_TRUE(AppendFrameRange(context, c.text, 100, &times).ok()) << c.text;
    EXPECT_EQ(Values(times), c.expected) << c.text;
  }
}

TEST(FrameRangeTest, RoundingDoesNotLoseTheEnd) {
  RequestContext context;
  std::vector<Time> times;
  ASSERT_TRUE(AppendFrameRange(context, "1:2:0.1", 100, &times).ok());
  EXPECT_EQ(times.size(), 11u);
}

TEST(FrameRangeTest, MalformedRangesAreInvalid) {
  RequestContext context;
  for (const std::string text :
       {"", "a", "1:", ":2", "1:2:0", "1:2:-1", "1:2:1:1", "1:2,", "nan", "inf", "1:inf", "1 :2"}) {
    std::vector<Time> times;
    EXPECT_EQ(AppendFrameRange(context, text, 100, &times).code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(FrameRangeTest, HugeRangesAreRefusedWithoutExpansion) {
  RequestContext context;
  for (const std::string text : {"0:1e18", "0:1:1e-300", "1:101", "0:1e308:1e-308"}) {
    std::vector<Time> times;
    EXPECT_EQ(AppendFrameRange(context, text, 100, &times).code(),
              absl::StatusCode::kResourceExhausted)
        << text;
    EXPECT_TRUE(times.empty()) << text;
  }
}

TEST(ParseTimesTest, KeepsTheOrderOfTheParts) {
  RequestContext context;
  v1::TimeSelection selection;
  selection.add_ranges("8:9");
  selection.add_frames(3);
  selection.add_times()->set_kind(v1::TimeCode::KIND_DEFAULT);
  v1::TimeCode* pre = selection.add_times();
  pre->set_kind(v1::TimeCode::KIND_PRE_TIME);
  pre->set_value(2);
  const auto times = ParseTimes(context, selection, 10);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(*times, (std::vector<Time>{Time::Default(), Time::Pre(2), Time::At(3), Time::At(8),
                                       Time::At(9)}));
}

TEST(ParseTimesTest, RefusesNonsense) {
  RequestContext context;
  v1::TimeSelection none;
  EXPECT_EQ(ParseTimes(context, none, 10).status().code(), absl::StatusCode::kInvalidArgument);
  v1::TimeSelection no_kind;
  no_kind.add_times();
  EXPECT_EQ(ParseTimes(context, no_kind, 10).status().code(), absl::StatusCode::kInvalidArgument);
  v1::TimeSelection nan;
  nan.add_frames(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ParseTimes(context, nan, 10).status().code(), absl::StatusCode::kInvalidArgument);
  v1::TimeSelection many;
  for (int i = 0; i < 11; ++i) many.add_frames(i);
  EXPECT_EQ(ParseTimes(context, many, 10).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(TimeCodeTest, RoundTrips) {
  for (const Time time : {Time::Default(), Time::Earliest(), Time::At(2.5), Time::Pre(-3)}) {
    v1::TimeCode message;
    FillTimeCode(time, &message);
    const auto parsed = ParseTimeCode(message);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, time);
  }
}

}  // namespace
}  // namespace stagedoor

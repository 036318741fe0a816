#include "server/converters/time_converter.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/fail_each_allocation.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

std::vector<double> Values(const std::vector<TimeCode>& times) {
  std::vector<double> values;
  for (const TimeCode time : times) values.push_back(time.value());
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
    std::vector<TimeCode> times;
    ASSERT_TRUE(AppendFrameRange(context, c.text, 100, &times).ok()) << c.text;
    EXPECT_EQ(Values(times), c.expected) << c.text;
  }
}

TEST(FrameRangeTest, RoundingDoesNotLoseTheEnd) {
  RequestContext context;
  std::vector<TimeCode> times;
  ASSERT_TRUE(AppendFrameRange(context, "1:2:0.1", 100, &times).ok());
  EXPECT_EQ(times.size(), 11u);
}

TEST(FrameRangeTest, MalformedRangesAreInvalid) {
  RequestContext context;
  for (const std::string text :
       {"", "a", "1:", ":2", "1:2:0", "1:2:-1", "1:2:1:1", "1:2,", "nan", "inf", "1:inf", "1 :2"}) {
    std::vector<TimeCode> times;
    EXPECT_EQ(AppendFrameRange(context, text, 100, &times).code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(FrameRangeTest, RejectsHugeRangesWithoutExpansion) {
  RequestContext context;
  for (const std::string text : {"0:1e18", "0:1:1e-300", "1:101", "0:1e308:1e-308"}) {
    std::vector<TimeCode> times;
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
  selection.add_times()->mutable_default_time();
  selection.add_times()->set_pre_time(2);
  const auto times = ParseTimes(context, selection, 10);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(*times, (std::vector<TimeCode>{TimeCode::Default(), TimeCode::PreTime(2),
                                           TimeCode::At(3), TimeCode::At(8), TimeCode::At(9)}));
}

TEST(ParseTimesTest, RejectsInvalidTimes) {
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

TEST(ParseTimesTest, TimesOfAllKindsCountTogether) {
  RequestContext context;
  v1::TimeSelection selection;
  for (int i = 0; i < 2; ++i) {
    selection.add_times()->mutable_default_time();
    selection.add_frames(i);
  }
  selection.add_ranges("1:3,8");
  EXPECT_EQ(ParseTimes(context, selection, 8)->size(), 8u);
  EXPECT_GE(context.reserved_bytes(), 8 * sizeof(TimeCode));
  EXPECT_EQ(GetReason(ParseTimes(context, selection, 7).status()),
            v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_EQ(GetReason(ParseTimes(context, selection, 6).status()),
            v1::ERROR_REASON_REQUEST_TOO_LARGE);
  selection.clear_ranges();
  EXPECT_EQ(ParseTimes(context, selection, 4)->size(), 4u);
  const absl::Status many = ParseTimes(context, selection, 3).status();
  EXPECT_EQ(Message(many), "the request has more than 3 times");
  EXPECT_EQ(GetReason(many), v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

TEST(ParseTimesTest, DescribesInvalidTimes) {
  const auto error = [](const v1::TimeSelection& selection) {
    RequestContext context;
    const absl::Status status = ParseTimes(context, selection, 10).status();
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_INVALID_TIME);
    return std::string(Message(status));
  };
  v1::TimeSelection selection;
  EXPECT_EQ(error(selection), "the request has no times");
  selection.add_frames(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(error(selection), "a frame is NaN");
  v1::TimeCode* time = selection.add_times();
  EXPECT_EQ(error(selection), "a time must be numeric, default_time, earliest or pre_time");
  time->set_numeric(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(error(selection), "a time is NaN");
  time->set_pre_time(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(error(selection), "a time is NaN");
}

TEST(ParseTimesTest, RangesAreReservedInTheContext) {
  RequestContext context(RequestContext::Clock::time_point::max(),
                         {.max_bytes = 99 * sizeof(TimeCode)});
  std::vector<TimeCode> times;
  EXPECT_EQ(AppendFrameRange(context, "1:100", 1000, &times).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(times.empty());
  RequestContext small(RequestContext::Clock::time_point::max(),
                       {.max_bytes = 9 * sizeof(TimeCode)});
  v1::TimeSelection selection;
  for (int i = 0; i < 10; ++i) selection.add_frames(i);
  EXPECT_EQ(ParseTimes(small, selection, 1000).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(TimeCodeTest, EachKindHasItsField) {
  v1::TimeCode message;
  FillTimeCode(TimeCode::PreTime(2), &message);
  EXPECT_EQ(message.ShortDebugString(), "pre_time: 2");
  FillTimeCode(TimeCode::At(0), &message);
  EXPECT_EQ(message.ShortDebugString(), "numeric: 0");
  FillTimeCode(TimeCode::Earliest(), &message);
  EXPECT_EQ(message.ShortDebugString(), "earliest { }");
  FillTimeCode(TimeCode::Default(), &message);
  EXPECT_EQ(message.ShortDebugString(), "default_time { }");
}

TEST(TimeCodeTest, AFailedAllocationLeavesAMessageThatCanBeDestroyed) {
  for (const TimeCode time : {TimeCode::Default(), TimeCode::Earliest()}) {
    const uint64_t allocations = FailEachAllocation([time] {
      // On the heap, where AddressSanitizer fills what is not initialized.
      const auto message = std::make_unique<v1::TimeCode>();
      FillTimeCode(time, message.get());
    });
    EXPECT_EQ(allocations, 2u);
  }
}

TEST(IntervalTest, EndsThatAreNotSetAreInfinite) {
  v1::TimeInterval interval;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ParseInterval(interval)->first, -infinity);
  EXPECT_EQ(ParseInterval(interval)->last, infinity);
  interval.set_start(0);
  interval.set_end(0);
  EXPECT_EQ(ParseInterval(interval)->first, 0);
  EXPECT_EQ(ParseInterval(interval)->last, 0);
  EXPECT_TRUE(ParseInterval(interval)->Contains(0));
  interval.set_end_open(true);
  EXPECT_FALSE(ParseInterval(interval)->Contains(0));
  interval.set_end(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(GetReason(ParseInterval(interval).status()), v1::ERROR_REASON_INVALID_TIME);
}

TEST(InterpolationTest, DefaultsToTheStagesInterpolation) {
  for (const Interpolation otherwise : {Interpolation::kLinear, Interpolation::kHeld}) {
    EXPECT_EQ(ParseInterpolation(v1::INTERPOLATION_UNSPECIFIED, otherwise), otherwise);
    EXPECT_EQ(ParseInterpolation(v1::INTERPOLATION_LINEAR, otherwise), Interpolation::kLinear);
    EXPECT_EQ(ParseInterpolation(v1::INTERPOLATION_HELD, otherwise), Interpolation::kHeld);
  }
}

TEST(TimeCodeTest, RoundTrips) {
  for (const TimeCode time :
       {TimeCode::Default(), TimeCode::Earliest(), TimeCode::At(2.5), TimeCode::PreTime(-3)}) {
    v1::TimeCode message;
    FillTimeCode(time, &message);
    const auto parsed = ParseTimeCode(message);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, time);
  }
}

}  // namespace
}  // namespace stagedoor::server

// Expected times were recorded from UsdUtils.TimeCodeRange.
#include "scene/values/time_code_range.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::vector<double> Times(std::string_view spec) {
  const auto range = TimeCodeRange::Parse(spec);
  EXPECT_TRUE(range.ok()) << range.status();
  std::vector<double> times;
  for (uint64_t i = 0; range.ok() && i < range->size(); ++i) times.push_back((*range)[i]);
  return times;
}

TEST(TimeCodeRangeTest, ParsesFrameSpecifications) {
  using Expected = std::vector<double>;
  EXPECT_EQ(Times("1"), Expected({1}));
  EXPECT_EQ(Times("1:4"), Expected({1, 2, 3, 4}));
  EXPECT_EQ(Times("1:10x2"), Expected({1, 3, 5, 7, 9}));
  EXPECT_EQ(Times("4:1"), Expected({4, 3, 2, 1}));
  EXPECT_EQ(Times("10:1x-4"), Expected({10, 6, 2}));
  EXPECT_EQ(Times("1:2x0.25"), Expected({1, 1.25, 1.5, 1.75, 2}));
  EXPECT_EQ(Times("1:2:0.5"), Expected({1, 1.5, 2}));
  EXPECT_EQ(Times("-3:3x1.5"), Expected({-3, -1.5, 0, 1.5, 3}));
  EXPECT_EQ(Times("1.5:3"), Expected({1.5, 2.5}));
  EXPECT_EQ(Times(" +1:3"), Expected({1, 2, 3}));
  EXPECT_EQ(Times("1e2:1.01e2"), Expected({100, 101}));
  EXPECT_EQ(Times(""), Expected());
}

TEST(TimeCodeRangeTest, ReachesTheEndDespiteRounding) {
  EXPECT_EQ(Times("0:0.3x0.1"), std::vector<double>({0, 0.1, 0.2, 0.30000000000000004}));
  EXPECT_EQ(Times("0:1x0.1").size(), 11u);
  EXPECT_EQ(Times("0:0.299999999999x0.1").size(), 3u);
  EXPECT_EQ(Times("0:0.9999995").size(), 1u);
}

TEST(TimeCodeRangeTest, RejectsMalformedSpecifications) {
  for (const char* spec : {"NONE", "a", "1x2", "1:", "1:10x", "1:10x0", "1:10x-1", "10:1x1",
                           "1:10 ", "1 : 10", "1:10x2:3", "inf:3", "1:nan"}) {
    EXPECT_EQ(TimeCodeRange::Parse(spec).status().code(), absl::StatusCode::kInvalidArgument)
        << spec;
  }
}

TEST(TimeCodeRangeTest, ErrorsStateWhatIsMalformed) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a", "invalid frame specification \"a\": expected a number"},
      {"1x2", "invalid frame specification \"1x2\": expected ':' after the first time"},
      {"1:", "invalid frame specification \"1:\": expected a number after ':'"},
      {"1:10y",
       "invalid frame specification \"1:10y\": expected 'x' and a stride after the last time"},
      {"1:10x", "invalid frame specification \"1:10x\": the stride is not a number"},
      {"1:10x2 ", "invalid frame specification \"1:10x2 \": the stride is not a number"},
      {"1:10x0", "invalid time range: the stride is zero"},
      {"1:10x-1", "invalid time range: the stride leads away from the last time"},
      {"10:1x1", "invalid time range: the stride leads away from the last time"},
      {"inf", "invalid time range: times and stride must be finite"},
      {"1:inf", "invalid time range: times and stride must be finite"},
      {"1:2xnan", "invalid time range: times and stride must be finite"},
  };
  for (const auto& [spec, message] : kCases) {
    EXPECT_EQ(std::string(TimeCodeRange::Parse(spec).status().message()), message) << spec;
  }
}

TEST(TimeCodeRangeTest, RejectsTooManyTimes) {
  for (const char* spec : {"1:2x1e-300", "0:1e300"}) {
    EXPECT_EQ(TimeCodeRange::Parse(spec).status().code(), absl::StatusCode::kResourceExhausted)
        << spec;
  }
}

}  // namespace
}  // namespace stagedoor

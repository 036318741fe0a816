#include "scene/value_resolution/time_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace stagedoor {
namespace {

TEST(TimeCodeTest, TextsRoundTrip) {
  for (const char* text : {"default", "earliest", "2.5", "-3", "pre:2.5", "pre:-3", "0"}) {
    const auto time = TimeCode::Parse(text);
    ASSERT_TRUE(time.ok()) << time.status();
    EXPECT_EQ(time->ToString(), text);
  }
  EXPECT_EQ(*TimeCode::Parse("1e3"), TimeCode::At(1000));
}

TEST(TimeCodeTest, RejectsOtherTexts) {
  for (const char* text :
       {"", "pre:", "nan", "pre:nan", "1x", "x", "pre:default", "1 ", "Default"}) {
    EXPECT_EQ(TimeCode::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(TimeCodeTest, KindsAreDistinct) {
  EXPECT_TRUE(TimeCode().is_default());
  EXPECT_TRUE(TimeCode::PreTime(0).is_pre_time());
  EXPECT_FALSE(TimeCode::At(0).is_pre_time());
  EXPECT_FALSE(TimeCode::At(0).is_default());
  EXPECT_TRUE(TimeCode::Earliest().is_earliest());
  EXPECT_FALSE(TimeCode::PreTime(std::numeric_limits<double>::lowest()).is_earliest());
  EXPECT_FALSE(TimeCode::At(0).is_earliest());
  EXPECT_EQ(TimeCode::At(7).value(), 7);
  EXPECT_NE(TimeCode::At(0), TimeCode::PreTime(0));
  EXPECT_NE(TimeCode::At(0), TimeCode::Default());
}

}  // namespace
}  // namespace stagedoor

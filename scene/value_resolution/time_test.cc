#include "scene/value_resolution/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace stagedoor {
namespace {

TEST(TimeTest, TextsRoundTrip) {
  for (const char* text : {"default", "earliest", "2.5", "-3", "pre:2.5", "pre:-3", "0"}) {
    const auto time = Time::Parse(text);
    ASSERT_TRUE(time.ok()) << time.status();
    EXPECT_EQ(time->ToString(), text);
  }
  EXPECT_EQ(*Time::Parse("1e3"), Time::At(1000));
}

TEST(TimeTest, OtherTextsAreRefused) {
  for (const char* text :
       {"", "pre:", "nan", "pre:nan", "1x", "x", "pre:default", "1 ", "Default"}) {
    EXPECT_EQ(Time::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(TimeTest, KindsAreDifferent) {
  EXPECT_TRUE(Time().is_default());
  EXPECT_TRUE(Time::Pre(0).is_pre());
  EXPECT_FALSE(Time::At(0).is_pre());
  EXPECT_FALSE(Time::At(0).is_default());
  EXPECT_TRUE(Time::Earliest().is_earliest());
  EXPECT_FALSE(Time::Pre(std::numeric_limits<double>::lowest()).is_earliest());
  EXPECT_FALSE(Time::At(0).is_earliest());
  EXPECT_EQ(Time::At(7).value(), 7);
  EXPECT_NE(Time::At(0), Time::Pre(0));
  EXPECT_NE(Time::At(0), Time::Default());
}

}  // namespace
}  // namespace stagedoor

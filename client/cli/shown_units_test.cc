#include "client/cli/shown_units.h"

#include <gtest/gtest.h>

#include <limits>

namespace stagedoor {
namespace {

TEST(ShownUnitsTest, Bytes) {
  EXPECT_EQ(ShownBytes(0), "0 B");
  EXPECT_EQ(ShownBytes(999), "999 B");
  EXPECT_EQ(ShownBytes(1000), "1.0 kB");
  EXPECT_EQ(ShownBytes(99940), "99.9 kB");
  EXPECT_EQ(ShownBytes(123456), "123 kB");
  EXPECT_EQ(ShownBytes(999600), "1.0 MB");
  EXPECT_EQ(ShownBytes(3.25e9), "3.2 GB");
  EXPECT_EQ(ShownBytes(5e15), "5000 TB");
}

TEST(ShownUnitsTest, Times) {
  EXPECT_EQ(ShownTime(0), "0 µs");
  EXPECT_EQ(ShownTime(-1), "0 µs");
  EXPECT_EQ(ShownTime(0.000045), "45 µs");
  EXPECT_EQ(ShownTime(0.0034), "3.4 ms");
  EXPECT_EQ(ShownTime(0.9), "900 ms");
  EXPECT_EQ(ShownTime(1.25), "1.2 s");
  EXPECT_EQ(ShownTime(59.9), "59.9 s");
  EXPECT_EQ(ShownTime(187), "3:07");
  EXPECT_EQ(ShownTime(3599.6), "1:00:00");
  EXPECT_EQ(ShownTime(7384), "2:03:04");
  EXPECT_EQ(ShownTime(5 * 86400 + 7384), "5 d 02:03:04");
  EXPECT_EQ(ShownTime(std::numeric_limits<double>::infinity()).substr(0, 5), "11574");
}

TEST(ShownUnitsTest, Numbers) {
  EXPECT_EQ(ShownNumber(0.25), "0.2");
  EXPECT_EQ(ShownNumber(99.9), "99.9");
  EXPECT_EQ(ShownNumber(1234.4), "1234");
}

TEST(ShownUnitsTest, Durations) {
  google::protobuf::Duration duration;
  duration.set_seconds(2);
  duration.set_nanos(500000000);
  EXPECT_EQ(SecondsOf(duration), 2.5);
}

}  // namespace
}  // namespace stagedoor

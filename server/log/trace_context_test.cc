#include "server/log/trace_context.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr char kSpan[] = "00f067aa0ba902b7";

std::string Parent(const std::string& version = "00", const std::string& trace = kTrace,
                   const std::string& span = kSpan, const std::string& flags = "01") {
  return version + "-" + trace + "-" + span + "-" + flags;
}

TEST(TraceContextTest, ParsesItsFields) {
  const auto trace = ParseTraceParent(Parent());
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->trace_id, kTrace);
  EXPECT_EQ(trace->parent_id, kSpan);
  EXPECT_EQ(trace->flags, "01");
}

TEST(TraceContextTest, OnlyTheSampledFlagIsKept) {
  EXPECT_EQ(ParseTraceParent(Parent("00", kTrace, kSpan, "fe"))->flags, "00");
  EXPECT_EQ(ParseTraceParent(Parent("00", kTrace, kSpan, "0b"))->flags, "01");
}

TEST(TraceContextTest, LaterVersionsMayHaveMoreFields) {
  EXPECT_TRUE(ParseTraceParent(Parent("01")).has_value());
  EXPECT_TRUE(ParseTraceParent(Parent("cc") + "-what the future will be").has_value());
  EXPECT_FALSE(ParseTraceParent(Parent("cc") + ".x").has_value());
  EXPECT_FALSE(ParseTraceParent(Parent() + "-x").has_value());
}

TEST(TraceContextTest, InvalidValuesAreIgnored) {
  std::string upper = kTrace;
  upper[0] = 'A';
  for (const std::string& value :
       {std::string(), Parent().substr(1), Parent().substr(0, 54), Parent("ff"), Parent("0g"),
        Parent("00", std::string(32, '0')), Parent("00", upper),
        Parent("00", kTrace, std::string(16, '0')), Parent("00", kTrace, "00f067aa0ba902b\n"),
        Parent("00", kTrace, kSpan, "0x"), Parent().replace(2, 1, "_"),
        Parent().replace(35, 1, "_"), Parent().replace(52, 1, "_")}) {
    EXPECT_FALSE(ParseTraceParent(value).has_value()) << value;
  }
}

TEST(TraceContextTest, ChildrenAreOfTheSameTrace) {
  const auto trace = ParseTraceParent(Parent("01"));
  EXPECT_EQ(ChildTraceParent(*trace, "0123456789abcdef"),
            Parent("00", kTrace, "0123456789abcdef", "01"));
}

TEST(TraceContextTest, RandomDigitsDiffer) {
  EXPECT_EQ(RandomHex(16).size(), 16u);
  EXPECT_NE(RandomHex(16), RandomHex(16));
  EXPECT_NE(RandomHex(1), "0");
}

TEST(TraceContextTest, UnusableRequestIdsAreReplaced) {
  EXPECT_EQ(RequestIdOr("a b~"), "a b~");
  EXPECT_EQ(RequestIdOr(std::string(128, 'x')), std::string(128, 'x'));
  for (const std::string& value : {std::string(), std::string(129, 'x'), std::string("a\nb"),
                                   std::string("\x7f"), std::string("\xc3\xa9")}) {
    const std::string id = RequestIdOr(value);
    EXPECT_EQ(id.size(), 16u) << value;
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace stagedoor::server

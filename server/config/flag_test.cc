#include "server/config/flag.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace stagedoor::server {
namespace {

constexpr FlagRange kAny{0, UINT64_MAX};

TEST(ParseFlagNumberTest, AcceptsPowersOf1024AsSuffix) {
  const struct {
    std::string text;
    uint64_t expected;
  } kCases[] = {{"0", 0},
                {"17", 17},
                {"1K", 1024},
                {"3M", 3u << 20},
                {"2G", uint64_t{2} << 30},
                {"18446744073709551615", UINT64_MAX},
                {"17179869183G", uint64_t{17179869183} << 30},
                {"18014398509481983K", uint64_t{18014398509481983} << 10}};
  for (const auto& c : kCases) {
    for (const FlagUnit unit : {FlagUnit::kBytes, FlagUnit::kCount}) {
      const auto number = ParseFlagNumber(c.text, unit, kAny);
      ASSERT_TRUE(number.ok()) << c.text << ": " << number.status();
      EXPECT_EQ(*number, c.expected) << c.text;
    }
  }
  for (const char* text : {"", "K", "1k", "1 K", "K1", "-1", "+1", "1.5", "0x1", "1KK",
                           "18446744073709551616", "17179869184G", "18014398509481984K"}) {
    EXPECT_FALSE(ParseFlagNumber(text, FlagUnit::kBytes, kAny).ok()) << text;
  }
  EXPECT_FALSE(ParseFlagNumber("1K", FlagUnit::kSeconds, kAny).ok()) << "seconds take no suffix";
  EXPECT_EQ(*ParseFlagNumber("60", FlagUnit::kSeconds, kAny), 60u);
  EXPECT_FALSE(ParseFlagNumber("1K", FlagUnit::kMilliseconds, kAny).ok());
  EXPECT_EQ(*ParseFlagNumber("60", FlagUnit::kMilliseconds, kAny), 60u);
}

TEST(ParseFlagNumberTest, RangesAreInclusive) {
  const FlagRange range{2, 4};
  for (const char* text : {"2", "3", "4"}) {
    EXPECT_TRUE(ParseFlagNumber(text, FlagUnit::kCount, range).ok()) << text;
  }
  for (const char* text : {"1", "5"}) {
    EXPECT_FALSE(ParseFlagNumber(text, FlagUnit::kCount, range).ok()) << text;
  }
}

TEST(ParseFlagNumberTest, ErrorsStateTheAllowedValues) {
  const auto error = [](FlagUnit unit, FlagRange range) {
    return std::string(Message(ParseFlagNumber("x", unit, range).status()));
  };
  EXPECT_EQ(error(FlagUnit::kCount, {1, 5}), "a whole number from 1 to 5");
  EXPECT_EQ(error(FlagUnit::kSeconds, {0, 3600}), "a whole number of seconds from 0 to 3600");
  EXPECT_EQ(error(FlagUnit::kMilliseconds, {0, 9}), "a whole number of milliseconds from 0 to 9");
  EXPECT_EQ(error(FlagUnit::kBytes, {1, uint64_t{1} << 31}),
            "a number of bytes from 1 to 2G, optionally ending in K, M or G");
  EXPECT_EQ(error(FlagUnit::kBytes, {0, UINT64_MAX}),
            "a number of bytes from 0, optionally ending in K, M or G");
}

TEST(ParseFlagNumberTest, BytesAreFormattedWithTheLargestExactSuffix) {
  const struct {
    uint64_t number;
    std::string expected;
  } kCases[] = {{0, "0"},
                {1, "1"},
                {1023, "1023"},
                {1024, "1K"},
                {1536, "1536"},
                {64u << 20, "64M"},
                {1025u << 10, "1025K"},
                {3u << 30, "3G"},
                {(3u << 30) + (1u << 20), "3073M"}};
  for (const auto& c : kCases) EXPECT_EQ(FormatFlagNumber(c.number, FlagUnit::kBytes), c.expected);
  EXPECT_EQ(FormatFlagNumber(1024, FlagUnit::kCount), "1024");
  EXPECT_EQ(FormatFlagNumber(1024, FlagUnit::kSeconds), "1024");
  EXPECT_EQ(FlagUnitName(FlagUnit::kBytes), "BYTES");
  EXPECT_EQ(FlagUnitName(FlagUnit::kSeconds), "SECONDS");
  EXPECT_EQ(FlagUnitName(FlagUnit::kMilliseconds), "MILLISECONDS");
  EXPECT_EQ(FlagUnitName(FlagUnit::kCount), "N");
}

TEST(NumberFlagTest, FillsTheFieldAndShowsItsDefault) {
  const Flag flag = NumberFlag(
      "max-leases", FlagUnit::kCount, {1, 10}, "handles",
      [](DaemonFlags & f) -> auto& { return f.server.leases.max_leases; });
  EXPECT_EQ(flag.name, "max-leases");
  EXPECT_EQ(flag.value, "N");
  EXPECT_EQ(flag.help, "handles");
  EXPECT_EQ(flag.initial,
            FormatFlagNumber(DaemonFlags().server.leases.max_leases, FlagUnit::kCount));
  EXPECT_FALSE(flag.repeatable);
  DaemonFlags flags;
  EXPECT_TRUE(flag.set("7", flags).ok());
  EXPECT_EQ(flags.server.leases.max_leases, 7u);
  EXPECT_FALSE(flag.set("11", flags).ok());
  EXPECT_EQ(flags.server.leases.max_leases, 7u) << "a rejected value changes nothing";
  EXPECT_EQ(flag.get(flags), FlagTexts{"7"});
  const Flag memory = NumberFlag(
      "memory-limit", FlagUnit::kBytes, kAny, "memory",
      [](DaemonFlags & f) -> auto& { return f.server.memory_limit; }, "the machine's");
  EXPECT_EQ(memory.initial, "the machine's") << "an optional field has no number";
  const Flag leases = NumberFlag(
      "max-leases", FlagUnit::kCount, kAny, "handles",
      [](DaemonFlags & f) -> auto& { return f.server.leases.max_leases; }, "some");
  EXPECT_EQ(leases.initial, "some") << "words take precedence over the number";
  EXPECT_EQ(memory.get(flags), FlagTexts{}) << "not set";
  EXPECT_TRUE(memory.set("2K", flags).ok());
  EXPECT_EQ(memory.get(flags), FlagTexts{"2K"});
  EXPECT_EQ(flags.server.memory_limit, 2048u);
}

}  // namespace
}  // namespace stagedoor::server

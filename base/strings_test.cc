#include "base/strings.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(ConcatTest, JoinsTextAndNumbers) {
  const std::string name = "clip";
  EXPECT_EQ(Concat("line ", 3, ':', size_t{4}, ": ", name, std::string_view(" x")),
            "line 3:4: clip x");
  EXPECT_EQ(Concat(), "");
  EXPECT_EQ(Concat(true, false), "truefalse");
  EXPECT_EQ(Concat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(ConcatTest, WritesDoublesInShortestRoundTripForm) {
  EXPECT_EQ(Concat(0.1, " ", 0.1f, " ", 24.0, " ", -1.7976931348623157e308),
            "0.1 0.1 24 -1.7976931348623157e+308");
}

TEST(JoinTest, PutsTheSeparatorBetween) {
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<std::string>{}, ", "), "");
}

TEST(QuotedTest, EscapesAndCuts) {
  EXPECT_EQ(Quoted("a\n\x01\xff"), "'a\\n\\x01\\xff'");
  EXPECT_EQ(Quoted("gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
  EXPECT_EQ(Quoted("abcdef", 3), "'abc'...");
}

TEST(Utf8Test, AcceptsWellFormedOnly) {
  for (const char* good : {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsValidUtf8(good)) << Quoted(good);
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf0\x8f\xbf\xbf", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(IsValidUtf8(bad)) << Quoted(bad);
  }
}

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgumentError(n, " is odd");
  return n / 2;
}

absl::StatusOr<int> Quarter(int n) {
  SD_ASSIGN_OR_RETURN(const int half, Half(n));
  SD_RETURN_IF_ERROR(Half(half).status());
  return half / 2;
}

TEST(StatusMacrosTest, ReturnTheFirstError) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Message(Quarter(6).status()), "3 is odd");
  EXPECT_EQ(Message(Quarter(5).status()), "5 is odd");
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  const absl::Status status = Annotate(NotFoundError("gone"), "a.usda");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "a.usda: gone");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok());
}

}  // namespace
}  // namespace stagedoor

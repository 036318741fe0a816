#include "client/cli/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/strings.h"
#include "client/cli/safe_text.h"

namespace stagedoor {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string Text(const Plot& plot, const PlotStyle& style) {
  return Join(PlotLines(plot, style), "\n");
}

TEST(PlotTest, AsciiShowsValuesTimesAndMarks) {
  const Plot ramp{.times = {0, 10}, .series = {{"", {0, 5}}}, .marks = {0, 5, 20}};
  EXPECT_EQ(Text(ramp, {.rows = 8, .columns = 24, .utf8 = false}),
            "5 |                   **\n"
            "  |               ****\n"
            "  |           ****\n"
            "  |       ****\n"
            "  |   ****\n"
            "0 |***\n"
            "  +^---------^----------\n"
            "   0                  10");
}

TEST(PlotTest, BrailleHasEightDotsACharacter) {
  const Plot ramp{.times = {1, 3}, .series = {{"", {1, 3}}}};
  const std::string text = Text(ramp, {.rows = 6, .columns = 24});
  EXPECT_EQ(text.substr(0, text.find('\n')), Concat("3 │", std::string(16, ' '), "⣀⡠⠔⠒⠉"));
  EXPECT_NE(text.find("\n  └────"), std::string::npos) << text;
}

TEST(PlotTest, GapsHaveNoDots) {
  const Plot gap{.times = {0, 1, 2, 3, 4}, .series = {{"", {1, 1, kNone, 1, 1}}}};
  const std::string text = Text(gap, {.rows = 6, .columns = 21, .utf8 = false});
  EXPECT_NE(text.find("|*****        *****"), std::string::npos) << text;
}

TEST(PlotTest, SeveralSeriesHaveNamesAndColours) {
  const Plot vectors{.times = {0, 1}, .series = {{"x", {0, 0}}, {"y", {1, 1}}}};
  const std::string letters = Text(vectors, {.rows = 6, .columns = 22});
  EXPECT_EQ(letters.substr(0, letters.find('\n')), Concat("1 │", std::string(19, 'y')));
  EXPECT_NE(letters.find("0 │xxx"), std::string::npos) << letters;
  EXPECT_EQ(letters.substr(letters.rfind('\n')), "\n   x  y");
  const std::string colors = Text(vectors, {.rows = 6, .columns = 22, .color = true});
  EXPECT_NE(colors.find("\x1b[31mx\x1b[0m  \x1b[32my\x1b[0m"), std::string::npos) << colors;
}

TEST(PlotTest, UnusualValuesAreDrawnSafely) {
  const double huge = std::numeric_limits<double>::max();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const bool utf8 : {false, true}) {
    const PlotStyle style{.rows = 6, .columns = 30, .utf8 = utf8};
    EXPECT_EQ(PlotLines({.times = {0, 1}, .series = {{"", {-huge, huge}}}}, style).size(), 6u);
    EXPECT_EQ(PlotLines({.times = {0, 1}, .series = {{"", {infinite, kNone}}}}, style).size(), 6u);
    EXPECT_EQ(PlotLines({.times = {5}, .series = {{"", {2}}}, .marks = {kNone, 5}}, style).size(),
              6u);
    EXPECT_EQ(PlotLines({.times = {-huge, huge}, .series = {{"", {1, 2}}}}, style).size(), 6u);
  }
}

TEST(PlotTest, LinesFitTheTerminal) {
  const Plot plot{.times = {1, 100000}, .series = {{"", {-1.23456e-20, 1}}}, .marks = {50}};
  for (const size_t columns : {20u, 40u, 79u, 200u}) {
    for (const std::string& line : PlotLines(plot, {.rows = 10, .columns = columns})) {
      EXPECT_LE(CountColumns(line), std::max<size_t>(columns, 30)) << line;
    }
  }
}

}  // namespace
}  // namespace stagedoor

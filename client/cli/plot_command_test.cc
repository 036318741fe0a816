#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "client/cli/exit_status.h"
#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class PlotCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    ::setenv("COLUMNS", "24", 1);
    ::setenv("LINES", "40", 1);
    Write("root.usda", R"((
    startTimeCode = 0
    endTimeCode = 10
)
def "P"
{
    double x.timeSamples = { 0: 0, 10: 5 }
    float3 v.timeSamples = { 0: (0, 1, 2), 10: (0, 1, 2) }
    int[] many = [1]
    string s = "a"
    double unset
    rel r
}
)");
    Write("still.usda", "def \"P\" { double x = 1; }\n");
  }
};

TEST_F(PlotCommandTest, PlotsAtTheGivenTimes) {
  EXPECT_EQ(
      Printed(RunPlot, {"plot", "/root.usda", "/P.x", "--times=10,0", "--height=8", "--ascii"}),
      "/P.x (double)\n"
      "5 |                   **\n"
      "  |               ****\n"
      "  |           ****\n"
      "  |       ****\n"
      "  |   ****\n"
      "0 |***\n"
      "  +^-------------------^\n"
      "   0                  10\n");
}

TEST_F(PlotCommandTest, PlotsOverTheRangeOfTheStage) {
  const std::string text =
      Printed(RunPlot, {"plot", "/root.usda", "/P.x", "--height=8", "--ascii"});
  EXPECT_EQ(text.substr(0, text.find('|')), "/P.x (double)\n5 ");
  const std::string end = "\n  +^-------------------^\n   0                  10\n";
  EXPECT_EQ(text.substr(text.size() - end.size()), end) << text;
}

TEST_F(PlotCommandTest, PlotsTheComponentsOfVectors) {
  const std::string text =
      Printed(RunPlot, {"plot", "/root.usda", "/P.v", "--times=2:4", "--height=7", "--ascii"});
  EXPECT_EQ(text,
            "/P.v (float3)\n"
            "2 |zzzzzzzzzzzzzzzzzzzzz\n"
            "  |\n"
            "  |yyyyyyyyyyyyyyyyyyyyy\n"
            "0 |xxxxxxxxxxxxxxxxxxxxx\n"
            "  +---------------------\n"
            "   2                   4\n"
            "   x  y  z\n");
}

TEST_F(PlotCommandTest, WhatCannotBePlottedIsAnError) {
  const auto fails = [&](const std::string& path, const char* flag = "--ascii") {
    return Failure(RunPlot, {"plot", "/root.usda", path, flag});
  };
  EXPECT_EQ(Message(fails("/P.many")),
            "'/P.many' has the type 'int[]'; plot shows numbers, vectors and quaternions");
  EXPECT_EQ(fails("/P.s").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(fails("/P.unset")), "'/P.unset' has no value at these times");
  EXPECT_EQ(Message(fails("/P.none")),
            "attribute '/P.none' does not exist; the attributes of '/P' are 'many', 's', 'unset', "
            "'v', 'x'");
  EXPECT_EQ(fails("/Q.x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ToExitStatus(fails("/P")), kExitUsage);
  EXPECT_TRUE(IsUsageError(fails("/P.x", "--times=default")));
  EXPECT_TRUE(IsUsageError(fails("/P.x", "--times=nan")));
  EXPECT_TRUE(IsUsageError(fails("/P.x", "--times=1,inf")));
  EXPECT_TRUE(IsUsageError(fails("/P.x", "--color=blue")));
  EXPECT_TRUE(IsUsageError(Failure(RunPlot, {"plot", "/still.usda", "/P.x"})))
      << "without a range of times";
  EXPECT_NE(Printed(RunPlot, {"plot", "/still.usda", "/P.x", "--times=1:3"}), "");
}

}  // namespace
}  // namespace stagedoor

#include "client/cli/command_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "client/cli/command_table.h"
#include "client/cli/exit_status.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

using Words = std::vector<std::string>;

// What is wrong with a command line; empty: nothing.
std::string Error(const Words& words) {
  const auto line = CommandLine::Parse(words);
  const absl::Status status = line.ok() ? CheckCommandLine(*line) : line.status();
  if (status.ok()) return "";
  EXPECT_EQ(ExitStatusOf(status), kExitUsage) << status;
  return std::string(Message(status));
}

TEST(CommandLineTest, OptionsStandAnywhere) {
  const auto line = CommandLine::Parse(
      {"--address=h:1", "get", "--times", "1,2", "root.usda", "/A.x", "--load=none"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command(), "get");
  EXPECT_EQ(line->arguments(), (Words{"root.usda", "/A.x"}));
  EXPECT_EQ(line->Option("times"), "1,2");
  EXPECT_EQ(line->Option("load"), "none");
}

TEST(CommandLineTest, AMaskTakesSeveralPaths) {
  const auto line = CommandLine::Parse({"get", "r.usda", "--mask", "/A", "/B/C", "/A.x"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->Options("mask"), (Words{"/A", "/B/C"}));
  EXPECT_EQ(line->arguments(), (Words{"r.usda", "/A.x"}));
  const auto before = CommandLine::Parse({"tree", "--mask", "/A", "/show/r.usda"});
  EXPECT_EQ(before->arguments(), (Words{"/show/r.usda"}));
  const auto exact = CommandLine::Parse({"tree", "r.usda", "--mask=/A", "/B"});
  EXPECT_EQ(exact->Options("mask"), (Words{"/A"}));
  EXPECT_EQ(exact->arguments(), (Words{"r.usda", "/B"}));
}

TEST(CommandLineTest, AfterTwoDashesNoWordIsAnOption) {
  const auto line = CommandLine::Parse({"layer", "--", "--odd.usda"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->arguments(), (Words{"--odd.usda"}));
}

TEST(CommandLineTest, MistakesAreSaidWithASuggestion) {
  const struct {
    Words words;
    std::string part;
  } kCases[] = {
      {{"get", "r", "/A.x", "--time", "12"}, "get has no option --time; did you mean --times?"},
      {{"layer", "r", "--mask=/A"}, "layer has no option --mask"},
      {{"stats", "--depth=3"}, "stats has no option --depth"},
      {{"get", "r", "/A.x", "--tims=1"}, "did you mean --time"},
      {{"get", "r", "/A.x", "-x"}, "unknown option '-x'"},
      {{"get", "r"}, "get needs ROOT PATH.attr"},
      {{"stages", "r"}, "stages takes no arguments"},
      {{"tree", "r", "--depth"}, "--depth needs a value: N"},
      {{"tree", "r", "--depth", "--load=all"}, "--depth needs a value"},
      {{"dump", "r", "--skin=1"}, "--skin takes no value"},
      {{"tre", "r"}, "did you mean tree?"},
      {{"frobnicate"}, "unknown command 'frobnicate'"},
  };
  for (const auto& c : kCases) {
    EXPECT_NE(Error(c.words).find(c.part), std::string::npos)
        << Error(c.words) << " lacks " << c.part;
  }
}

TEST(CommandLineTest, EveryCommandTakesWhatItDeclares) {
  for (const CommandSpec& command : AllCommands()) {
    Words words = {std::string(command.name), "--timeout=1"};
    for (size_t i = 0; i < command.least; ++i) words.push_back("x");
    for (const std::string_view name : command.options) {
      const OptionSpec* option = FindOption(name);
      ASSERT_NE(option, nullptr) << name;
      words.push_back(Concat("--", name, option->value.empty() ? "" : "=1"));
    }
    EXPECT_EQ(Error(words), "") << command.name;
    const std::string help = HelpOf(command);
    for (const std::string_view name : command.options) {
      EXPECT_NE(help.find(Concat("--", name)), std::string::npos) << help;
    }
    EXPECT_NE(Overview().find(Concat("  ", command.name, " ")), std::string::npos) << command.name;
  }
}

TEST(CommandLineTest, CountsAreWholeNumbers) {
  for (const char* text : {"-1", "1.5", "x", "", "99999999999", "nan"}) {
    const auto line = CommandLine::Parse({"tree", "r", Concat("--depth=", text)});
    ASSERT_TRUE(line.ok());
    EXPECT_FALSE(line->CountOption("depth", 100).ok()) << text;
  }
  EXPECT_EQ(*CommandLine::Parse({"tree", "r", "--depth=7"})->CountOption("depth", 100), 7u);
}

std::string Times(std::string_view text) {
  const auto times = ParseTimes(text);
  if (!times.ok()) return "error";
  Words words;
  for (const TimeWord& time : *times) words.push_back(time.word);
  return Join(words, " ");
}

TEST(TimesTest, RangesHaveStrides) {
  EXPECT_EQ(Times("1:48x12"), "1 13 25 37");
  EXPECT_EQ(Times("1:2x0.5"), "1 1.5 2");
  EXPECT_EQ(Times("1:2:0.5"), "1 1.5 2");
  EXPECT_EQ(Times("3:1"), "3 2 1");
  EXPECT_EQ(Times("3:1x-2"), "3 1");
  EXPECT_EQ(Times("default,pre:3,1:2"), "default pre:3 1 2");
  for (const char* text : {"", "1:", "1:x", "1:2x", "1:2x0", "1:2x3x4", "1:2:3:4", "1:9x-1",
                           "0:1e9", "1,", "1:inf", "later"}) {
    EXPECT_EQ(Times(text), "error") << text;
  }
}

TEST(ExitStatusTest, TellsFailuresApart) {
  const auto of = [](absl::StatusCode code) { return ExitStatusOf(MakeStatus(code, "")); };
  EXPECT_EQ(ExitStatusOf(absl::OkStatus()), 0);
  EXPECT_EQ(of(absl::StatusCode::kInternal), 1);
  EXPECT_EQ(of(absl::StatusCode::kPermissionDenied), 1);
  EXPECT_EQ(ExitStatusOf(UsageError("")), 2);
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument), 2);
  EXPECT_EQ(of(absl::StatusCode::kUnavailable), 3);
  EXPECT_EQ(of(absl::StatusCode::kNotFound), 4);
  EXPECT_EQ(of(absl::StatusCode::kDataLoss), 5);
  EXPECT_EQ(of(absl::StatusCode::kDeadlineExceeded), 6);
}

}  // namespace
}  // namespace stagedoor

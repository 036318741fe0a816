#include "client/cli/command_line.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cli/command_check.h"
#include "client/cli/command_table.h"
#include "client/cli/exit_status.h"
#include "client/cli/stage_options.h"
#include "google/rpc/error_details.pb.h"

namespace stagedoor {
namespace {

using Args = std::vector<std::string>;

// The error of a command line; empty if it is valid.
std::string Error(const Args& args) {
  const auto line = CommandLine::Parse(args);
  const absl::Status status = line.ok() ? CheckCommandLine(*line) : line.status();
  if (status.ok()) return "";
  EXPECT_EQ(ToExitStatus(status), kExitUsage) << status;
  return std::string(Message(status));
}

TEST(CommandLineTest, FlagsMayAppearAnywhere) {
  const auto line = CommandLine::Parse(
      {"--address=h:1", "get", "--times", "1,2", "root.usda", "/A.x", "--load=none"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command(), "get");
  EXPECT_EQ(line->arguments(), (Args{"root.usda", "/A.x"}));
  EXPECT_EQ(line->Option("times"), "1,2");
  EXPECT_EQ(line->Option("load"), "none");
}

TEST(CommandLineTest, AMaskTakesSeveralPaths) {
  const auto line = CommandLine::Parse({"get", "r.usda", "--mask", "/A", "/B/C", "/A.x"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->Options("mask"), (Args{"/A", "/B/C"}));
  EXPECT_EQ(line->arguments(), (Args{"r.usda", "/A.x"}));
  const auto before = CommandLine::Parse({"tree", "--mask", "/A", "/show/r.usda"});
  EXPECT_EQ(before->arguments(), (Args{"/show/r.usda"}));
  const auto exact = CommandLine::Parse({"tree", "r.usda", "--mask=/A", "/B"});
  EXPECT_EQ(exact->Options("mask"), (Args{"/A"}));
  EXPECT_EQ(exact->arguments(), (Args{"r.usda", "/B"}));
}

TEST(CommandLineTest, AfterTwoDashesNothingIsAFlag) {
  const auto line = CommandLine::Parse({"layer", "--", "--odd.usda"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->arguments(), (Args{"--odd.usda"}));
}

TEST(CommandLineTest, MistakesAreReportedWithASuggestion) {
  const struct {
    Args args;
    std::string part;
  } kCases[] = {
      {{"get", "r", "/A.x", "--time", "12"}, "get has no flag --time; did you mean --times?"},
      {{"layer", "r", "--mask=/A"}, "layer has no flag --mask"},
      {{"stats", "--depth=3"}, "stats has no flag --depth"},
      {{"get", "r", "/A.x", "--tims=1"}, "did you mean --times?"},
      {{"get", "r", "/A.x", "--tiem=1"}, "did you mean --times?"},
      {{"frame", "r", "--tiem=1"}, "did you mean --time?"},
      {{"--tiem=1", "frame", "r"}, "did you mean --time?"},
      {{"stats", "--dept=1"}, "did you mean --depth?"},
      {{"get", "r", "/A.x", "-x"}, "unknown flag '-x'"},
      {{"get", "r"}, "get needs ROOT PATH.attr"},
      {{"stages", "r"}, "stages takes no arguments"},
      {{"tree", "r", "--depth"}, "--depth needs a value: --depth=N"},
      {{"tree", "r", "--depth", "--load=all"}, "--depth needs a value"},
      {{"dump", "r", "--skin=1"}, "--skin takes no value"},
      {{"tre", "r"}, "did you mean tree?"},
      {{"frobnicate"}, "unknown command 'frobnicate' (see stagedoor help)"},
      {{"hel"}, "unknown command 'hel'; did you mean help? (see stagedoor help)"},
      {{"get", "r", "/A.x", "--adress=h:1"}, "unknown flag '--adress'; did you mean --address?"},
      {{"get", "r", "/A.x", "--embeded"}, "did you mean --embedded?"},
      {{"get", "r", "/A.x", "--timeot=1"}, "did you mean --timeout?"},
      {{"get", "r", "/A.x", "--hlp"}, "did you mean --help?"},
      {{"get", "r", "/A.x", "--verson"}, "did you mean --version?"},
      {{"get", "r", "/A.x", "--frobnicate"}, "unknown flag '--frobnicate' (see stagedoor help)"},
      {{"get", "r", "/A.x", "--arrays"}, "--arrays needs a value: --arrays=full|summary"},
      {{"dump", "r", "--depth=3"}, "dump has no flag --depth (see stagedoor help dump)"},
      {{"get", "r", "/A.x", "y"}, "get takes ROOT PATH.attr only (see stagedoor help get)"},
      {{"ls"}, "ls needs ROOT [PATH] (see stagedoor help ls)"},
      {{"stages", "r"}, "stages takes no arguments (see stagedoor help stages)"},
  };
  for (const auto& c : kCases) {
    EXPECT_NE(Error(c.args).find(c.part), std::string::npos)
        << Error(c.args) << " lacks " << c.part;
  }
}

TEST(CommandLineTest, EveryCommandTakesItsDeclaredFlags) {
  for (const CommandSpec& command : AllCommands()) {
    Args args = {std::string(command.name), "--timeout=1"};
    for (size_t i = 0; i < command.least; ++i) args.push_back("x");
    for (const std::string_view name : command.options) {
      const OptionSpec* option = FindOption(name);
      ASSERT_NE(option, nullptr) << name;
      args.push_back(Concat("--", name, option->value.empty() ? "" : "=1"));
    }
    EXPECT_EQ(Error(args), "") << command.name;
    const std::string help = CommandHelp(command);
    for (const std::string_view name : command.options) {
      EXPECT_NE(help.find(Concat("--", name)), std::string::npos) << help;
    }
    EXPECT_NE(HelpOverview().find(Concat("  ", command.name, " ")), std::string::npos)
        << command.name;
  }
}

TEST(CommandLineTest, ArgumentsThatAreNotFlagsKeepTheirOrder) {
  const auto line = CommandLine::Parse({"layer", "-", "--", "-x", "--", "--skin"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command(), "layer");
  EXPECT_EQ(line->arguments(), (Args{"-", "-x", "--", "--skin"}));
  EXPECT_TRUE(line->OptionNames().empty());
}

TEST(CommandLineTest, FlagsHaveShortNames) {
  const auto line = CommandLine::Parse({"flatten", "-o", "x", "-h"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->Option("out"), "x");
  EXPECT_TRUE(line->Flag("help"));
  EXPECT_FALSE(line->Flag("version"));
}

TEST(CommandLineTest, TheLastOfSeveralValuesCounts) {
  const auto line =
      CommandLine::Parse({"open", "--load=all", "--load", "none", "--mask=/A", "--mask", "/B"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->Option("load"), "none");
  EXPECT_EQ(line->Options("load"), (Args{"all", "none"}));
  EXPECT_EQ(line->Options("mask"), (Args{"/A", "/B"}));
  EXPECT_EQ(line->Options("session"), Args{});
  EXPECT_EQ(line->Option("session"), std::nullopt);
  EXPECT_EQ(line->OptionNames(), (Args{"load", "mask"}));
}

TEST(CommandLineTest, ValuesMayBeEmptyOrBeginWithADash) {
  const auto line = CommandLine::Parse({"get", "--times", "-1", "--session=", "--mask=a=b"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->Option("times"), "-1");
  EXPECT_EQ(line->Option("session"), "");
  EXPECT_EQ(line->Option("mask"), "a=b");
}

TEST(CommandLineTest, AMaskEndsAtTheFirstArgumentThatIsNotAPrimPath) {
  const struct {
    Args args, mask;
  } kCases[] = {{{"--mask", "x", "/A"}, {"x", "/A"}},
                {{"--mask", "/A", "/az_AZ_09/{v=x}B/é"}, {"/A", "/az_AZ_09/{v=x}B/é"}},
                {{"--mask", "/A", "/"}, {"/A", "/"}},
                {{"--mask", "/A", "B"}, {"/A"}},
                {{"--mask", "/A", ""}, {"/A"}},
                {{"--mask", "/A", "/B.usd", "/C"}, {"/A"}},
                {{"--mask", "/A", "/B-C"}, {"/A"}},
                {{"--mask", "/A", "/B[C"}, {"/A"}},
                {{"--mask", "/A", "/B@C"}, {"/A"}},
                {{"--mask", "/A", "/B`C"}, {"/A"}},
                {{"--mask", "/A", "/B:C"}, {"/A"}},
                {{"--mask", "/A", "--load=all", "/B"}, {"/A"}},
                {{"--session", "/A", "/B", "--mask", "/C"}, {"/C"}}};
  for (const auto& c : kCases) {
    const auto line = CommandLine::Parse(c.args);
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->Options("mask"), c.mask) << Join(c.args, " ");
  }
}

TEST(CommandLineTest, NumbersAreReadToTheirEnd) {
  const struct {
    std::string text;
    std::optional<double> expected;
  } kCases[] = {{"1.5", 1.5}, {"-2e3", -2000}, {"x", {}}, {"1x", {}}, {"", {}}, {" 1", {}}};
  for (const auto& c : kCases) {
    const auto line = CommandLine::Parse({"get", Concat("--stride=", c.text)});
    ASSERT_TRUE(line.ok()) << line.status();
    const auto number = line->NumberOption("stride");
    if (c.expected.has_value()) {
      EXPECT_EQ(*number, c.expected) << c.text;
    } else {
      EXPECT_EQ(Message(number.status()),
                Concat("--stride must be a number, not ", Quoted(c.text)));
      EXPECT_TRUE(IsUsageError(number.status()));
    }
  }
  const auto none = CommandLine::Parse({"get"})->NumberOption("stride");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
}

TEST(CommandLineTest, RelativeFileNamesBecomeAbsolute) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(AbsoluteIdentifier("/a/../b"), "/a/../b") << "unchanged";
  EXPECT_EQ(AbsoluteIdentifier("https://host/a"), "https://host/a");
  for (const char* windows : {"Z:/show/a.usd", "z:\\show\\a.usd", "\\\\srv\\show\\a.usd"}) {
    EXPECT_EQ(AbsoluteIdentifier(windows), windows) << "not below the current directory";
  }
  EXPECT_EQ(AbsoluteIdentifier("Z:a.usda"), here + "/Z:a.usda");
  EXPECT_EQ(AbsoluteIdentifier(""), "");
  EXPECT_EQ(AbsoluteIdentifier("a.usda"), here + "/a.usda");
  EXPECT_EQ(AbsoluteIdentifier("./x/../a.usda"), here + "/a.usda");
}

TEST(CommandLineTest, CountsAreWholeNumbers) {
  for (const char* text : {"-1", "1.5", "x", "", "99999999999", "nan"}) {
    const auto line = CommandLine::Parse({"tree", "r", Concat("--depth=", text)});
    ASSERT_TRUE(line.ok());
    EXPECT_FALSE(line->CountOption("depth", 100).ok()) << text;
  }
  const auto count = [](const char* text) {
    return CommandLine::Parse({"tree", "r", Concat("--depth=", text)})->CountOption("depth", 100);
  };
  EXPECT_EQ(*count("7"), 7u);
  EXPECT_EQ(*count("0"), 0u);
  EXPECT_EQ(*count("100"), 100u);
  EXPECT_EQ(Message(count("101").status()),
            "--depth must be a whole number from 0 to 100, not '101'");
  EXPECT_TRUE(IsUsageError(count("101").status()));
  const auto none = CommandLine::Parse({"tree", "r"})->CountOption("depth", 100);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
}

std::string Times(std::string_view text) {
  const auto times = ParseTimes(text);
  if (!times.ok()) return "error";
  Args args;
  for (const TimeArgument& time : *times) args.push_back(time.word);
  return Join(args, " ");
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

TEST(ExitStatusTest, DistinguishesFailures) {
  const auto of = [](absl::StatusCode code) { return ToExitStatus(MakeStatus(code, "")); };
  EXPECT_EQ(ToExitStatus(absl::OkStatus()), 0);
  EXPECT_EQ(of(absl::StatusCode::kInternal), 1);
  EXPECT_EQ(of(absl::StatusCode::kPermissionDenied), 1);
  EXPECT_EQ(ToExitStatus(UsageError("")), 2);
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument), 2);
  EXPECT_EQ(of(absl::StatusCode::kUnavailable), 3);
  EXPECT_EQ(of(absl::StatusCode::kNotFound), 4);
  EXPECT_EQ(of(absl::StatusCode::kDataLoss), 5);
  EXPECT_EQ(of(absl::StatusCode::kDeadlineExceeded), 6);
}

// An error as a daemon reports it, with its stable reason.
absl::Status WithReason(absl::StatusCode code, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  absl::Status status = MakeStatus(code, "");
  status.SetPayload("type.googleapis.com/google.rpc.ErrorInfo",
                    absl::Cord(info.SerializeAsString()));
  return status;
}

TEST(ExitStatusTest, TheReasonDecidesWhereTheCodeIsAmbiguous) {
  const auto of = [](absl::StatusCode code, const char* reason) {
    return ToExitStatus(WithReason(code, reason));
  };
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument, "LAYER_SYNTAX"), 5);
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument, "LAYER_"), 5);
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument, "LAYER"), 2);
  EXPECT_EQ(of(absl::StatusCode::kInvalidArgument, "A_LAYER_"), 2);
  EXPECT_EQ(of(absl::StatusCode::kUnavailable, "ASSET_UNAVAILABLE"), 1) << "the daemon is there";
}

}  // namespace
}  // namespace stagedoor

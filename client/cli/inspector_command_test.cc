#include "client/cli/inspector_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<std::vector<std::string>> ArgumentsOf(std::vector<std::string> args) {
  args.insert(args.begin(), "inspect");
  const auto line = CommandLine::Parse(args);
  EXPECT_TRUE(line.ok()) << line.status();
  return InspectorArguments(*line);
}

TEST(InspectorCommandTest, FlagsAndTheRootArePassedOn) {
  EXPECT_THAT(*ArgumentsOf({}), ElementsAre());
  EXPECT_THAT(*ArgumentsOf({"/a.usda"}), ElementsAre("--", "/a.usda"));
  EXPECT_THAT(
      *ArgumentsOf(
          {"--no-browser", "--port", "0", "--address", "h:1", "--join=review", "--", "/-b.usda"}),
      ElementsAre("--address=h:1", "--join=review", "--port=0", "--no-browser", "--", "/-b.usda"));
}

TEST(InspectorCommandTest, FlagsThatMayBeRepeatedArePassedOnEachTime) {
  EXPECT_THAT(*ArgumentsOf({"--allow-origin=https://a.com", "--allow-origin=https://b.com"}),
              ElementsAre("--allow-origin=https://a.com", "--allow-origin=https://b.com"));
}

TEST(InspectorCommandTest, ARelativeRootIsMadeAbsolute) {
  EXPECT_THAT(ArgumentsOf({"a.usda"})->back(), ::testing::StartsWith("/"));
  EXPECT_EQ(ArgumentsOf({"studio://a"})->back(), "studio://a");
}

TEST(InspectorCommandTest, FlagsOfAServerInsideTheCommandAreRefused) {
  for (const char* flag : {"--embedded", "--schema-path=/x", "--cache-dir=/x"}) {
    const auto arguments = ArgumentsOf({flag});
    EXPECT_TRUE(IsUsageError(arguments.status())) << flag;
    EXPECT_THAT(std::string(arguments.status().message()), HasSubstr("--embedded")) << flag;
  }
}

TEST(InspectorCommandTest, WithoutTheProgramTheErrorSaysHowToInstallIt) {
  const TempDir empty;
  ::setenv("PATH", empty.path().c_str(), 1);
  const auto line = CommandLine::Parse({"inspect"});
  Output output;
  const absl::Status status = RunInspector(*line, output);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pip install 'stagedoor[inspect]'"));
}

}  // namespace
}  // namespace stagedoor

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cli/command_check.h"
#include "client/cli/commands.h"
#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

class CheckResolverCommandTest : public ::testing::Test {
 protected:
  CheckResolverCommandTest() {
    server_.service().Write("asset://show/shots/a.usda", "#usda 1.0\n");
    server_.service().Write("asset://show/b.usda", "");
  }

  // Runs the command; its output is in `printed_`.
  absl::Status Run(std::vector<std::string> args) {
    args.insert(args.begin(), "check-resolver");
    const auto line = CommandLine::Parse(args);
    if (!line.ok()) return line.status();
    if (absl::Status checked = CheckCommandLine(*line); !checked.ok()) return checked;
    std::FILE* const file = std::tmpfile();
    absl::Status status;
    {
      Output output(::fileno(file));
      status = RunCheckResolver(*line, output);
    }
    std::rewind(file);
    printed_.clear();
    for (int c; (c = std::fgetc(file)) != EOF;) printed_.push_back(static_cast<char>(c));
    std::fclose(file);
    return status;
  }

  const TempDir folder_{"/tmp"};
  const std::string address_ = "unix:" + folder_ / "service.sock";
  FakeServer server_{address_};
  std::string printed_;
};

TEST_F(CheckResolverCommandTest, AGoodServicePasses) {
  const absl::Status status = Run({address_, "--scheme=asset", "--path=asset://show/shots/a.usda",
                                   "--path", "asset://show/b.usda"});
  EXPECT_TRUE(status.ok()) << status << printed_;
  EXPECT_EQ(printed_.find("ok       an asset that exists can be read: "
                          "'asset://show/shots/a.usda'\n"),
            0u)
      << printed_;
  EXPECT_NE(printed_.find("\nok       ranges agree with the whole content\n"), std::string::npos)
      << printed_;
  EXPECT_NE(printed_.find("\nskipped  Watch reports changes: no --writable-dir is given\n"),
            std::string::npos)
      << printed_;
  EXPECT_NE(printed_.find(" ok, 0 failed, 3 skipped\n"), std::string::npos) << printed_;
}

TEST_F(CheckResolverCommandTest, ABrokenRuleIsPrintedAndFails) {
  server_.service().spoil_read = [](const auto&, FakeService::Messages* messages, auto*) {
    if (messages->size() > 1) messages->pop_back();
  };
  const absl::Status status = Run({address_, "--scheme=asset", "--path=asset://show/b.usda",
                                   "--path=asset://show/shots/a.usda"});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(Message(status).find("breaks 1 rule; see docs/resolver_service.md"),
            std::string_view::npos)
      << status << printed_;
  EXPECT_NE(printed_.find("\nFAILED   an asset that exists can be read: "
                          "'asset://show/shots/a.usda': DATA_LOSS"),
            std::string::npos)
      << printed_;
}

TEST_F(CheckResolverCommandTest, AServiceThatIsNotThereIsUnavailable) {
  const absl::Status status = Run({"unix:/nowhere/service.sock", "--scheme=asset",
                                   "--path=asset://show/b.usda", "--timeout=5"});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_EQ(printed_, "");
}

TEST_F(CheckResolverCommandTest, WrongCommandLinesAreUsageErrors) {
  const std::string scheme = "--scheme=asset", path = "--path=asset://show/b.usda";
  const std::vector<std::string> kCases[] = {
      {},
      {"nowhere", scheme, path},
      {address_, path},
      {address_, "--scheme=Asset", path},
      {address_, scheme},
      {address_, scheme, "--path=/show/b.usda"},
      {address_, scheme, path, "--writable-dir=/tmp"},
      {address_, scheme, path, "--writable-dir==asset://show"},
      {address_, scheme, path, "--timeout=0"},
      {address_, scheme, path, "--timeout=x"},
      {address_, scheme, path, "--address=localhost:1"},
      {address_, scheme, path, "--embedded"},
  };
  for (const auto& args : kCases) {
    const absl::Status status = Run(args);
    EXPECT_TRUE(IsUsageError(status)) << Join(args, " ") << ": " << status;
  }
}

}  // namespace
}  // namespace stagedoor

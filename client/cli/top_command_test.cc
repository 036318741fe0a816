#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>

#include "client/cli/testing/commands_test.h"
#include "client/cli/testing/fake_terminal.h"

namespace stagedoor {
namespace {

constexpr std::string_view kDrawn = "\x1b[J";

using TopCommandTest = CommandsTest;

TEST_F(TopCommandTest, OnATerminalItDrawsUntilAKeyIsTyped) {
  const FakeTerminal terminal;
  const auto line = CommandLine::Parse({"top", "--interval=0.1"});
  ASSERT_TRUE(line.ok()) << line.status();
  client();  // starts the server
  std::thread user([&terminal] {
    std::string shown;
    bool typed = false;
    while (shown.find("\x1b[?1049l") == shown.npos) {  // until it leaves the screen
      shown += terminal.Shown();
      if (typed || shown.find(kDrawn, shown.find(kDrawn) + 1) == shown.npos) continue;
      terminal.Type("q");  // at the second drawing
      typed = true;
    }
    EXPECT_TRUE(typed) << shown;
  });
  {
    const StandardStreams streams(terminal.fd());
    Output output;
    EXPECT_TRUE(RunTop(client(), *line, output).ok());
  }
  user.join();
}

}  // namespace
}  // namespace stagedoor

#include "base/testing/shell_command.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <utility>

#include "base/strings.h"
#include "base/testing/temp_dir.h"

namespace stagedoor {
namespace {

using Result = std::pair<int, std::string>;

TEST(ShellCommandTest, BothStreamsAndTheStatusAreReturned) {
  EXPECT_EQ(RunShell("echo out; echo error >&2; exit 3"), Result(3, "out\nerror\n"));
  EXPECT_EQ(RunShell(R"(printf 'a\0b')"), Result(0, std::string("a\0b", 3)));
}

TEST(ShellCommandTest, ACommandMayRedirectItsStreams) {
  EXPECT_EQ(RunShell("{ echo out; echo error >&2; } >/dev/null"), Result(0, "error\n"));
  EXPECT_EQ(RunShell("{ echo out; echo error >&2; } 2>&1 >/dev/null"), Result(0, "error\n"));
  EXPECT_EQ(RunShell("{ echo out; echo error >&2; } 2>/dev/null"), Result(0, "out\n"));
}

TEST(ShellCommandTest, ASignalIsANegativeStatus) {
  EXPECT_EQ(RunShell("kill -TERM $$"), Result(-SIGTERM, ""));
}

TEST(ShellCommandTest, TheCommandRunsConcurrently) {
  const TempDir folder;
  const std::string file = folder / "file";
  ShellCommand command(Concat("until [ -e ", file, " ]; do sleep 0.01; done; cat ", file));
  folder.Write("file", "written");
  EXPECT_EQ(command.Wait(), Result(0, "written"));
}

}  // namespace
}  // namespace stagedoor

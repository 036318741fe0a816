#include "client/cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "client/cli/progress_line.h"
#include "client/cli/testing/fake_terminal.h"

namespace stagedoor {
namespace {

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    for (const char* name : {"NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "LINES"}) {
      ::unsetenv(name);
    }
    ::setenv("TERM", "xterm", 1);
  }
  static absl::StatusOr<bool> Wants(const std::vector<std::string>& args, int fd) {
    return WantsColor(*CommandLine::Parse(args), fd);
  }

  const FakeTerminal terminal_;
  const int file_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
};

TEST_F(TerminalTest, ColoursAreForTerminals) {
  EXPECT_TRUE(*Wants({"diff"}, terminal_.fd()));
  EXPECT_TRUE(*Wants({"diff", "--color=auto"}, terminal_.fd()));
  EXPECT_FALSE(*Wants({"diff"}, file_));
  EXPECT_TRUE(*Wants({"diff", "--color=always"}, file_));
  EXPECT_FALSE(*Wants({"diff", "--color=never"}, terminal_.fd()));
  EXPECT_TRUE(IsUsageError(Wants({"diff", "--color=red"}, file_).status()));
}

TEST_F(TerminalTest, ColoursCanBeTurnedOffByTheEnvironment) {
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(*Wants({"diff"}, terminal_.fd()));
  EXPECT_TRUE(*Wants({"diff", "--color=always"}, terminal_.fd()));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(*Wants({"diff"}, terminal_.fd()));
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(*Wants({"diff"}, terminal_.fd()));
}

TEST_F(TerminalTest, TheSizeIsThatOfTheTerminalOrTheEnvironment) {
  EXPECT_EQ(TerminalSizeOf(terminal_.fd()).rows, 4u);
  EXPECT_EQ(TerminalSizeOf(terminal_.fd()).columns, 10u);
  EXPECT_EQ(TerminalSizeOf(file_).rows, 24u);
  EXPECT_EQ(TerminalSizeOf(file_).columns, 80u);
  ::setenv("COLUMNS", "132", 1);
  ::setenv("LINES", "0", 1);
  EXPECT_EQ(TerminalSizeOf(file_).columns, 132u);
  EXPECT_EQ(TerminalSizeOf(file_).rows, 2u);
  ::setenv("COLUMNS", "99999999", 1);
  EXPECT_EQ(TerminalSizeOf(file_).columns, 10000u);
}

TEST_F(TerminalTest, TheFirstLocaleThatIsSetDecides) {
  EXPECT_FALSE(UsesUtf8());
  ::setenv("LANG", "en_US.UTF-8", 1);
  EXPECT_TRUE(UsesUtf8());
  ::setenv("LC_CTYPE", "C", 1);
  EXPECT_FALSE(UsesUtf8());
  ::setenv("LC_ALL", "de_DE.utf8", 1);
  EXPECT_TRUE(UsesUtf8());
}

TEST_F(TerminalTest, TextIsColouredIfEnabled) {
  EXPECT_EQ(Colored("x", Color::kRed, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Colored("x", Color::kRed, false), "x");
}

TEST_F(TerminalTest, ProgressFitsALineAndIsRemoved) {
  {
    ProgressLine progress(terminal_.fd());
    progress.Show("1 of 2");
    EXPECT_EQ(terminal_.Shown(), "\r1 of 2\x1b[K");
    progress.Show("123456789 of 1000000000\n");
    EXPECT_EQ(terminal_.Shown(), "\r12345678…\x1b[K");
  }
  EXPECT_EQ(terminal_.Shown(), "\r\x1b[K");
}

TEST_F(TerminalTest, NoProgressIsWrittenToFiles) {
  std::FILE* file = std::tmpfile();
  {
    ProgressLine progress(::fileno(file));
    progress.Show("1 of 2");
  }
  EXPECT_EQ(::lseek(::fileno(file), 0, SEEK_END), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace stagedoor

#include "client/cli/man_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "client/cli/command_table.h"

namespace stagedoor {
namespace {

TEST(ManPageTest, HasAllCommandsAndFlags) {
  const std::string page = ManPage();
  EXPECT_EQ(page.find(".TH STAGEDOOR 1 "), 0u);
  const auto roff = [](std::string text) {
    for (size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
      text.insert(at, "\\");
    return text;
  };
  for (const CommandSpec& command : AllCommands()) {
    const std::string heading = Concat("\n.SS \"\\fB", roff(std::string(command.name)), "\\fR");
    EXPECT_NE(page.find(heading), std::string::npos) << command.name;
  }
  for (const OptionSpec& option : AllOptions()) {
    const std::string term = Concat("\\fB\\-\\-", roff(std::string(option.name)), "\\fR");
    EXPECT_NE(page.find(term), std::string::npos) << option.name;
  }
}

TEST(ManPageTest, IsAscii) {
  for (const char c : ManPage()) {
    ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  }
}

TEST(ManPageTest, GroffHasNoWarnings) {
  if (std::system("command -v groff >/dev/null 2>&1") != 0) GTEST_SKIP() << "groff is missing";
  const TempDir folder;
  folder.Write("stagedoor.1", ManPage());
  const auto printed = [&](const char* redirection) {
    auto [status, text] = RunShell(
        Concat("groff -man -ww -Tutf8 -P-cbou ", folder / "stagedoor.1", " ", redirection));
    EXPECT_EQ(status, 0);
    return text;
  };
  EXPECT_EQ(printed("2>&1 >/dev/null"), "");
  const std::string page = printed("2>/dev/null");
  EXPECT_NE(page.find("--variant-fallback"), std::string::npos);
  EXPECT_NE(page.find("PATH…"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor

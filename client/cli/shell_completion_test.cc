// The completion scripts, run by the shells that are installed.
#include "client/cli/shell_completion.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "client/cli/command_line.h"
#include "client/cli/command_table.h"

namespace stagedoor {
namespace {

// The output of a shell command, on both streams.
std::string PrintedBy(const std::string& command) {
  auto [status, printed] = RunShell(command);
  EXPECT_EQ(status, 0) << command << '\n' << printed;
  return printed;
}

bool IsInstalled(const std::string& program) {
  return std::system(Concat("command -v ", program, " >/dev/null 2>&1").c_str()) == 0;
}

class ShellCompletionTest : public ::testing::Test {
 protected:
  // Writes the script of a shell to a file and returns its name.
  std::string ScriptFor(std::string_view shell) const {
    const auto script = CompletionScript(shell);
    EXPECT_TRUE(script.ok()) << script.status();
    folder_.Write(shell, *script);
    return folder_ / shell;
  }
  // The completions that bash offers for the last of the words, which are separated as bash does.
  std::string Bash(const std::string& words) const {
    folder_.Write("run", Concat("cd ", folder_.path(), "/files || exit\nsource ", ScriptFor("bash"),
                                "\nCOMP_WORDS=(stagedoor ", words,
                                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_stagedoor\n"
                                "printf '%s\\n' \"${COMPREPLY[@]}\"\n"));
    return PrintedBy(Concat("bash --norc ", folder_ / "run"));
  }
  void SetUp() override { folder_.Write("files/shot 1.usda", ""); }

  const TempDir folder_;
};

TEST_F(ShellCompletionTest, BashOffersCommandsAndFlags) {
  EXPECT_EQ(Bash("ex"), "explain\n");
  EXPECT_EQ(Bash("--embedded ex"), "explain\n");
  EXPECT_EQ(Bash("--address = localhost : 50051 ex"), "explain\n") << "bash separates at = and :";
  EXPECT_EQ(Bash("--address localhost : 50051 ex"), "explain\n");
  EXPECT_EQ(Bash("help ex"), "explain\n");
  EXPECT_EQ(Bash("get --tim"), "--timeout\n--times\n");
  EXPECT_EQ(Bash("explain --time"), "--timeout\n--times\n--time\n");
  EXPECT_EQ(Bash("stages --dep"), "\n") << "only flags of the command";
  EXPECT_EQ(Bash("--emb"), "--embedded\n");
}

TEST_F(ShellCompletionTest, BashOffersValuesAndArguments) {
  EXPECT_EQ(Bash("get --load n"), "none\n");
  EXPECT_EQ(Bash("get --load = ''"), "all\nnone\n");
  EXPECT_EQ(Bash("get --load ="), "all\nnone\n");
  EXPECT_EQ(Bash("get --on-change on"), "on-open\n");
  EXPECT_EQ(Bash("flatten -o sh"), "shot 1.usda\n") << "a file with a space";
  EXPECT_EQ(Bash("get sh"), "shot 1.usda\n");
  EXPECT_EQ(Bash("get 'shot 1.usda' sh"), "\n") << "the path of an attribute is not a file";
  EXPECT_EQ(Bash("cat a b sh"), "shot 1.usda\n") << "any number of files";
  EXPECT_EQ(Bash("cache e"), "evict\n");
  EXPECT_EQ(Bash("cache evict sh"), "shot 1.usda\n");
  EXPECT_EQ(Bash("completion f"), "fish\n");
  EXPECT_EQ(Bash("get --times 1"), "\n") << "numbers are not completed";
}

TEST_F(ShellCompletionTest, BashKnowsAllCommandsAndFlags) {
  for (const CommandSpec& command : AllCommands()) {
    EXPECT_NE(Concat("\n", Bash(std::string(command.name))).find(Concat("\n", command.name, "\n")),
              std::string::npos)
        << command.name;
  }
  const std::string script = *CompletionScript("bash");
  for (const OptionSpec& option : AllOptions()) {
    EXPECT_NE(script.find(Concat("--", option.name)), std::string::npos) << option.name;
  }
}

TEST_F(ShellCompletionTest, ZshAcceptsTheScript) {
  if (!IsInstalled("zsh")) GTEST_SKIP() << "zsh is not installed";
  const std::string script = ScriptFor("zsh");
  EXPECT_EQ(PrintedBy(Concat("zsh -f -n ", script)), "");
  EXPECT_EQ(PrintedBy(Concat("zsh -f -c 'autoload -U compinit && compinit -D && source ", script,
                             " && print $_comps[stagedoor]'")),
            "_stagedoor\n");
}

TEST_F(ShellCompletionTest, ZshDescriptionsEscapeWhatEndsThem) {
  const std::string script = *CompletionScript("zsh");
  for (const char* flag :
       {"'*--tls[encrypt the connection, and trust ",
        "'*--address=[address of the daemon (default\\: $STAGEDOOR_ADDRESS)]:"}) {
    EXPECT_NE(script.find(flag), std::string::npos) << flag << '\n' << script;
  }
}

TEST_F(ShellCompletionTest, FishOffersCommandsFlagsAndValues) {
  if (!IsInstalled("fish")) GTEST_SKIP() << "fish is not installed";
  const std::string script = ScriptFor("fish");
  const auto offered = [&](const std::string& line) {
    return PrintedBy(Concat("HOME=", folder_.path(), " fish --no-config -c 'source ", script,
                            "; complete -C \"stagedoor ", line,
                            "\" | string split -f 1 \\t; true'"));
  };
  EXPECT_EQ(offered("expl"), "explain\n");
  EXPECT_EQ(offered("get --arr"), "--arrays\n");
  EXPECT_EQ(offered("get --load n"), "none\n");
  EXPECT_EQ(offered("completion f"), "fish\n");
}

TEST_F(ShellCompletionTest, OtherShellsAreUnknown) {
  const absl::Status status = CompletionScript("tcsh").status();
  EXPECT_TRUE(IsUsageError(status)) << status;
}

}  // namespace
}  // namespace stagedoor

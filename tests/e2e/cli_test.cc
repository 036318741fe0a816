// The command against the real daemon: exit statuses, output, usage errors, restarts.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

constexpr char kCommand[] = "client/cli/stagedoor";  // in the test's runfiles

class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    root_ = daemon_.WriteFile(
        "root.usda",
        "#usda 1.0\ndef Xform \"A\" {\n  double x = 1\n  double x.timeSamples = {12: 5}\n}\n"
        "def \"B\" {}\ndef \"C\" {}\n");
  }
  std::string Words(const std::string& words) const {
    return Concat(kCommand, " --address ", daemon_.address(), " ", words);
  }
  std::pair<int, std::string> Run(const std::string& words) const { return RunShell(Words(words)); }
  std::string Content(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  std::string Path(const std::string& name) const { return Concat(daemon_.folder(), "/", name); }

  DaemonProcess daemon_;
  std::string root_;
};

TEST_F(CliTest, ExitStatusesDistinguishFailures) {
  daemon_.WriteFile("broken.usda", "#usda 1.0\ndef {\n");
  const struct {
    std::string words;
    int status;
    std::string part;
  } kCases[] = {
      {Concat("get ", root_, " /A.x --times 12"), 0, "12\t5"},
      {Concat("get ", root_, " /A.x --time 12"), 2, "did you mean --times?"},
      {Concat("get ", root_, " A.x"), 2, "A.x"},
      {Concat("get ", root_, " /Nobody.x"), 4, "/Nobody"},
      {Concat("get ", root_, " /A.nothing"), 4, "nothing"},
      {Concat("open ", Path("missing.usda")), 4, "missing.usda"},
      {Concat("open ", Path("broken.usda")), 5, "broken.usda"},
      {Concat("validate ", Path("broken.usda")), 5, "broken.usda"},
      {Concat("convert ", root_, " ", Path("x.foo")), 2, ".usda, .usdc, .usd or .usdz"},
      {Concat("flatten ", root_, " -o ", daemon_.folder(), "/nowhere/x.usda"), 1, "nowhere"},
      {"frobnicate", 2, "unknown command"},
      {"help get", 0, "--times"},
      {"get --help", 0, "--times"},
      {"--version", 0, "stagedoor "},
  };
  for (const auto& c : kCases) {
    const auto [status, output] = Run(c.words);
    EXPECT_EQ(status, c.status) << c.words << "\n" << output;
    EXPECT_NE(output.find(c.part), std::string::npos) << c.words << "\n" << output;
  }
  // Not in the test's directory, since socket paths must be short.
  const auto [status, output] =
      RunShell(Concat(kCommand, " --address=unix:/nowhere/nobody --connect-timeout=0.2 stats"));
  EXPECT_EQ(status, 3) << output;
  EXPECT_NE(output.find("no daemon answers at unix:"), std::string::npos) << output;
}

TEST_F(CliTest, OutputThatCannotBeWrittenIsAFailure) {
  const std::string tree = Words(Concat("tree ", root_));
  auto [status, output] = RunShell(tree + " > /dev/full");
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("No space left"), std::string::npos) << output;
  EXPECT_EQ(RunShell(tree + " >&-").first, 1);
  EXPECT_EQ(RunShell(Words("help") + " > /dev/full").first, 1);
  fs::create_symlink("/dev/full", Path("full.usda"));
  std::tie(status, output) = Run(Concat("flatten ", root_, " -o ", Path("full.usda")));
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("No space left"), std::string::npos) << output;
}

TEST_F(CliTest, AClosedPipeEndsItBySigpipe) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  const std::string command = "exec " + Words(Concat("tree ", root_));
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(99);
  }
  ::close(pipe[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
}

TEST_F(CliTest, ADashIsStandardOutput) {
  const auto [status, output] = Run(Concat("flatten ", root_, " -o -"));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(output.substr(0, 5), "#usda") << output;
  EXPECT_EQ(Run(Concat("convert ", root_, " -")).second.substr(0, 5), "#usda");
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(CliTest, DocumentedFormsAreAccepted) {
  EXPECT_EQ(Run(Concat("get ", root_, " /A.x --times 1:13x12")).second, "1\t5\n13\t5\n");
  const std::string tree = Run(Concat("tree ", root_, " --mask /A /B")).second;
  EXPECT_NE(tree.find('B'), std::string::npos) << tree;
  EXPECT_EQ(tree.find('C'), std::string::npos) << tree;
}

TEST_F(CliTest, LongArraysAreSummarizedOnRequest) {
  const std::string root = daemon_.WriteFile("array.usda", R"(#usda 1.0
def Mesh "M" ( customData = { int[] long = [1, 2, 3, 4, 5, 6, 7, 8, 9] } ) {
    int[] a = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    int[] a.timeSamples = { 1: [1, 2, 3, 4, 5, 6, 7, 8, 9] }
    int[] few = [1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0),
                        (6, 0, 0), (7, 0, 0), (8, 0, 0)]
}
)");
  const std::string full = "[1,2,3,4,5,6,7,8,9]";
  const std::string summary =
      R"({"count":9,"digest":"96c992bb414577e4","first":[1,2],"last":[8,9]})";
  for (const std::string& command :
       {Concat("get ", root, " /M.a"), Concat("explain ", root, " /M.a"), Concat("layer ", root),
        Concat("dump ", root, " --times default,1")}) {
    for (const char* option : {"", " --arrays full", " --arrays=summary"}) {
      const bool summarized = option == std::string(" --arrays=summary");
      const auto [status, output] = Run(Concat(command, option));
      EXPECT_EQ(status, 0) << output;
      EXPECT_EQ(output.find(full) == std::string::npos, summarized) << command << option << output;
      EXPECT_EQ(output.find(summary) != std::string::npos, summarized) << output;
    }
    const auto [status, output] = Run(Concat(command, " --arrays some"));
    EXPECT_EQ(status, 2) << output;
    EXPECT_NE(output.find("--arrays must be full or summary"), std::string::npos) << output;
  }
  EXPECT_EQ(Run(Concat("get ", root, " /M.few --arrays summary")).second, "default\t[1,2]\n");
  EXPECT_EQ(Run(Concat("tree ", root, " --arrays summary")).first, 2) << "tree prints no values";
  const std::string records = Run(Concat("dump ", root, " --arrays summary --geom")).second;
  EXPECT_NE(records.find("[7,0,0]"), std::string::npos) << records;
  EXPECT_EQ(records.find("[6,0,0]"), std::string::npos) << records;
}

TEST_F(CliTest, LocalizeWritesIntoFoldersAndPackages) {
  daemon_.WriteFile("sub.usda", "#usda 1.0\ndef \"S\" {}\n");
  const std::string top =
      daemon_.WriteFile("top.usda", "#usda 1.0\n( subLayers = [@./sub.usda@] )\ndef \"A\" {}\n");
  EXPECT_EQ(Run(Concat("localize ", top, " -o ", Path("local"))).first, 0);
  EXPECT_EQ(Run(Concat("tree ", Path("local/top.usda"))).first, 0);
  const auto [status, output] = Run(Concat("localize ", top, " -o ", Path("local.usdz")));
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(Run(Concat("tree ", Path("local.usdz"))).first, 0);
}

TEST_F(CliTest, WaitsForADaemonThatStartsLater) {
  const TempDir folder("/tmp");
  const std::string address = Concat("unix:", folder / "s");
  ShellCommand command(Concat(kCommand, " --address=", address, " --connect-timeout=100 stats"));
  {
    const DaemonProcess later({"--address=" + address});
    const auto [status, output] = command.Wait();
    EXPECT_EQ(status, 0) << output;
    EXPECT_NE(output.find("stages"), std::string::npos) << output;
  }
}

}  // namespace
}  // namespace stagedoor

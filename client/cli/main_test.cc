// The command as a program: its output on each stream and its exit status.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/strings.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Args = std::vector<std::string>;

struct Ended {
  int exit = -1;  // -1 if it was ended by a signal
  int signal = 0;
  std::string out, error;
};

std::string ContentOf(std::FILE* file) {
  std::rewind(file);
  std::string content;
  for (int c; (c = std::fgetc(file)) != EOF;) content.push_back(static_cast<char>(c));
  std::fclose(file);
  return content;
}

// Runs the command. Its standard output goes to the descriptor `out` if given, else it is captured.
Ended Stagedoor(const Args& args, int out = -1, bool ignore_pipe = false) {
  std::FILE* const printed = std::tmpfile();
  std::FILE* const errors = std::tmpfile();
  const pid_t child = ::fork();
  if (child == 0) {
    std::string program = "client/cli/stagedoor";
    std::vector<char*> arguments = {program.data()};
    Args copy = args;
    for (std::string& word : copy) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::unsetenv("STAGEDOOR_ADDRESS");
    ::unsetenv("STAGEDOOR_EMBEDDED");
    ::setenv("PATH", "/nowhere", 1);  // so that no daemon is found
    ::signal(SIGPIPE, ignore_pipe ? SIG_IGN : SIG_DFL);
    ::dup2(out >= 0 ? out : ::fileno(printed), STDOUT_FILENO);
    ::dup2(::fileno(errors), STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Ended ended;
  if (WIFEXITED(status)) ended.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.out = ContentOf(printed);
  ended.error = ContentOf(errors);
  return ended;
}

class MainTest : public ::testing::Test {
 protected:
  MainTest() : folder_(fs::path(::testing::TempDir()) / "main_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(Root())
        << "#usda 1.0\ndef Cube \"P\" { double x.timeSamples = { 1: 10, 3: 30 }; }\n";
  }
  std::string Root() const { return (folder_ / "root.usda").string(); }
  std::string Printed(Args args) {
    args.push_back("--embedded");
    const Ended ended = Stagedoor(args);
    EXPECT_EQ(ended.exit, 0) << ended.error;
    EXPECT_EQ(ended.error, "");
    return ended.out;
  }

  const fs::path folder_;
};

TEST_F(MainTest, EachCommandRuns) {
  const std::string file = Root();
  const struct {
    Args args;
    std::string part;
  } kCases[] = {{{"open", file}, "timeCodesPerSecond: 24\n"},
                {{"ls", file}, "P/\n"},
                {{"tree", file}, "P [Cube]\n"},
                {{"get", file, "/P.x", "--times=2"}, "2\t20\n"},
                {{"samples", file, "/P.x"}, "1 3\n"},
                {{"explain", file, "/P.x", "--time=2"}, "/P.x\n  prim spec: "},
                {{"dump", file}, "{\"record\":\"stage\","},
                {{"layer", file}, "{\"record\":\"layer\","},
                {{"validate", file}, ""},
                {{"deps", file}, ""},
                {{"stages"}, ""},
                {{"stats"}, "stages 0, leases 0, "},
                {{"prefetch", file, "/P", "--interval=1:2"}, "0 clips open\n"},
                {{"flatten", file, "-o", "-"}, "#usda 1.0\n"},
                {{"convert", file, "-"}, "#usda 1.0\n"},
                {{"cat", file}, "#usda 1.0\n"},
                {{"find", file, "--type=Cube"}, "/P\n"},
                {{"diff", file, file}, ""},
                {{"plot", file, "/P.x", "--ascii"}, "/P.x (double)\n"},
                {{"perf", file, "--duration=0.1"}, "p99_ms  max_ms\n"},
                {{"completion", "bash"}, "complete -F _stagedoor stagedoor\n"},
                {{"man"}, ".TH STAGEDOOR 1 "}};
  for (const auto& c : kCases) {
    const std::string out = Printed(c.args);
    EXPECT_NE(out.find(c.part), std::string::npos) << c.args[0] << ": " << out;
    EXPECT_EQ(out.empty(), c.part.empty()) << c.args[0] << ": " << out;
  }
}

TEST_F(MainTest, HelpIsPrinted) {
  const std::string overview = Stagedoor({"help"}).out;
  EXPECT_EQ(overview.find("usage: stagedoor [--address"), 0u) << overview;
  EXPECT_EQ(Stagedoor({"--help"}).out, overview);
  EXPECT_EQ(Stagedoor({"-h"}).out, overview);
  const std::string get = Stagedoor({"help", "get"}).out;
  EXPECT_EQ(get.find("usage: stagedoor get ROOT PATH.attr"), 0u) << get;
  EXPECT_EQ(Stagedoor({"get", "--help"}).out, get);
  EXPECT_EQ(Stagedoor({"get", "--help"}).exit, 0);
  EXPECT_EQ(Stagedoor({"help", "nothing"}).exit, 2);
  EXPECT_EQ(Stagedoor({"--version"}).out.substr(0, 10), "stagedoor ");
  EXPECT_EQ(Stagedoor({"--version"}).exit, 0);
}

TEST_F(MainTest, FailuresPrintOneLineAndSetTheExitStatus) {
  const struct {
    Args args;
    int exit;
    std::string error;
  } kCases[] = {
      {{}, 2, "stagedoor: no command given (see stagedoor help)\n"},
      {{"--frob"}, 2, "stagedoor: unknown flag '--frob' (see stagedoor help)\n"},
      {{"xyzzy"}, 2, "stagedoor: unknown command 'xyzzy' (see stagedoor help)\n"},
      {{"cat", "--uncompose", "x"},
       2,
       "stagedoor: unknown flag '--uncompose'; did you mean --uncomposed? (see stagedoor help)\n"},
      {{"find", "x", "--formt=csv"},
       2,
       "stagedoor: unknown flag '--formt'; did you mean --format? (see stagedoor help)\n"},
      {{"completion", "tcsh"},
       2,
       "stagedoor: completion is for bash, zsh or fish, not for 'tcsh'\n"},
      {{"get", "r"}, 2, "stagedoor: get needs ROOT PATH.attr (see stagedoor help get)\n"},
      {{"stats"},
       2,
       "stagedoor: no daemon address; pass --address, set STAGEDOOR_ADDRESS, or use --embedded; "
       "or install a daemon: pip install 'stagedoor[daemon]'\n"},
  };
  for (const auto& c : kCases) {
    const Ended ended = Stagedoor(c.args);
    EXPECT_EQ(ended.exit, c.exit) << c.error;
    EXPECT_EQ(ended.error, c.error);
    EXPECT_EQ(ended.out, "");
  }
  const Ended missing = Stagedoor({"get", Root(), "/P.y", "--embedded"});
  EXPECT_EQ(missing.exit, 4);
  EXPECT_EQ(missing.error.find("stagedoor: NOT_FOUND: "), 0u) << missing.error;
  EXPECT_EQ(missing.error.find('\n'), missing.error.size() - 1) << missing.error;
  EXPECT_EQ(Stagedoor({"stats", "--address=unix:/nowhere", "--connect-timeout=0.001"}).exit, 3);
}

TEST_F(MainTest, ASummaryCountsProblems) {
  const std::string gaps = (folder_ / "gaps.usda").string();
  std::ofstream(gaps) << "#usda 1.0\ndef \"P\" (references = @./gone.usda@) {}\n";
  const Ended lenient = Stagedoor({"open", gaps, "--embedded"});
  EXPECT_EQ(lenient.exit, 0);
  EXPECT_EQ(lenient.error, "stagedoor: 1 error\n");
  const Ended strict = Stagedoor({"open", gaps, "--strict", "--embedded"});
  EXPECT_EQ(strict.exit, 1);
  EXPECT_EQ(strict.error.find("stagedoor: 1 error\nstagedoor: FAILED_PRECONDITION: stage '"), 0u)
      << strict.error;
  EXPECT_EQ(strict.out, lenient.out);
  const Ended deps = Stagedoor({"deps", gaps, "--embedded"});
  EXPECT_EQ(deps.exit, 0);
  EXPECT_EQ(deps.error, "stagedoor: 1 missing file\n");
  EXPECT_EQ(Stagedoor({"deps", gaps, "--strict", "--embedded"}).exit, 1);
  EXPECT_EQ(Stagedoor({"validate", "--stage", gaps, "--embedded"}).exit, 1);
}

TEST_F(MainTest, DiffEndsAsThatOfTheShellDoes) {
  const std::string other = (folder_ / "other.usda").string();
  std::ofstream(other) << "#usda 1.0\ndef Sphere \"P\" {}\n";
  const Ended same = Stagedoor({"diff", Root(), Root(), "--embedded"});
  EXPECT_EQ(same.exit, 0);
  EXPECT_EQ(same.out + same.error, "");
  const Ended differing = Stagedoor({"diff", Root(), other, "--embedded"});
  EXPECT_EQ(differing.exit, 1);
  EXPECT_EQ(differing.error, "");
  EXPECT_NE(differing.out.find("- /P type: Cube  # "), std::string::npos) << differing.out;
  EXPECT_EQ(Stagedoor({"diff", Root(), "/nowhere.usda", "--embedded"}).exit, 2);
  EXPECT_EQ(
      Stagedoor({"diff", Root(), Root(), "--address=unix:/nowhere", "--connect-timeout=0.001"})
          .exit,
      2);
  EXPECT_EQ(Stagedoor({"diff", Root()}).exit, 2);
  EXPECT_EQ(Stagedoor({"help", "diff"}).exit, 0);
  const int full = ::open("/dev/full", O_WRONLY);
  const Ended unwritten = Stagedoor({"diff", Root(), other, "--embedded"}, full);
  EXPECT_EQ(unwritten.exit, 2);
  EXPECT_NE(unwritten.error.find("No space left on device"), std::string::npos);
  ::close(full);
}

TEST_F(MainTest, AFullDiskIsAFailure) {
  const int full = ::open("/dev/full", O_WRONLY);
  const Ended help = Stagedoor({"help"}, full);
  EXPECT_EQ(help.exit, 1);
  EXPECT_NE(help.error.find("No space left on device"), std::string::npos) << help.error;
  // The error of the command itself takes precedence.
  const Ended missing = Stagedoor({"layer", "/nowhere.usda", "--embedded"}, full);
  EXPECT_EQ(missing.exit, 1);
  EXPECT_NE(missing.error.find("NOT_FOUND"), std::string::npos) << missing.error;
  for (const Args& args : {Args{"cat", Root()}, Args{"flatten", Root(), "-o", "-"},
                           Args{"find", Root()}, Args{"ls", "-l", Root()}}) {
    Args embedded = args;
    embedded.push_back("--embedded");
    const Ended ended = Stagedoor(embedded, full);
    EXPECT_EQ(ended.exit, 1) << args[0];
    EXPECT_NE(ended.error.find("No space left on device"), std::string::npos) << ended.error;
  }
  ::close(full);
}

TEST_F(MainTest, WithoutAReaderItEndsSilently) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ::close(pipe[0]);
  const Ended by_signal = Stagedoor({"help"}, pipe[1]);
  EXPECT_EQ(by_signal.signal, SIGPIPE);
  EXPECT_EQ(by_signal.error, "");
  const Ended cat = Stagedoor({"cat", Root(), "--embedded"}, pipe[1]);
  EXPECT_EQ(cat.signal, SIGPIPE);
  EXPECT_EQ(cat.error, "");
  const Ended ignoring = Stagedoor({"help"}, pipe[1], /*ignore_pipe=*/true);
  EXPECT_EQ(ignoring.exit, 1);
  EXPECT_EQ(ignoring.error, "");
  ::close(pipe[1]);
}

}  // namespace
}  // namespace stagedoor

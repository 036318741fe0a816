// Child processes that crash in different ways, and what they leave behind.
#include "server/log/crash_handler.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "server/log/crash_report.h"
#include "server/log/logging.h"

namespace stagedoor::server {

// With external linkage, and not inlined, so that they are in the trace.
__attribute__((noinline)) void WriteToNowhere(volatile int* where) { *where = 1; }
__attribute__((noinline)) int Recurse(size_t depth) {
  volatile char frame[4096] = {};
  frame[depth % sizeof(frame)] = 1;
  return depth == SIZE_MAX ? 0 : Recurse(depth + 1) + frame[0];
}
__attribute__((noinline)) void ThrowOnOtherThread() {
  std::thread([] { throw std::runtime_error("no \"prims\"\n"); }).join();
}

namespace {

// Set by a handler that is installed after that of crashes, as for mapped files.
struct sigaction before_chained;
void PassOn(int signal, siginfo_t* info, void* context) {
  before_chained.sa_sigaction(signal, info, context);
}

class CrashHandlerTest : public ::testing::Test {
 protected:
  // Runs `crash` in a child process with the handlers. Returns the signal that ended it.
  int Crash(const std::function<void()>& crash, LogFormat format = LogFormat::kText) {
    std::remove(path_.c_str());
    const pid_t child = ::fork();
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(1);
      if (!InitializeLog("info", path_, format).ok()) ::_exit(1);
      InstallCrashHandler("crash_handler_test");
      crash();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  std::string Log() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  void ExpectInLog(const std::string& part) const {
    EXPECT_NE(Log().find(part), std::string::npos) << part << " is not in\n" << Log();
  }

  const std::string path_ = ::testing::TempDir() + "/crash.log";
};

TEST_F(CrashHandlerTest, TheTraceBeginsWhereTheProcessCrashed) {
  EXPECT_EQ(Crash([] {
              spdlog::info("before the crash");
              WriteToNowhere(reinterpret_cast<int*>(0x10));
            }),
            SIGSEGV);
  ExpectInLog("[info] before the crash\n");
  ExpectInLog("Z] [critical] crash: SIGSEGV, code 1, address 0x10, thread ");
  ExpectInLog("[critical] crash: #0 0x");
  const std::string log = Log(), first = log.substr(log.find("#0 "));
  EXPECT_NE(first.substr(0, first.find('\n')).find("stagedoor::server::WriteToNowhere()"),
            std::string::npos)
      << log;
  EXPECT_NE(log.find("crash_handler_test+0x"), std::string::npos) << log;
}

TEST_F(CrashHandlerTest, AbortLeavesATrace) {
  EXPECT_EQ(Crash([] { std::abort(); }), SIGABRT);
  ExpectInLog("crash: SIGABRT, code -6, sent by process ");
  ExpectInLog("CrashHandlerTest::Crash()");
}

TEST_F(CrashHandlerTest, AnUnhandledExceptionIsNamed) {
  EXPECT_EQ(Crash(ThrowOnOtherThread), SIGABRT);
  ExpectInLog("crash: std::terminate: no \"prims\"?\n");
  ExpectInLog("crash: SIGABRT");
}

TEST_F(CrashHandlerTest, SignalsOfOtherProcessesEndTheProcessToo) {
  EXPECT_EQ(Crash([] { ::kill(::getpid(), SIGFPE); }), SIGFPE);
  ExpectInLog("crash: SIGFPE, code 0, sent by process ");
}

TEST_F(CrashHandlerTest, AHandlerThatWasInstalledLaterPassesOn) {
  EXPECT_EQ(Crash([] {
              struct sigaction action = {};
              action.sa_sigaction = PassOn;
              action.sa_flags = SA_SIGINFO | SA_ONSTACK;
              ::sigaction(SIGBUS, &action, &before_chained);
              ::raise(SIGBUS);
            }),
            SIGBUS);
  ExpectInLog("crash: SIGBUS");
  ExpectInLog("CrashHandlerTest::Crash()");
}

TEST_F(CrashHandlerTest, AThreadWithACrashStackMayOverflowItsOwn) {
  EXPECT_EQ(Crash([] {
              std::thread([] {
                EnsureCrashStack();
                Recurse(0);
              }).join();
            }),
            SIGSEGV);
  ExpectInLog("stagedoor::server::Recurse()");
}

TEST_F(CrashHandlerTest, ThreadsThatCrashTogetherLeaveOneTrace) {
  EXPECT_EQ(Crash([] {
              std::thread other([] { std::abort(); });
              std::abort();
            }),
            SIGABRT);
  const std::string log = Log(), head = "crash: SIGABRT";
  EXPECT_NE(log.find(head), std::string::npos);
  EXPECT_EQ(log.find(head), log.rfind(head)) << log;
}

TEST_F(CrashHandlerTest, JsonLogsStayJson) {
  EXPECT_EQ(Crash(ThrowOnOtherThread, LogFormat::kJson), SIGABRT);
  std::istringstream lines(Log());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("{\"time\":\"20")) << line;
    EXPECT_TRUE(line.ends_with("\"}")) << line;
  }
  ExpectInLog("\"level\":\"critical\",\"message\":\"crash: std::terminate: no \\\"prims\\\"?\"}\n");
}

std::string Written(CrashLine& line) {
  std::FILE* const file = std::tmpfile();
  line.WriteTo(::fileno(file));
  std::rewind(file);
  std::string text(4000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(CrashLineTest, NumbersHaveAllDigits) {
  CrashLine line(LogFormat::kText);
  line.AddHex(0)
      .Add(" ")
      .AddHex(0xfedcba9876543210)
      .Add(" ")
      .AddDecimal(0)
      .Add(" ")
      .AddDecimal(UINT64_MAX);
  EXPECT_TRUE(Written(line).ends_with("0x0 0xfedcba9876543210 0 18446744073709551615\n"));
}

TEST(CrashLineTest, LongLinesAreTruncated) {
  CrashLine line(LogFormat::kJson);
  line.Add(std::string(10000, 'x')).Add("y").AddHex(0).AddDecimal(UINT64_MAX);
  const std::string text = Written(line);
  EXPECT_LE(text.size(), 1400u);
  EXPECT_GE(text.size(), 1398u);
  EXPECT_TRUE(text.ends_with("x\"}\n")) << text;
}

}  // namespace
}  // namespace stagedoor::server

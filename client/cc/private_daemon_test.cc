#include "client/cc/private_daemon.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "base/version.h"
#include "client/cc/daemon_program.h"
#include "client/testing/private_daemons.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

const std::string kSocketName = Concat(kVersion, ".socket");

// Accepts connections at a relative path, for as long as a test may last.
void Listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0) << path;
  ASSERT_EQ(::listen(fd, SOMAXCONN), 0);  // it accepts none, and those who look for it add up
}

// A fake daemon, which the scripts of the tests run; not a test by itself.
TEST(DISABLED_FakeDaemon, Serves) {
  Listen(std::getenv("FAKE_SOCKET"));
  ::alarm(60);
  ::pause();
}

class PrivateDaemonTest : public ::testing::Test {
 protected:
  PrivateDaemonTest() {
    for (const char* name : {"STAGEDOOR_STOP_WHEN_IDLE", "STAGEDOOR_MEMORY_LIMIT",
                             "STAGEDOOR_QUERY_SOCKET", "STAGEDOOR_UPSTREAM", "STAGEDOOR_CONFIG"}) {
      ::unsetenv(name);
    }
    ::chmod(folder_.path().c_str(), 0700);
  }
  ~PrivateDaemonTest() override { KillPrivateDaemon(PrivateDaemon("", Folder())); }

  std::string Folder() const { return folder_ / "run"; }
  // The path of an executable script.
  std::string Script(const std::string& name, const std::string& text) const {
    folder_.Write(name, Concat("#!/bin/sh\n", text, "\n"));
    ::chmod((folder_ / name).c_str(), 0755);
    return folder_ / name;
  }
  // One that serves, and writes a line into `starts`.
  std::string FakeDaemon() const {
    const std::string self = fs::read_symlink("/proc/self/exe");
    return Script("stagedoord", Concat("echo \"$@\" >>", folder_ / "starts",
                                       "\nFAKE_SOCKET=${1#--address=unix:} exec ", self,
                                       " --gtest_also_run_disabled_tests"
                                       " --gtest_filter=DISABLED_FakeDaemon.Serves"));
  }
  std::string Content(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  size_t Starts() const {
    const std::string starts = Content("starts");
    return static_cast<size_t>(std::count(starts.begin(), starts.end(), '\n'));
  }
  std::string Failure(const std::string& program) const {
    const absl::Status status = PrivateDaemon(program, Folder()).Ensure();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    const std::string message(Message(status));
    EXPECT_EQ(message.find("cannot start a private daemon: "), 0u) << message;
    EXPECT_NE(message.find("; set STAGEDOOR_ADDRESS"), std::string::npos) << message;
    return message;
  }

  const TempDir folder_{"/tmp"};
};

TEST_F(PrivateDaemonTest, IsStartedOnce) {
  const PrivateDaemon daemon(FakeDaemon(), Folder());
  EXPECT_EQ(daemon.address(), Concat("unix:", Folder(), "/", kSocketName));
  EXPECT_EQ(*daemon.FindProcess(), std::nullopt);
  EXPECT_FALSE(fs::exists(Folder())) << "looking for it makes no folder";
  ASSERT_TRUE(daemon.Ensure().ok()) << daemon.Ensure();
  ASSERT_TRUE(daemon.Ensure().ok());
  EXPECT_EQ(Content("starts"), Concat("--address=unix:", kSocketName, " --log-file=", kVersion,
                                      ".log --query-socket=", Folder(), "/", kVersion,
                                      ".queries.socket --stop-when-idle=600 --memory-limit=50%\n"));
  EXPECT_NE(*daemon.FindProcess(), std::nullopt);
  struct stat found;
  ASSERT_EQ(::stat(Folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
}

TEST_F(PrivateDaemonTest, ThoseWhoStartItAtOnceShareIt) {
  const std::string program = FakeDaemon();
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const absl::Status status = PrivateDaemon(program, Folder()).Ensure();
      EXPECT_TRUE(status.ok()) << status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Starts(), 1u);
}

TEST_F(PrivateDaemonTest, AKilledOneIsReplaced) {
  const PrivateDaemon daemon(FakeDaemon(), Folder());
  ASSERT_TRUE(daemon.Ensure().ok());
  KillPrivateDaemon(daemon);
  fs::remove(Concat(Folder(), "/", kSocketName));  // as a daemon does with what is left
  ASSERT_TRUE(daemon.Ensure().ok()) << daemon.Ensure();
  EXPECT_EQ(Starts(), 2u);
  EXPECT_TRUE(fs::exists(daemon.log_file() + ".old"));
}

TEST_F(PrivateDaemonTest, ItIsNoChildAndHoldsNoFiles) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);  // not closed by exec
  const PrivateDaemon daemon(FakeDaemon(), Folder());
  ASSERT_TRUE(daemon.Ensure().ok());
  ::close(pipe[1]);
  char byte;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0) << "nobody else can write";
  ::close(pipe[0]);
  EXPECT_NE(::getsid(daemon.FindProcess()->value()), ::getsid(0));
}

TEST_F(PrivateDaemonTest, TheEnvironmentDecidesAboutMemoryAndIdleTime) {
  ::setenv("STAGEDOOR_STOP_WHEN_IDLE", "60", 1);
  ::setenv("STAGEDOOR_MEMORY_LIMIT", "1G", 1);
  ::setenv("STAGEDOOR_TLS_KEY", "/mine", 1);
  const std::string program = Script(
      "stagedoord", Concat("echo $# $STAGEDOOR_MEMORY_LIMIT $STAGEDOOR_TLS_KEY >&2; exit 1"));
  EXPECT_NE(Failure(program).find("it ended: 3 1G;"), std::string::npos) << Failure(program);
  ::unsetenv("STAGEDOOR_TLS_KEY");
}

TEST_F(PrivateDaemonTest, TheEnvironmentDecidesAboutTheQuerySocket) {
  const std::string program = Script("stagedoord", "echo \"$@\" >&2; exit 1");
  EXPECT_NE(Failure(program).find("--query-socket="), std::string::npos);
  for (const char* name : {"STAGEDOOR_QUERY_SOCKET", "STAGEDOOR_UPSTREAM", "STAGEDOOR_CONFIG"}) {
    ::setenv(name, "/mine", 1);
    EXPECT_EQ(Failure(program).find("--query-socket="), std::string::npos) << name;
    ::unsetenv(name);
  }
}

TEST_F(PrivateDaemonTest, ThePathOfTheQuerySocketIsOneOfASocketOrThereIsNone) {
  const size_t rest = std::string("/.queries.socket").size() + std::string(kVersion).size();
  const std::string name(107 - rest - folder_.path().size() - 1, 'x');
  const std::string program = Script("stagedoord", "echo \"$@\" >&2; exit 1");
  for (const bool fits : {true, false}) {
    const PrivateDaemon daemon(program, folder_ / (fits ? name : name + "x"));
    const std::string message(Message(daemon.Ensure()));
    EXPECT_EQ(message.find("--query-socket=") != std::string::npos, fits) << message;
  }
}

TEST_F(PrivateDaemonTest, ADirectoryMayHaveALongerPathThanASocket) {
  const std::string deep = folder_ / (std::string(100, 'x') + "/" + std::string(100, 'y'));
  fs::create_directories(deep);
  const PrivateDaemon daemon(FakeDaemon(), deep + "/run");
  EXPECT_EQ(daemon.address().find("unix:/proc/self/fd/"), 0u) << daemon.address();
  ASSERT_TRUE(daemon.Ensure().ok()) << daemon.Ensure();
  EXPECT_TRUE(fs::is_socket(daemon.address().substr(5)));
  KillPrivateDaemon(daemon);
}

TEST_F(PrivateDaemonTest, FoldersThatOthersMayUseAreRefused) {
  for (const mode_t mode : {0710, 0701, 0770, 0707}) {
    fs::create_directory(Folder());
    ::chmod(Folder().c_str(), mode);
    EXPECT_NE(Failure("/nowhere").find("is open to other users"), std::string::npos) << mode;
    EXPECT_FALSE(PrivateDaemon("", Folder()).FindProcess().ok());
  }
  fs::remove(Folder());
  fs::create_directory_symlink(folder_.path(), Folder());
  EXPECT_NE(Failure("/nowhere").find("is not a directory"), std::string::npos);
}

TEST_F(PrivateDaemonTest, FoldersOfOtherUsersAreRefused) {
  fs::create_directory(Folder());
  if (::chown(Folder().c_str(), 4321, 4321) != 0) GTEST_SKIP() << "needs root";
  EXPECT_NE(Failure("/nowhere").find("belongs to another user (uid 4321)"), std::string::npos);
}

TEST_F(PrivateDaemonTest, ASocketThatAnswersIsUsed) {
  fs::create_directory(Folder());
  ::chmod(Folder().c_str(), 0700);
  Listen(Concat(Folder(), "/", kSocketName));
  const PrivateDaemon daemon("/nowhere", Folder());
  EXPECT_TRUE(daemon.Ensure().ok()) << daemon.Ensure();
  EXPECT_EQ(*daemon.FindProcess(), ::getpid());
}

TEST_F(PrivateDaemonTest, OneThatIsStoppingIsWaitedFor) {
  fs::create_directory(Folder());
  ::chmod(Folder().c_str(), 0700);
  const int lock =
      ::open(Concat(Folder(), "/", kSocketName, ".lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const PrivateDaemon daemon(FakeDaemon(), Folder());
  std::thread start([&] { EXPECT_TRUE(daemon.Ensure().ok()); });
  while (!fs::exists(Concat(Folder(), "/", kVersion, ".start"))) std::this_thread::yield();
  EXPECT_EQ(Starts(), 0u);
  ::close(lock);
  start.join();
  EXPECT_EQ(Starts(), 1u);
}

TEST_F(PrivateDaemonTest, ErrorsSayWhyItCannotBeStarted) {
  const std::string failing = Script("failing", "echo first >&2; echo out of order >&2; exit 2");
  EXPECT_NE(Failure(failing).find("it ended: out of order;"), std::string::npos);
  EXPECT_NE(Failure("/nowhere").find("it ended: "), std::string::npos);
  fs::remove(Concat(Folder(), "/", kVersion, ".log.old"));
  fs::create_directory(Concat(Folder(), "/", kVersion, ".log.old"));
  fs::create_directory(Concat(Folder(), "/", kVersion, ".log.old/x"));
  EXPECT_NE(Failure(failing).find(Concat("'", kVersion, ".log': ")), std::string::npos);
}

TEST_F(PrivateDaemonTest, TheLogIsRead) {
  const PrivateDaemon daemon(Script("failing", "echo one >&2; echo two >&2; exit 2"), Folder());
  EXPECT_EQ(daemon.ReadLog().status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(daemon.Ensure().ok());
  EXPECT_EQ(*daemon.ReadLog(), "one\ntwo\n");
}

TEST_F(PrivateDaemonTest, TheFolderIsInThatOfTheUserOrElseInTmp) {
  const std::string fallback = Concat("/tmp/stagedoor-", ::geteuid());
  ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  EXPECT_EQ(PrivateDaemon::Folder(), folder_ / "stagedoor");
  for (const char* other : {"", "relative", "/nowhere", "/tmp", "/dev/null"}) {
    ::setenv("XDG_RUNTIME_DIR", other, 1);
    EXPECT_EQ(PrivateDaemon::Folder(), fallback) << other;
  }
  ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  for (const mode_t mode : {0720, 0702}) {
    ::chmod(folder_.path().c_str(), mode);
    EXPECT_EQ(PrivateDaemon::Folder(), fallback) << mode;
  }
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(PrivateDaemonTest, ProgramsAreFoundInOrder) {
  for (const char* name : {"a", "b", "c"}) fs::create_directory(folder_ / name);
  folder_.Write("a/stagedoord", "not executable");
  const std::vector<std::string> folders = {folder_ / "a", folder_ / "b", folder_ / "c"};
  EXPECT_EQ(FindDaemonProgram(folders), "");
  EXPECT_EQ(FindDaemonProgram({}), "");
  const std::string last = Script("c/stagedoord", "");
  EXPECT_EQ(FindDaemonProgram(folders), last);
  const std::string first = Script("b/stagedoord", "");
  EXPECT_EQ(FindDaemonProgram(folders), first);
  fs::create_directory(folder_ / "d");
  EXPECT_EQ(FindProgram("other", folders), "");
  const std::string other = Script("c/other", "");
  EXPECT_EQ(FindProgram("other", folders), other);
  fs::create_directory(folder_ / "d/stagedoord");
  EXPECT_EQ(FindDaemonProgram({folder_ / "d"}), "");
}

TEST_F(PrivateDaemonTest, RelativeFoldersOfThePathAreLeftOut) {
  EXPECT_EQ(AbsoluteFolders(":/a:b:.:/c/d::"), (std::vector<std::string>{"/a", "/c/d"}));
  EXPECT_EQ(AbsoluteFolders(""), std::vector<std::string>());
  const std::string self = fs::read_symlink("/proc/self/exe").parent_path();
  ::setenv("PATH", "/x:y", 1);
  const std::vector<std::string> folders = DaemonProgramFolders();
  EXPECT_EQ(folders.front(), self) << "beside the program";
  EXPECT_EQ(folders.back(), "/x");
}

}  // namespace
}  // namespace stagedoor

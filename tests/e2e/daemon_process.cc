#include "tests/e2e/daemon_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

extern char** environ;

namespace stagedoor {
namespace {

constexpr char kDaemon[] = "server/stagedoord";  // in the test's runfiles

std::string NewFolder() {
  const char* base = std::getenv("TEST_TMPDIR");
  std::string name = std::string(base != nullptr ? base : "/tmp") + "/daemon-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

std::string FirstLine(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

DaemonProcess::DaemonProcess(const std::vector<std::string>& flags, Streams streams, int log_fd)
    : folder_(NewFolder()) {
  const std::string address_file = folder_ + "/address";
  std::vector<std::string> words = {kDaemon, "--address=127.0.0.1:0",
                                    "--address-file=" + address_file};
  const auto has = [&flags](const char* name) {
    return std::any_of(flags.begin(), flags.end(),
                       [name](const std::string& flag) { return flag.starts_with(name); });
  };
  if (!has("--upstream=")) words.push_back("--allow-root=" + folder_);
  if (!has("--config=")) words.emplace_back("--log-level=warn");
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; streams == Streams::kClosed && fd <= STDERR_FILENO; ++fd) {
    ::posix_spawn_file_actions_addclose(&actions, fd);
  }
  if (log_fd >= 0) ::posix_spawn_file_actions_adddup2(&actions, log_fd, STDERR_FILENO);
  if (::posix_spawn(&pid_, kDaemon, &actions, nullptr, argv.data(), environ) != 0) std::abort();
  ::posix_spawn_file_actions_destroy(&actions);
  while (address_.empty() && IsRunning()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    address_ = FirstLine(address_file);
  }
  if (address_.empty()) {
    std::fputs("the daemon did not start to serve\n", stderr);
    std::abort();
  }
}

DaemonProcess::~DaemonProcess() {
  if (pid_ != 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string DaemonProcess::WriteFile(const std::string& name, const std::string& content) const {
  std::string path = folder_ + "/" + name;
  std::ofstream(path) << content;
  return path;
}

bool DaemonProcess::IsRunning() const {
  return pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0;
}

void DaemonProcess::Signal(int signal) const { ::kill(pid_, signal); }

int DaemonProcess::Wait() {
  int status = 0;
  const bool ended = ::waitpid(pid_, &status, 0) == pid_;
  pid_ = 0;
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int DaemonProcess::Terminate() {
  Signal(SIGTERM);
  return Wait();
}

}  // namespace stagedoor

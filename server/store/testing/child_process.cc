#include "server/store/testing/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace stagedoor::server {

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::string& output_file) {
  std::vector<std::string> copy = words;
  std::vector<char*> argv;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) std::abort();
  ::posix_spawn_file_actions_destroy(&actions);
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool ChildProcess::IsRunning() {
  int status = 0;
  if (pid_ == 0 || ::waitpid(pid_, &status, WNOHANG) == 0) return pid_ != 0;
  succeeded_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  pid_ = 0;
  return false;
}

void ChildProcess::Signal(int signal) const {
  if (pid_ != 0) ::kill(pid_, signal);
}

bool ChildProcess::Wait() {
  if (pid_ == 0) return succeeded_;
  int status = 0;
  succeeded_ = ::waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  pid_ = 0;
  return succeeded_;
}

}  // namespace stagedoor::server

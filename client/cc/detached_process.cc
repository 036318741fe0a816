#include "client/cc/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/status.h"

extern char** environ;

namespace stagedoor {
namespace {

constexpr char kShell[] = "/bin/sh";
constexpr int kHeld = 3;        // the descriptor that the process holds to its end
constexpr int kFirstFree = 10;  // above those that the process gets

// The actions of a new process, on its files.
class SpawnActions {
 public:
  SpawnActions(const DetachedProcess& process, int output, int held) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, held, kHeld);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kHeld + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions_, process.folder.c_str());
  }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A session of its own, with the signals as they are by default.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGCHLD);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> EnvironmentWithout(const std::vector<std::string>& names) {
  std::vector<char*> kept;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) kept.push_back(*at);
  }
  kept.push_back(nullptr);
  return kept;
}

// Lets the shell start the command in the background and end, so that it is not our child.
int Spawn(const DetachedProcess& process, int output, int held) {
  std::vector<std::string> words = {kShell, "-c", "exec \"$@\" &", "sh"};
  words.insert(words.end(), process.command.begin(), process.command.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const SpawnActions actions(process, output, held);
  const SpawnAttributes attributes;
  pid_t shell = 0;
  const int error = ::posix_spawn(&shell, kShell, actions.get(), attributes.get(), argv.data(),
                                  EnvironmentWithout(process.without).data());
  if (error != 0) return error;
  while (::waitpid(shell, nullptr, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

absl::Status CannotRun(const DetachedProcess& process, int error) {
  return UnavailableError("cannot run ", Quoted(process.command.front()), ": ",
                          std::strerror(error));
}

}  // namespace

absl::StatusOr<int> StartDetached(const DetachedProcess& process) {
  std::array<int, 2> pipe;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return CannotRun(process, errno);
  const int output = ::fcntl(process.output, F_DUPFD_CLOEXEC, kFirstFree);
  const int held = ::fcntl(pipe[1], F_DUPFD_CLOEXEC, kFirstFree);
  const int error = output < 0 || held < 0 ? errno : Spawn(process, output, held);
  for (const int fd : {pipe[1], output, held}) {
    if (fd >= 0) ::close(fd);
  }
  if (error == 0) return pipe[0];
  ::close(pipe[0]);
  return CannotRun(process, error);
}

}  // namespace stagedoor

#include "client/cc/private_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "base/version.h"
#include "client/cc/daemon_program.h"
#include "client/cc/detached_process.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartPatience{60};  // for a start, also of another program
constexpr std::chrono::seconds kEndPatience{30};    // for a daemon that is stopping
constexpr std::chrono::milliseconds kLook{20};
constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;
constexpr off_t kLastWordsBytes = 2000;
constexpr off_t kMaxLogBytes = 1 << 20;

const std::string kSocket = Concat(kVersion, ".socket");
const std::string kQuerySocket = Concat(kVersion, ".queries.socket");
const std::string kLog = Concat(kVersion, ".log");

// A process that accepts connections, but has too many to accept another one now.
constexpr pid_t kUnknownProcess = 0;

absl::Status CannotStart(const std::string& why) {
  return UnavailableError("cannot start a private daemon: ", why,
                          "; set STAGEDOOR_ADDRESS to use another daemon");
}

absl::Status CannotUse(const std::string& path, int error) {
  return CannotStart(Concat(Quoted(path), ": ", std::strerror(error)));
}

bool IsSafe(const struct stat& found, mode_t forbidden) {
  return found.st_uid == ::geteuid() && (found.st_mode & forbidden) == 0;
}

// The folder, which is made if it is missing and `make` is set; a negative descriptor if it is
// missing otherwise.
absl::StatusOr<UniqueFd> OpenFolder(const std::string& path, bool make) {
  if (make && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return CannotUse(path, errno);
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.ok()) {
    if (errno == ENOENT && !make) return folder;
    if (errno != ENOTDIR) return CannotUse(path, errno);
    return CannotStart(Concat(Quoted(path), " is not a directory; remove it"));
  }
  struct stat found;
  if (::fstat(folder.get(), &found) != 0) return CannotUse(path, errno);
  if (found.st_uid != ::geteuid()) {
    return CannotStart(
        Concat(Quoted(path), " belongs to another user (uid ", found.st_uid, "); have it removed"));
  }
  if (!IsSafe(found, S_IRWXG | S_IRWXO)) {
    return CannotStart(
        Concat(Quoted(path),
               " is open to other users; remove it, or 'chmod 700' it if they left nothing"));
  }
  return folder;
}

// The process that accepts connections in the folder; none if there is none.
absl::StatusOr<std::optional<pid_t>> ProcessIn(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = Concat("/proc/self/fd/", folder, "/", kSocket);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!probe.ok()) return CannotUse("socket", errno);
  const int connected =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  // EAGAIN: it has many connections to accept.
  if (connected != 0 && errno != EAGAIN) {
    if (errno == ECONNREFUSED || errno == ENOENT) return std::nullopt;
    return CannotUse(kSocket, errno);
  }
  if (connected != 0) return kUnknownProcess;
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return CannotUse(kSocket, errno);
  }
  if (peer.uid != ::geteuid() && peer.uid != 0) {
    return CannotStart(
        Concat("the program at ", Quoted(kSocket), " is of another user (uid ", peer.uid, ")"));
  }
  return peer.pid;
}

// Locks a file in the folder. Negative if another process has held the lock for `patience`.
absl::StatusOr<UniqueFd> Lock(int folder, const std::string& name, Clock::duration patience) {
  UniqueFd file(::openat(folder, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) return CannotUse(name, errno);
  const Clock::time_point deadline = Clock::now() + patience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return CannotUse(name, errno);
    if (Clock::now() >= deadline) return UniqueFd(-1);
    std::this_thread::sleep_for(kLook);
  }
  return file;
}

// Whether no daemon has the lock of the socket, which it holds from its start to its end.
bool HasEnded(int folder) {
  const UniqueFd file(
      ::openat(folder, (kSocket + ".lock").c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return !file.ok() || ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

// At most the last `max_bytes` of a file.
std::string ReadEnd(int fd, off_t max_bytes) {
  std::string text(static_cast<size_t>(max_bytes), '\0');
  const off_t size = ::lseek(fd, 0, SEEK_END);
  const ssize_t read = ::pread(fd, text.data(), text.size(), std::max<off_t>(0, size - max_bytes));
  text.resize(read > 0 ? static_cast<size_t>(read) : 0);
  return text;
}

// The last line of the log.
std::string LastWords(int folder) {
  const UniqueFd file(::openat(folder, kLog.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text = ReadEnd(file.get(), kLastWordsBytes);
  text.resize(text.find_last_not_of('\n') + 1);
  return text.substr(text.rfind('\n') + 1);
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// The flag for the query socket, whose path must be absolute; empty if that is too long, or if the
// environment of the daemon may say where the socket is or that there is none.
std::string QuerySocketFlag(const std::string& folder) {
  for (const char* variable :
       {"STAGEDOOR_QUERY_SOCKET", "STAGEDOOR_UPSTREAM", "STAGEDOOR_CONFIG"}) {
    if (IsSet(variable)) return {};
  }
  const std::string path = Concat(folder, "/", kQuerySocket);
  const bool possible = path.starts_with('/') && path.size() <= kMaxSocketPath;
  return possible ? Concat("--query-socket=", path) : std::string();
}

// The process that is started as the daemon. It has the environment of this program, so that users
// can set its flags there.
DetachedProcess ProcessOf(const std::string& program, const std::string& folder) {
  DetachedProcess process;
  process.command = {program, Concat("--address=unix:", kSocket), Concat("--log-file=", kLog)};
  if (std::string flag = QuerySocketFlag(folder); !flag.empty()) {
    process.command.push_back(std::move(flag));
  }
  if (!IsSet("STAGEDOOR_STOP_WHEN_IDLE")) process.command.emplace_back("--stop-when-idle=600");
  // The rest is for the programs that use it.
  if (!IsSet("STAGEDOOR_MEMORY_LIMIT")) process.command.emplace_back("--memory-limit=50%");
  process.folder = folder;  // so that the path of the socket is short
  process.without = {"STAGEDOOR_TLS_CERTIFICATE", "STAGEDOOR_TLS_KEY"};  // those of clients
  return process;
}

// Waits until the daemon that holds `alive` accepts connections.
absl::Status AwaitStart(int folder, int alive, const std::string& log) {
  const Clock::time_point deadline = Clock::now() + kStartPatience;
  for (;;) {
    SD_ASSIGN_OR_RETURN(const auto process, ProcessIn(folder));
    if (process.has_value()) return absl::OkStatus();
    pollfd ended = {.fd = alive, .events = POLLIN, .revents = 0};
    if (::poll(&ended, 1, kLook.count()) > 0) {
      return CannotStart(Concat("it ended: ", LastWords(folder)));
    }
    if (Clock::now() >= deadline) {
      return CannotStart(Concat("it does not answer; its log is ", Quoted(log)));
    }
  }
}

absl::Status Start(int folder, DetachedProcess process, const std::string& log) {
  if (::renameat(folder, kLog.c_str(), folder, (kLog + ".old").c_str()) != 0 && errno != ENOENT) {
    return CannotUse(kLog, errno);
  }
  const UniqueFd output(
      ::openat(folder, kLog.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!output.ok()) return CannotUse(kLog, errno);
  process.output = output.get();
  absl::StatusOr<int> started = StartDetached(process);
  if (!started.ok()) return CannotStart(std::string(Message(started.status())));
  const UniqueFd alive(*started);
  SD_RETURN_IF_ERROR(AwaitStart(folder, alive.get(), log));
  std::fprintf(stderr,
               "stagedoor: started a private daemon, which stops when it is idle (log: %s)\n",
               log.c_str());
  return absl::OkStatus();
}

// Waits until a daemon accepts connections, or until there is none. Returns whether one does.
absl::StatusOr<bool> AwaitPredecessor(int folder, const std::string& log) {
  const Clock::time_point deadline = Clock::now() + kEndPatience;
  for (;;) {
    SD_ASSIGN_OR_RETURN(const auto process, ProcessIn(folder));
    if (process.has_value()) return true;
    if (HasEnded(folder)) return false;
    if (Clock::now() >= deadline) {
      return CannotStart(Concat("the one before it does not end; its log is ", Quoted(log)));
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

PrivateDaemon::PrivateDaemon(std::string program, std::string folder)
    : program_(std::move(program)),
      folder_(std::move(folder)),
      address_(Concat("unix:", folder_, "/", kSocket)) {
  if (folder_.size() + 1 + kSocket.size() <= kMaxSocketPath) return;
  absl::StatusOr<UniqueFd> opened = OpenFolder(folder_, /*make=*/true);
  if (!opened.ok()) return;  // which Ensure will report
  folder_fd_ = opened->Release();
  address_ = Concat("unix:/proc/self/fd/", folder_fd_, "/", kSocket);
}

PrivateDaemon::~PrivateDaemon() {
  if (folder_fd_ >= 0) ::close(folder_fd_);
}

std::shared_ptr<PrivateDaemon> PrivateDaemon::Find() {
  std::string program = FindDaemonProgram(DaemonProgramFolders());
  if (program.empty()) return nullptr;
  return std::make_shared<PrivateDaemon>(std::move(program), Folder());
}

std::string PrivateDaemon::Folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  struct stat found;
  if (runtime != nullptr && *runtime == '/' && ::stat(runtime, &found) == 0 &&
      S_ISDIR(found.st_mode) && IsSafe(found, S_IWGRP | S_IWOTH)) {
    return Concat(runtime, "/stagedoor");
  }
  return Concat("/tmp/stagedoor-", ::geteuid());
}

std::string PrivateDaemon::log_file() const { return Concat(folder_, "/", kLog); }

absl::Status PrivateDaemon::Ensure() const {
  SD_ASSIGN_OR_RETURN(const UniqueFd folder, OpenFolder(folder_, /*make=*/true));
  SD_ASSIGN_OR_RETURN(const auto process, ProcessIn(folder.get()));
  if (process.has_value()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(const UniqueFd lock,
                      Lock(folder.get(), Concat(kVersion, ".start"), kStartPatience));
  if (!lock.ok()) return CannotStart("another program has been starting it for a minute");
  SD_ASSIGN_OR_RETURN(const bool runs, AwaitPredecessor(folder.get(), log_file()));
  return runs ? absl::OkStatus() : Start(folder.get(), ProcessOf(program_, folder_), log_file());
}

absl::StatusOr<std::optional<pid_t>> PrivateDaemon::FindProcess() const {
  SD_ASSIGN_OR_RETURN(const UniqueFd folder, OpenFolder(folder_, /*make=*/false));
  if (!folder.ok()) return std::nullopt;
  SD_ASSIGN_OR_RETURN(const std::optional<pid_t> process, ProcessIn(folder.get()));
  if (process != kUnknownProcess) return process;
  return UnavailableError("the private daemon is too busy to be asked; try again later");
}

absl::StatusOr<std::string> PrivateDaemon::ReadLog() const {
  const auto missing = [&] { return NotFoundError("no log found at ", Quoted(log_file())); };
  SD_ASSIGN_OR_RETURN(const UniqueFd folder, OpenFolder(folder_, /*make=*/false));
  if (!folder.ok()) return missing();
  const UniqueFd file(::openat(folder.get(), kLog.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file.ok() ? absl::StatusOr<std::string>(ReadEnd(file.get(), kMaxLogBytes)) : missing();
}

}  // namespace stagedoor

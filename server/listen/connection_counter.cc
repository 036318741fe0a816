#include "server/listen/connection_counter.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace stagedoor::server {
namespace {

constexpr size_t kFilesPerConnection = 4;

std::optional<ino_t> SocketInode(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) return std::nullopt;
  return about.st_ino;
}

bool IsUnixSocket(int fd) {
  int domain = 0;
  socklen_t size = sizeof(domain);
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

// Empty SETTINGS, then GOAWAY with the code ENHANCE_YOUR_CALM and a reason.
std::string GoAway() {
  constexpr std::string_view kReason = "too many connections";
  std::string frames("\0\0\0\4\0\0\0\0\0", 9);
  frames += {'\0', '\0', static_cast<char>(8 + kReason.size())};
  frames += std::string("\7\0\0\0\0\0\0\0\0\0\0\0\0\x0b", 14);
  frames += kReason;
  return frames;
}

}  // namespace

bool ConnectionCounter::Admit(int fd) {
  const bool is_local = IsUnixSocket(fd);
  MutexLock lock(mu_);
  // The system gives only closed descriptors to a new socket.
  network_.erase(fd);
  local_.erase(fd);
  Sockets& sockets = is_local ? local_ : network_;
  if (sockets.size() >= max_) {
    const Clock::time_point now = now_();
    if (now >= next_look_) {
      ForgetClosed(sockets);
      next_look_ = now + kBetweenLooks;
    }
  }
  const std::optional<ino_t> inode = SocketInode(fd);
  if (sockets.size() >= max_ || !inode) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  sockets.emplace(fd, *inode);
  return true;
}

size_t ConnectionCounter::CountOpen() {
  MutexLock lock(mu_);
  ForgetClosed(network_);
  ForgetClosed(local_);
  return network_.size() + local_.size();
}

void ConnectionCounter::ForgetClosed(Sockets& sockets) {
  std::erase_if(sockets,
                [](const auto& socket) { return SocketInode(socket.first) != socket.second; });
}

size_t FitToFileLimit(size_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return wanted;
  return std::min<size_t>(wanted, std::max<size_t>(1, files.rlim_cur / kFilesPerConnection));
}

void RaiseFileLimit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

void RefuseConnection(int fd, bool tls) {
  static const std::string& go_away = *new std::string(GoAway());
  if (!tls) {
    // The buffer of a new socket is empty, so this does not wait. Who does not get it sees the end.
    [[maybe_unused]] const ssize_t sent =
        ::send(fd, go_away.data(), go_away.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(fd, SHUT_WR);
  }
  ::close(fd);
}

}  // namespace stagedoor::server

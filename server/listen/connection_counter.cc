#include "server/listen/connection_counter.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_address.h"

namespace stagedoor::server {
namespace {

constexpr size_t kFilesPerConnection = 4;
constexpr size_t kPerFree = 3;  // connections of one client for each that is free

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

void ConnectionCounter::Sockets::Add(int fd, ino_t inode, const std::string& share) {
  sockets_[fd] = {inode, share};
  if (!share.empty()) ++by_share_[share];
}

void ConnectionCounter::Sockets::Remove(int fd) {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end()) return;
  Release(found->second.share);
  sockets_.erase(found);
}

void ConnectionCounter::Sockets::RemoveClosed() {
  std::erase_if(sockets_, [this](const auto& entry) {
    const bool closed = SocketInode(entry.first) != entry.second.inode;
    if (closed) Release(entry.second.share);
    return closed;
  });
}

void ConnectionCounter::Sockets::RemoveClosedNowAndThen(Clock::time_point now) {
  if (now < next_look_) return;
  RemoveClosed();
  next_look_ = now + kBetweenLooks;
}

size_t ConnectionCounter::Sockets::CountOf(const std::string& share) const {
  const auto found = by_share_.find(share);
  return found == by_share_.end() ? 0 : found->second;
}

void ConnectionCounter::Sockets::Release(const std::string& share) {
  const auto found = by_share_.find(share);
  if (found != by_share_.end() && --found->second == 0) by_share_.erase(found);
}

bool ConnectionCounter::Admit(int fd) {
  const auto address = IpAddress::OfPeer(fd);
  return Admit(fd, address && !address->IsLoopback() ? address->ToShare() : std::string());
}

bool ConnectionCounter::Admit(int fd, const std::string& share) {
  const bool is_unix = IsUnixSocket(fd);
  MutexLock lock(mu_);
  // The system gives only closed descriptors to a new socket.
  network_.Remove(fd);
  unix_.Remove(fd);
  Sockets& sockets = is_unix ? unix_ : network_;
  if (IsFull(sockets, share)) sockets.RemoveClosedNowAndThen(now_());
  const std::optional<ino_t> inode = SocketInode(fd);
  if (IsFull(sockets, share) || !inode) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  sockets.Add(fd, *inode, share);
  return true;
}

bool ConnectionCounter::IsFull(const Sockets& sockets, const std::string& share) const {
  if (sockets.size() >= max_) return true;
  return sockets.CountOf(share) >= kPerFree * (max_ - sockets.size());
}

size_t ConnectionCounter::CountOpen() {
  MutexLock lock(mu_);
  network_.RemoveClosed();
  unix_.RemoveClosed();
  return network_.size() + unix_.size();
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

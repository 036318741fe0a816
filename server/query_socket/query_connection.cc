#include "server/query_socket/query_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace stagedoor::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kReadBytes = size_t{64} << 10;
constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL;

}  // namespace

QueryConnection::QueryConnection(ChannelHost& host, int fd, int epoll_fd, uint64_t number,
                                 std::optional<SocketCredentials> peer)
    : QueryChannel(host, number),
      fd_(fd),
      epoll_fd_(epoll_fd),
      peer_(std::move(peer)),
      written_bytes_(memory()) {}

QueryConnection::~QueryConnection() {
  host().admission().stall_watchdog().WriteDone(*this);
  for (const int fd : descriptors_) ::close(fd);
  ::close(fd_);
}

void QueryConnection::Open() {
  SendSmall(Window());
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLONESHOT, .data = {.u64 = number()}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd_, &event);
}

bool QueryConnection::Serve() {
  {
    MutexLock lock(mu_);
    if (ended_) return false;
    if (serving_) return true;  // the other thread has it reported again
    serving_ = true;
  }
  if (!Turn()) {
    End();
    return false;
  }
  MutexLock lock(mu_);
  serving_ = false;
  Rearm(more_);
  return true;
}

bool QueryConnection::Turn() {
  const Clock::time_point end = Clock::now() + kTurn;
  int left = kFramesPerTurn;
  bool received = true;
  if (!SendPendingLocked()) return false;
  while (HandleFrames(&left)) {
    more_ = left == 0 || Clock::now() >= end || backlog() > kMaxBacklog;
    if (more_ || !received) return SendPendingLocked();
    if (!Receive(&received)) return false;
  }
  SendPendingLocked();  // the Goodbye
  return false;
}

bool QueryConnection::HandleFrames(int* left) {
  while (*left > 0 && backlog() <= kMaxBacklog) {
    const absl::StatusOr<bool> handled = HandleNext();
    if (!handled.ok()) {
      SendSmall(Goodbye(handled.status()));
      return false;
    }
    if (!*handled) return true;
    --*left;
  }
  return true;
}

bool QueryConnection::Receive(bool* received) {
  char bytes[kReadBytes];
  const ssize_t count = ::recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
  // A short read has emptied the socket: another one would only say so.
  *received = count == static_cast<ssize_t>(sizeof(bytes));
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  const absl::Status fed = Feed(std::string_view(bytes, static_cast<size_t>(count)));
  if (fed.ok()) return true;
  SendSmall(Goodbye(fed));
  SendPendingLocked();
  return false;
}

absl::StatusOr<std::shared_ptr<const Caller>> QueryConnection::Identify() {
  return host().admission().IdentifyPeer(peer_ ? &*peer_ : nullptr, host().counters());
}

void QueryConnection::AskToLeave(const absl::Status& reason) {
  SendSmall(Goodbye(reason));
  Flush();
}

// Epoll then reports the connection.
void QueryConnection::AbortStalled(std::chrono::seconds) { ::shutdown(fd_, SHUT_RDWR); }

void QueryConnection::End() {
  {
    MutexLock lock(mu_);
    ended_ = true;
    ::epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd_, nullptr);
  }
  ::shutdown(fd_, SHUT_RDWR);
  CancelQueries();
}

size_t QueryConnection::backlog() {
  MutexLock lock(mu_);
  return writer_.pending().size();
}

absl::Status QueryConnection::Send(const v1::ServerFrame& frame) {
  const size_t bytes = frame.ByteSizeLong();
  MutexLock lock(mu_);
  if (ended_) return absl::OkStatus();
  absl::Status grown = written_bytes_.Grow(bytes, "the answers that the client has not read");
  if (grown.ok()) writer_.Add(frame);
  return grown;
}

void QueryConnection::SendSmall(const v1::ServerFrame& frame) {
  MutexLock lock(mu_);
  if (ended_) return;
  written_bytes_.Add(frame.ByteSizeLong());
  writer_.Add(frame);
}

void QueryConnection::SendDescriptor(const v1::ServerFrame& frame, int fd) {
  MutexLock lock(mu_);
  descriptors_.push_back(fd);
  if (ended_) return;
  written_bytes_.Add(frame.ByteSizeLong());
  writer_.Add(frame);
}

ssize_t QueryConnection::SendSome(std::string_view bytes) {
  if (descriptors_.empty()) return ::send(fd_, bytes.data(), bytes.size(), kSendFlags);
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  const size_t size = sizeof(int) * descriptors_.size();
  std::vector<char> control(CMSG_SPACE(size));
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(header), descriptors_.data(), size);
  const ssize_t sent = ::sendmsg(fd_, &message, kSendFlags);
  if (sent <= 0) return sent;
  for (const int fd : descriptors_) ::close(fd);
  descriptors_.clear();
  return sent;
}

void QueryConnection::Flush() {
  MutexLock lock(mu_);
  if (ended_) return;
  // A broken connection is reported by epoll.
  if (SendPending() && !writer_.empty() && !serving_) Rearm(false);
}

bool QueryConnection::SendPendingLocked() {
  MutexLock lock(mu_);
  return SendPending();
}

bool QueryConnection::SendPending() {
  StallWatchdog& watchdog = host().admission().stall_watchdog();
  while (!writer_.empty()) {
    const std::string_view pending = writer_.pending();
    const ssize_t sent = SendSome(pending);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      if (!std::exchange(stalled_, true)) watchdog.WriteStarted(*this, Clock::time_point::max());
      return true;
    }
    writer_.Sent(static_cast<size_t>(sent));
    if (std::exchange(stalled_, false)) watchdog.WriteDone(*this);
  }
  written_bytes_.Release();
  return true;
}

void QueryConnection::Rearm(bool more) {
  const size_t waiting = writer_.pending().size();
  uint32_t events = EPOLLONESHOT;
  if (waiting <= kMaxBacklog) events |= EPOLLIN;
  // A socket that can be written to is reported at once, behind those that wait already.
  if (more || waiting > 0) events |= EPOLLOUT;
  epoll_event event{.events = events, .data = {.u64 = number()}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd_, &event);
}

}  // namespace stagedoor::server

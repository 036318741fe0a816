#include "server/query_socket/query_socket.h"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/time_slice.h"
#include "server/access/unix_peers.h"
#include "server/listen/listen_address.h"

namespace stagedoor::server {
namespace {

constexpr uint64_t kStopNumber = 0;  // connections count from 1

}  // namespace

absl::StatusOr<std::unique_ptr<QuerySocket>> QuerySocket::Listen(const Options& options,
                                                                 CallAdmission& admission,
                                                                 const QueryState& state,
                                                                 ConnectionCounter& connections) {
  std::unique_ptr<QuerySocket> socket(new QuerySocket(options, admission, state, connections));
  SD_RETURN_IF_ERROR(socket->Start());
  return socket;
}

QuerySocket::QuerySocket(Options options, CallAdmission& admission, const QueryState& state,
                         ConnectionCounter& connections)
    : options_(std::move(options)),
      counter_(connections),
      host_(admission, state, options_.threads - 1, options_.source) {}

absl::Status QuerySocket::Start() {
  SD_ASSIGN_OR_RETURN(claim_, UnixSocketLock::Acquire(options_.path));
  epoll_fd_ = ::epoll_create1(EPOLL_CLOEXEC);
  stop_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_fd_ < 0 || stop_fd_ < 0) {
    return UnavailableError("cannot listen on ", Quoted(options_.path), ": too many open files");
  }
  epoll_event stop{.events = EPOLLIN, .data = {.u64 = kStopNumber}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, stop_fd_, &stop);
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { RunThread(); });
  auto listener = SocketListener::Listen({.socket_path = options_.path, .host = {}, .port = 0},
                                         [this](int fd) { Accept(fd); });
  if (!listener.ok()) {
    return UnavailableError("cannot listen on ", Quoted(options_.path), ": ",
                            Message(listener.status()));
  }
  listener_ = *std::move(listener);
  return absl::OkStatus();
}

QuerySocket::~QuerySocket() {
  listener_ = nullptr;
  Stop(std::chrono::milliseconds(0));
  if (epoll_fd_ >= 0) ::close(epoll_fd_);
  if (stop_fd_ >= 0) ::close(stop_fd_);
}

void QuerySocket::Accept(int fd) {
  if (!counter_.Admit(fd)) {
    ::close(fd);
    return;
  }
  std::optional<SocketCredentials> peer;
  if (options_.know_peers) {
    auto credentials = ReadSocketCredentials(fd);
    if (credentials.ok()) peer = *std::move(credentials);
  }
  const uint64_t number = ++last_number_;
  const auto connection =
      std::make_shared<QueryConnection>(host_, fd, epoll_fd_, number, std::move(peer));
  {
    MutexLock lock(mu_);
    open_.emplace(number, connection);
  }
  connection->Open();
}

std::shared_ptr<QueryConnection> QuerySocket::Find(uint64_t number) const {
  MutexLock lock(mu_);
  const auto found = open_.find(number);
  return found == open_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<QueryConnection>> QuerySocket::All() const {
  std::vector<std::shared_ptr<QueryConnection>> all;
  MutexLock lock(mu_);
  all.reserve(open_.size());
  for (const auto& [number, connection] : open_) all.push_back(connection);
  return all;
}

size_t QuerySocket::connections() const {
  MutexLock lock(mu_);
  return open_.size();
}

// A thread takes one event at a time, so that a free one takes the next.
void QuerySocket::RunThread() {
  SetTimeSlice(kShortestTimeSlice);
  for (;;) {
    epoll_event event{};
    const int count = ::epoll_wait(epoll_fd_, &event, 1, -1);
    if (count < 0 && errno != EINTR) return;
    if (count <= 0) continue;
    if (event.data.u64 == kStopNumber) return;
    const auto connection = Find(event.data.u64);
    if (connection == nullptr || connection->Serve()) continue;
    MutexLock lock(mu_);
    open_.erase(event.data.u64);
  }
}

void QuerySocket::Drain() {
  listener_ = nullptr;
  const absl::Status reason = UnavailableError("the daemon stops; connect again");
  for (const auto& connection : All()) connection->AskToLeave(reason);
}

void QuerySocket::Stop(std::chrono::milliseconds grace_period) {
  if (std::exchange(stopped_, true)) return;
  host_.queued().WaitForNone(std::chrono::steady_clock::now() + grace_period);
  const uint64_t one = 1;
  while (::write(stop_fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  for (std::thread& thread : threads_) thread.join();
  for (const auto& connection : All()) connection->End();
  // Lanes still run the queries that were cancelled.
  host_.queued().WaitForNone();
  {
    MutexLock lock(mu_);
    open_.clear();
  }
  // Threads of gRPC may be about to release a channel whose query they have ended.
  host_.asked().WaitForNone();
}

void QuerySocket::CancelQueries() {
  for (const auto& connection : All()) connection->CancelQueries();
}

void QuerySocket::Sweep() {
  const bool in_flight = host_.queued().count() > 0;
  for (const auto& connection : All()) {
    if (in_flight) connection->CancelOverdue();
    connection->EndIdleSegments();
  }
}

}  // namespace stagedoor::server

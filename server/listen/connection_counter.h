#ifndef STAGEDOOR_SERVER_LISTEN_CONNECTION_COUNTER_H_
#define STAGEDOOR_SERVER_LISTEN_CONNECTION_COUNTER_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "base/mutex.h"

namespace stagedoor::server {

// Limits the connections that are open at the same time. Nobody tells it of a connection's end,
// since gRPC owns the sockets: it remembers the descriptor and the inode of each, and a descriptor
// that now has another inode, or none, was closed. Unix sockets have a limit of their own, so that
// clients on other machines cannot keep out those on this one. Thread-safe.
class ConnectionCounter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ConnectionCounter(size_t max_connections,
                             std::function<Clock::time_point()> now = Clock::now)
      : max_(max_connections), now_(std::move(now)) {}

  // Counts a connected socket. False, which is counted too, if as many connections as permitted are
  // open, or were some milliseconds ago: to look for closed ones takes a system call for each.
  bool Admit(int fd);

  // The limit of either kind.
  size_t max() const { return max_; }
  // The connections that are open now.
  size_t CountOpen();
  // The connections that were refused so far.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  static constexpr std::chrono::milliseconds kBetweenLooks{20};

 private:
  using Sockets = std::unordered_map<int, ino_t>;  // by descriptor

  static void ForgetClosed(Sockets& sockets);

  const size_t max_;
  const std::function<Clock::time_point()> now_;
  std::atomic<uint64_t> refused_{0};
  Mutex mu_;
  Sockets network_ ABSL_GUARDED_BY(mu_);
  Sockets local_ ABSL_GUARDED_BY(mu_);
  Clock::time_point next_look_ ABSL_GUARDED_BY(mu_) = Clock::time_point::min();
};

// The most connections that leave enough descriptors for files: `wanted`, but at most a quarter of
// what the process may open.
size_t FitToFileLimit(size_t wanted);

// Lets the process open as many files as its hard limit permits. Call it at the start.
void RaiseFileLimit();

// Closes a connection that is not served. If it does not use TLS, says so in terms of HTTP/2.
void RefuseConnection(int fd, bool tls);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_CONNECTION_COUNTER_H_

#ifndef STAGEDOOR_SERVER_LISTEN_CONNECTION_COUNTER_H_
#define STAGEDOOR_SERVER_LISTEN_CONNECTION_COUNTER_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/mutex.h"

namespace stagedoor::server {

// Limits the connections that are open at the same time. Nobody tells it of a connection's end,
// since gRPC owns the sockets: it remembers the descriptor and the inode of each, and a descriptor
// that now has another inode, or none, was closed.
//
// Unix sockets have a limit of their own, so that clients on other machines cannot keep out those
// on this one. A client's address may have at most three times as many connections as are free:
// three quarters of all if it is alone, less beside others that do the same. Loopback addresses
// have no share, since a proxy on this machine may connect for everybody. Thread-safe.
class ConnectionCounter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ConnectionCounter(size_t max_connections,
                             std::function<Clock::time_point()> now = Clock::now)
      : max_(max_connections), now_(std::move(now)) {}

  // Counts a connected socket. False, which is counted too, if as many connections as permitted are
  // open, or were some milliseconds ago: to look for closed ones takes a system call for each. The
  // share is that of the client's address (IpAddress::ToShare), or empty if it has none.
  bool Admit(int fd);
  bool Admit(int fd, const std::string& share);

  // The limit of either kind.
  size_t max() const { return max_; }
  // The connections that are open now.
  size_t CountOpen();
  // The connections that were refused so far.
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  static constexpr std::chrono::milliseconds kBetweenLooks{20};

 private:
  // The sockets that were open when they were last looked at.
  class Sockets {
   public:
    void Add(int fd, ino_t inode, const std::string& share);
    void Remove(int fd);
    void RemoveClosed();
    // As RemoveClosed, but does nothing within kBetweenLooks of the last time.
    void RemoveClosedNowAndThen(Clock::time_point now);
    size_t size() const { return sockets_.size(); }
    size_t CountOf(const std::string& share) const;

   private:
    struct Socket {
      ino_t inode;
      std::string share;
    };
    void Release(const std::string& share);

    std::unordered_map<int, Socket> sockets_;           // by descriptor
    std::unordered_map<std::string, size_t> by_share_;  // without the empty one
    Clock::time_point next_look_ = Clock::time_point::min();
  };

  bool IsFull(const Sockets& sockets, const std::string& share) const;

  const size_t max_;
  const std::function<Clock::time_point()> now_;
  std::atomic<uint64_t> refused_{0};
  Mutex mu_;
  Sockets network_ ABSL_GUARDED_BY(mu_);
  Sockets unix_ ABSL_GUARDED_BY(mu_);
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

#ifndef STAGEDOOR_SERVER_LIFECYCLE_IDLE_WATCH_H_
#define STAGEDOOR_SERVER_LIFECYCLE_IDLE_WATCH_H_

#include <chrono>
#include <cstdint>

namespace stagedoor::server {

// Tells when a daemon has not been used for a while. Has no clock: the caller passes the time. Not
// thread-safe.
class IdleWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Use {
    // Calls, also those that wait for an event, and leases: what ends with the daemon.
    uint64_t open = 0;
    // All calls so far, so that those are seen that begin and end between two looks.
    uint64_t calls = 0;
  };

  // Zero means never.
  explicit IdleWatch(std::chrono::milliseconds limit) : limit_(limit) {}

  // Takes note of the use at `now`. True if there has been none for the limit, counted from the
  // first look. To be called periodically.
  bool Observe(Time now, const Use& use);

 private:
  const std::chrono::milliseconds limit_;
  bool looked_ = false;
  uint64_t calls_ = 0;
  Time used_;  // when it was last seen in use
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_IDLE_WATCH_H_

#ifndef STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_
#define STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_

#include <chrono>
#include <cstddef>

namespace stagedoor {

// What RunUntilStopped stops: a server, as far as that matters for it. Thread-safe, but for its
// destruction.
class Drainable {
 public:
  virtual ~Drainable() = default;

  // Tells health checks that it does not want new calls; takes them all the same.
  virtual void AnnounceShutdown() = 0;

  // Takes no new calls, lets running ones finish until `grace_period` is over, then cancels them.
  // Returns when all have ended, which may be never.
  virtual void Drain(std::chrono::milliseconds grace_period) = 0;

  // Cancels running calls, now or as soon as Drain has begun.
  virtual void CancelCalls() = 0;

  virtual size_t calls_in_flight() const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_

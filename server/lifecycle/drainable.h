#ifndef STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_
#define STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_

#include <chrono>
#include <cstddef>

namespace stagedoor::server {

// The part of a server's interface that RunUntilStopped needs to stop it. Thread-safe except for
// its destruction.
class Drainable {
 public:
  virtual ~Drainable() = default;

  // Makes health checks report that no new calls are wanted. Calls are still accepted.
  virtual void AnnounceShutdown() = 0;

  // Rejects new calls, lets running calls finish within `grace_period`, then cancels them. Returns
  // when all have ended, which may never happen.
  virtual void Drain(std::chrono::milliseconds grace_period) = 0;

  // Cancels running calls now, or as soon as Drain has begun.
  virtual void CancelCalls() = 0;

  virtual size_t calls_in_flight() const = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_DRAINABLE_H_

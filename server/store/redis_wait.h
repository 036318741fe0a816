#ifndef STAGEDOOR_SERVER_STORE_REDIS_WAIT_H_
#define STAGEDOOR_SERVER_STORE_REDIS_WAIT_H_

#include <chrono>

#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor::server {

// How long an operation on a connection may wait: until its request is over, or a timeout has
// passed. References the context.
class RedisWait {
 public:
  using Clock = RequestContext::Clock;

  // Cancel() of a context does not wake a thread, so waits end every few milliseconds to look. With
  // `wake_fd`, which becomes readable after Cancel(), they do not. -1 if there is none.
  RedisWait(RequestContext& context, std::chrono::milliseconds timeout, int wake_fd = -1)
      : context_(context), timeout_(timeout), end_(Clock::now() + timeout), wake_fd_(wake_fd) {}

  RequestContext& context() const { return context_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  bool TimedOut() const { return Clock::now() >= end_; }
  // The wait of one of `count` attempts that share the time that is left.
  RedisWait Share(size_t count) const;

  // Waits until a file descriptor has one of `events` (POLLIN, POLLOUT) or an error. False once the
  // timeout has passed. Errors: those of the context.
  absl::StatusOr<bool> For(int fd, short events) const;

 private:
  RequestContext& context_;
  const std::chrono::milliseconds timeout_;
  const Clock::time_point end_;
  const int wake_fd_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_WAIT_H_

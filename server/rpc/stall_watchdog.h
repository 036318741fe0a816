#ifndef STAGEDOOR_SERVER_RPC_STALL_WATCHDOG_H_
#define STAGEDOOR_SERVER_RPC_STALL_WATCHDOG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace stagedoor::server {

// Tracks messages that are being sent to clients. The call of a client that does not read its
// message within the timeout, or before the call's deadline, is aborted, because its pending data
// holds memory that others need. No thread waits: Sweep must be called periodically. Thread-safe.
class StallWatchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // A call that sends one message at a time.
  class Writer {
   public:
    virtual ~Writer() = default;

    // Aborts the call, whose message was not read in time. May call WriteDone.
    virtual void AbortStalled(std::chrono::seconds timeout) = 0;

   private:
    friend class StallWatchdog;
    bool waiting_ = false;
    std::list<Writer*>::iterator place_;
    Clock::time_point until_;
  };

  explicit StallWatchdog(std::chrono::seconds timeout,
                         std::function<Clock::time_point()> now = Clock::now)
      : timeout_(timeout), now_(std::move(now)) {}

  // `writer` has started to send a message, which must be read by `deadline` at the latest.
  void WriteStarted(Writer& writer, Clock::time_point deadline);
  // The message has been read, or the call has ended. Waits for an AbortStalled of `writer` that
  // runs on another thread; none runs afterwards.
  void WriteDone(Writer& writer);

  // Aborts the calls whose messages have waited too long.
  void Sweep();

  // The number of calls aborted so far.
  uint64_t aborted_calls() const;
  // The number of messages being sent.
  size_t waiting() const;

 private:
  const std::chrono::seconds timeout_;
  const std::function<Clock::time_point()> now_;

  // Recursive because it is held during AbortStalled, which may call WriteDone on the same thread.
  mutable std::recursive_mutex mu_;
  std::list<Writer*> writers_;  // guarded by mu_
  uint64_t aborted_calls_ = 0;  // guarded by mu_
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_STALL_WATCHDOG_H_

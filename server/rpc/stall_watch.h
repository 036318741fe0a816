#ifndef STAGEDOOR_SERVER_RPC_STALL_WATCH_H_
#define STAGEDOOR_SERVER_RPC_STALL_WATCH_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace stagedoor {

// Messages on their way to clients, and since when. A client that does not take its message within
// the patience, or before its call's deadline, is cut off: what waits for it holds memory that
// others need. No thread waits for any of them; someone calls Sweep now and then. Thread-safe.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // What has one message on its way at a time.
  class Sender {
   public:
    virtual ~Sender() = default;

    // Ends the call of a message that was not taken. May call Taken.
    virtual void CutOff(std::chrono::seconds patience) = 0;

   private:
    friend class StallWatch;
    bool waiting_ = false;
    std::list<Sender*>::iterator place_;
    Clock::time_point until_;
  };

  explicit StallWatch(std::chrono::seconds patience,
                      std::function<Clock::time_point()> now = Clock::now)
      : patience_(patience), now_(std::move(now)) {}

  // A message of `sender` is on its way, which must be taken by `deadline` at the latest.
  void Sent(Sender& sender, Clock::time_point deadline);
  // It was taken, or the call is over. Waits for a CutOff of the sender that runs on another
  // thread; afterwards there is none.
  void Taken(Sender& sender);

  // Cuts off whoever has waited too long.
  void Sweep();

  // Calls cut off so far.
  uint64_t cut_off() const;
  // Messages on their way.
  size_t waiting() const;

 private:
  const std::chrono::seconds patience_;
  const std::function<Clock::time_point()> now_;

  // Held while senders are cut off, which may bring calls back on the same thread.
  mutable std::recursive_mutex mu_;
  std::list<Sender*> senders_;  // guarded by mu_
  uint64_t cut_off_ = 0;        // guarded by mu_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_STALL_WATCH_H_

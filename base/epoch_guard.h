#ifndef STAGEDOOR_BASE_EPOCH_GUARD_H_
#define STAGEDOOR_BASE_EPOCH_GUARD_H_

#include <atomic>
#include <cstdint>

namespace stagedoor {

// Epoch-based reclamation: determines when memory that lock-free readers may still be accessing can
// be freed. Plays the role of folly's RCU (folly::rcu_reader).
//
// A reader accesses shared structures only while it holds an EpochGuard, and holds it as briefly as
// possible: nothing that is removed in the meantime, from any structure, is freed before the guard
// ends. A writer that removes an object from such a structure tags it with CurrentEpoch(), and
// frees it once AdvanceEpoch() returns a larger number. By then every reader that could have
// reached the object has left. This requires that the stores which remove an object, and the loads
// through which readers reach it, are sequentially consistent. Then a reader that AdvanceEpoch did
// not yet see cannot see an object that was removed before.
class EpochGuard {
 public:
  // Nests. Only the outermost guard of a thread has a cost.
  EpochGuard() {
    if (depth_++ == 0) Enter();
  }
  ~EpochGuard() {
    if (--depth_ == 0) Leave();
  }
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;

 private:
  friend struct EpochReaders;
  friend uint64_t CurrentEpoch();
  friend uint64_t AdvanceEpoch();
  struct Reader {
    std::atomic<uint64_t> epoch{0};  // 0 outside of guards
    std::atomic<bool> taken{true};   // in use by a thread
    Reader* next = nullptr;
  };
  static void Enter() {
    if (reader_ == nullptr) Register();
    reader_->epoch.store(now_.load());
  }
  static void Register();
  static void Leave() { reader_->epoch.store(0, std::memory_order_release); }

  static inline std::atomic<uint64_t> now_{1};
  static inline constinit thread_local int depth_ = 0;
  static inline constinit thread_local Reader* reader_ = nullptr;
};

// The epoch with which to tag an object that was just removed.
uint64_t CurrentEpoch();

// Begins a new epoch. Objects tagged with a number less than the result can be freed.
uint64_t AdvanceEpoch();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_EPOCH_GUARD_H_

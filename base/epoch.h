#ifndef STAGEDOOR_BASE_EPOCH_H_
#define STAGEDOOR_BASE_EPOCH_H_

#include <atomic>
#include <cstdint>

namespace stagedoor {

// Epoch-based reclamation: when what lock-free readers may be looking at can be freed.
//
// A reader looks at shared structures within an EpochGuard only, for as short as can be: nothing
// that was taken out meanwhile is freed before it leaves, of whomever it was. Who has taken
// something out of such a structure tags it with CurrentEpoch(), and frees it once AdvanceEpoch()
// returns a larger number: every reader that could have met it has gone by then. For that the
// stores that take something out, and the loads by which readers come to it, are sequentially
// consistent. Then a reader that AdvanceEpoch did not see yet does not see what was taken out
// before.
class EpochGuard {
 public:
  // Nests; only the outermost guard of a thread costs anything.
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
    std::atomic<uint64_t> epoch{0};  // 0: outside of guards
    std::atomic<bool> taken{true};   // by a thread
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

// The tag of what was just taken out.
uint64_t CurrentEpoch();

// Begins a new epoch. What is tagged with less than the result can be freed.
uint64_t AdvanceEpoch();

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_EPOCH_H_

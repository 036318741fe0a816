#ifndef STAGEDOOR_SCENE_STAGE_MEMO_BUDGET_H_
#define STAGEDOOR_SCENE_STAGE_MEMO_BUDGET_H_

#include <atomic>
#include <cstddef>

#include "base/request_context.h"
#include "base/reservation.h"

namespace stagedoor {

// The memory of a table that requests fill, such as a PrimMemo: decides whether an entry may be
// kept, and charges it.
//
// Threads take blocks of it that grow with the table, so that they do not wait for each other at
// each entry; at most an eighth more than the entries have is charged, and 256 KiB. Thread-safe.
class MemoBudget {
 public:
  // Charged to `memory`, which must outlive it. All entries together have at most `max_bytes`.
  MemoBudget(Reservation& memory, size_t max_bytes) : memory_(memory), max_bytes_(max_bytes) {}
  MemoBudget(const MemoBudget&) = delete;
  MemoBudget& operator=(const MemoBudget&) = delete;

  // Charges an entry of `bytes`. False if it must not be kept: the request is over, so that the
  // entry may be incomplete, the stages exceed their memory limit, or nothing is left.
  bool Take(RequestContext& context, size_t bytes);
  // For an entry that was not kept after all.
  void Return(size_t bytes) { OwnShare().left.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  static constexpr size_t kShares = 16;
  static constexpr size_t kMaxBlock = size_t{16} << 10;
  struct alignas(64) Share {  // a cache line each
    std::atomic<size_t> left{0};
  };
  // That of the calling thread, and of others at random.
  Share& OwnShare();
  bool TakeBlock(RequestContext& context, size_t bytes, Share& share);

  Reservation& memory_;
  const size_t max_bytes_;
  std::atomic<size_t> taken_{0};
  Share shares_[kShares];
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_MEMO_BUDGET_H_

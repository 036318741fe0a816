#include "scene/stage/memo_budget.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "base/hash.h"

namespace stagedoor {

MemoBudget::Share& MemoBudget::OwnShare() {
  return shares_[MixBits(std::hash<std::thread::id>()(std::this_thread::get_id())) % kShares];
}

bool MemoBudget::Take(RequestContext& context, size_t bytes) {
  if (context.failed()) return false;
  Share& share = OwnShare();
  size_t left = share.left.load(std::memory_order_relaxed);
  while (left >= bytes) {
    if (share.left.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) {
      return true;
    }
  }
  return TakeBlock(context, bytes, share);
}

bool MemoBudget::TakeBlock(RequestContext& context, size_t bytes, Share& share) {
  if (!context.Check().ok() || memory_.over()) return false;
  size_t taken = taken_.load(std::memory_order_relaxed);
  size_t block;
  do {
    if (bytes > max_bytes_ - taken) return false;
    constexpr size_t kPart = 8 * kShares;  // of what is there, for each of the shares
    block = std::min(bytes + std::min(kMaxBlock, taken / kPart), max_bytes_ - taken);
  } while (!taken_.compare_exchange_weak(taken, taken + block, std::memory_order_relaxed));
  memory_.Add(block);
  share.left.fetch_add(block - bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace stagedoor

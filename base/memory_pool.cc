#include "base/memory_pool.h"

#include <chrono>

#include "base/status.h"

namespace stagedoor {
namespace {

// By then some of the requests that hold bytes have probably ended.
constexpr std::chrono::milliseconds kRetryDelay{500};

constexpr size_t kPartForSmallPools = 16;

}  // namespace

absl::Status MemoryPool::Reserve(size_t bytes, std::string_view what) {
  size_t used = 0;
  if (!Take(bytes, limit_, &used)) return Refuse({*this, bytes, what, used, limit_});
  if (outer_ == nullptr) return absl::OkStatus();
  const bool small = used + bytes <= kSmallPoolBytes;
  const size_t most = outer_->limit_ - (small ? 0 : outer_->limit_ / kPartForSmallPools);
  if (outer_->Take(bytes, most, &used)) return absl::OkStatus();
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return Refuse({*outer_, bytes, what, used, most});
}

bool MemoryPool::Take(size_t bytes, size_t most, size_t* used) {
  *used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > most || *used > most - bytes) return false;
  } while (!used_.compare_exchange_weak(*used, *used + bytes, std::memory_order_relaxed));
  return true;
}

absl::Status MemoryPool::Refuse(const Refusal& refusal) {
  const absl::Status full = ResourceExhaustedError(
      refusal.what, ": ", refusal.bytes, " bytes do not fit into the shared budget of ",
      refusal.most, " bytes (", refusal.used, " in use)");
  return refusal.bytes > refusal.most ? full : WithRetryDelay(full, kRetryDelay);
}

}  // namespace stagedoor

#ifndef STAGEDOOR_BASE_BYTE_BUDGET_H_
#define STAGEDOOR_BASE_BYTE_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace stagedoor {

// A limit on the bytes that many holders (replies being built, uploads, scratch memory) have at the
// same time. Refuses instead of blocking. Comparable to gRPC's ResourceQuota. Thread-safe. Must
// outlive its reservations.
class ByteBudget {
 public:
  // Bytes reserved in a budget, which are returned to it on destruction. Move-only.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept { *this = std::move(other); }
    Reservation& operator=(Reservation&& other) noexcept {
      if (this == &other) return *this;
      Release();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    ~Reservation() { Release(); }

    size_t bytes() const { return bytes_; }
    void Release() {
      if (budget_ != nullptr) budget_->Return(bytes_);
      budget_ = nullptr;
      bytes_ = 0;
    }

   private:
    friend class ByteBudget;
    Reservation(ByteBudget* budget, size_t bytes) : budget_(budget), bytes_(bytes) {}
    ByteBudget* budget_ = nullptr;
    size_t bytes_ = 0;
  };

  explicit ByteBudget(size_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

  // Reserves `bytes` without waiting. RESOURCE_EXHAUSTED if they do not fit; `what`, a noun phrase,
  // begins the message. The error carries a retry delay (base/status.h) unless the bytes can never
  // fit.
  absl::StatusOr<Reservation> Reserve(size_t bytes, std::string_view what);

  // As Reserve, for callers that keep their own count and return the bytes with Return. Leaves at
  // least `leave` bytes of the limit to others.
  absl::Status Take(size_t bytes, std::string_view what, size_t leave = 0);
  void Return(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_BYTE_BUDGET_H_

#include "base/byte_budget.h"

#include <algorithm>
#include <chrono>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

// By then some of the requests that hold bytes have probably ended.
constexpr std::chrono::milliseconds kRetryDelay{500};

}  // namespace

absl::StatusOr<ByteBudget::Reservation> ByteBudget::Reserve(size_t bytes, std::string_view what) {
  SD_RETURN_IF_ERROR(Take(bytes, what));
  return Reservation(this, bytes);
}

absl::Status ByteBudget::Take(size_t bytes, std::string_view what, size_t leave) {
  const size_t most = limit_ - std::min(leave, limit_);
  size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > most || used > most - bytes) {
      const absl::Status full =
          ResourceExhaustedError(what, ": ", bytes, " bytes do not fit into the shared budget of ",
                                 most, " bytes (", used, " in use)");
      return bytes > most ? full : WithRetryDelay(full, kRetryDelay);
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return absl::OkStatus();
}

}  // namespace stagedoor

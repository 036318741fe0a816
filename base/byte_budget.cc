#include "base/byte_budget.h"

#include "base/status.h"

namespace stagedoor {

absl::StatusOr<ByteBudget::Reservation> ByteBudget::Reserve(size_t bytes, std::string_view what) {
  size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ || used > limit_ - bytes) {
      return ResourceExhaustedError(what, ": ", bytes, " bytes do not fit into the budget of ",
                                    limit_, " (", used, " in use)");
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return Reservation(this, bytes);
}

}  // namespace stagedoor

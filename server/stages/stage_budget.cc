#include "server/stages/stage_budget.h"

#include <chrono>
#include <string_view>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// Leases end or expire at unknown times, so the delay is a guess.
constexpr std::chrono::seconds kRetryDelay{2};

absl::Status Exhausted(const absl::Status& status, std::string_view budget) {
  return WithRetryDelay(WithReason(status, v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", budget}}),
                        kRetryDelay);
}

}  // namespace

size_t StageBudget::ExcessOfLayers() const {
  const size_t bytes = layers_.cached_bytes(), most = layers_.max_cached_bytes();
  return bytes > most ? bytes - most : 0;
}

absl::Status StageBudget::Check() const {
  const size_t bytes = used();
  if (bytes > limit()) {
    return Exhausted(
        ResourceExhaustedError(
            "open stages hold ", bytes, " bytes of memory, above the limit of ", limit(),
            " (--stage-cache-bytes); close stages, or open less with a mask or load rules"),
        pool_->name());
  }
  if (!pressed()) return absl::OkStatus();
  return Exhausted(ResourceExhaustedError(
                       "the daemon's memory is short, so no stage is opened or edited; try again "
                       "later, and close stages that are no longer needed"),
                   "memory");
}

}  // namespace stagedoor::server

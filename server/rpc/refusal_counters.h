#ifndef STAGEDOOR_SERVER_RPC_REFUSAL_COUNTERS_H_
#define STAGEDOOR_SERVER_RPC_REFUSAL_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::server {

// Counts calls that were refused for lack of a resource, by what was exhausted: the budget that the
// error names (see WithReason), "bytes" for the memory that calls share, "limits" for calls that
// exceeded a limit of one call, which no retry helps. Thread-safe.
class RefusalCounters {
 public:
  // Budgets that are not listed count as "other".
  static constexpr std::array<std::string_view, 10> kReasons = {
      "calls",  "waiting", "waiting time", "identity calls", "leases",
      "stages", "memory",  "bytes",        "limits",         "other"};

  // Counts the error of a call if it is a refusal.
  void Count(const absl::Status& status);

  int64_t count(size_t reason) const { return counts_[reason].load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<int64_t>, kReasons.size()> counts_{};
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_REFUSAL_COUNTERS_H_

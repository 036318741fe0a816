#ifndef STAGEDOOR_SERVER_CALL_LIMITS_H_
#define STAGEDOOR_SERVER_CALL_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stagedoor {

// What calls may use while they run, one and all together. Beyond it: RESOURCE_EXHAUSTED
// (BUDGET_EXHAUSTED), or DEADLINE_EXCEEDED for the duration.
struct CallLimits {
  size_t max_calls = 10000;  // in flight
  // Steps of work of one call (RequestContext::Spend). The largest call over the benchmark scenes
  // takes less than a thousandth of it.
  uint64_t max_steps = uint64_t{1} << 36;
  std::optional<size_t> max_bytes;  // one call's scratch and reply; none: half of all_bytes
  std::optional<size_t> all_bytes;  // of all calls in flight; none: DefaultCallsBytes
  // The longest deadline: of calls that come with none or a later one.
  std::chrono::seconds max_duration{3600};
  // How long a client may leave a message unread.
  std::chrono::seconds stall{60};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CALL_LIMITS_H_

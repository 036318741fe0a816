#ifndef STAGEDOOR_SERVER_CALL_LIMITS_H_
#define STAGEDOOR_SERVER_CALL_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stagedoor::server {

// Limits on the resources of running calls, individually and together. A call beyond a limit fails
// with RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED), or with DEADLINE_EXCEEDED beyond max_duration.
// UNAVAILABLE replaces RESOURCE_EXHAUSTED where a call waited too long because of other clients.
struct CallLimits {
  size_t max_calls = 10000;  // in flight
  // The calls of one client that may wait for a thread of a lane at the same time.
  size_t max_waiting_per_client = 1000;
  // Calls of WatchStage, which do not count as calls in flight while there is nothing to report.
  size_t max_watches = 10000;
  size_t max_watches_per_client = 1000;
  // How long a call may wait for a thread; a call that waits longer is refused instead. A deadline
  // that passes earlier ends the wait as well.
  std::chrono::milliseconds max_wait{30000};
  // Steps of work per call (RequestContext::Spend). The largest call on the benchmark scenes takes
  // less than a thousandth of the default.
  uint64_t max_steps = uint64_t{1} << 36;
  std::optional<size_t> max_bytes;  // scratch and reply of one call; default: half of all_bytes
  std::optional<size_t> all_bytes;  // the same for all calls in flight; default: DefaultCallsBytes
  // The longest deadline. Replaces a later or missing deadline of a call.
  std::chrono::seconds max_duration{3600};
  // How long a client may leave a message unread.
  std::chrono::seconds stall{60};
  // How long a stream makes messages in one turn, and up to which size; at least one.
  std::chrono::microseconds turn_time{500};
  size_t turn_bytes = size_t{4} << 20;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CALL_LIMITS_H_

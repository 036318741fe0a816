#ifndef STAGEDOOR_SERVER_STAGES_LEASE_OPTIONS_H_
#define STAGEDOOR_SERVER_STAGES_LEASE_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>

namespace stagedoor::server {

// Limits of a LeaseTable.
struct LeaseOptions {
  using Clock = std::chrono::steady_clock;
  Clock::duration default_ttl = std::chrono::minutes(5);
  Clock::duration max_ttl = std::chrono::hours(1);
  size_t max_leases = 100000;
  // How many expired handles are remembered, to report LEASE_EXPIRED instead of STAGE_NOT_FOUND.
  size_t max_remembered = 10000;
  std::function<Clock::time_point()> now = Clock::now;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_LEASE_OPTIONS_H_

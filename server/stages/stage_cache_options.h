#ifndef STAGEDOOR_SERVER_STAGES_STAGE_CACHE_OPTIONS_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_CACHE_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>

namespace stagedoor::server {

// Limits of a StageCache.
struct StageCacheOptions {
  using Clock = std::chrono::steady_clock;
  // How many stages that no client holds are kept for later clients, within max_bytes.
  size_t max_idle_stages = 64;
  // The budget for all stages together, held or idle; see StageBudget.
  size_t max_bytes = size_t{4} << 30;
  // How long Open trusts a stage after its files were checked, before it checks them again; 0
  // checks them on every call.
  std::chrono::milliseconds check_interval{0};
  std::function<Clock::time_point()> now = Clock::now;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_CACHE_OPTIONS_H_

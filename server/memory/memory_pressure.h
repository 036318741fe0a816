#ifndef STAGEDOOR_SERVER_MEMORY_MEMORY_PRESSURE_H_
#define STAGEDOOR_SERVER_MEMORY_MEMORY_PRESSURE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace stagedoor::server {

// How the memory in use compares with what the process may use.
enum class MemoryLevel {
  kNormal,
  kHigh,      // above the soft limit although the caches are empty: no new stages, no heavy calls
  kCritical,  // close to where allocations fail: only light calls
};
inline constexpr std::array<std::string_view, 3> kMemoryLevelNames = {"normal", "high", "critical"};

// Keeps the process below its memory limit. Each budget (layers, clips, stages, calls) bounds its
// own part; this sees to the sum, and to what no budget counts. Above the soft limit it empties
// caches, step by step, until the memory in use is below it again. Only if that does not suffice
// does the level rise, and new work is refused before allocations fail.
//
// Check is called by one thread; the rest is thread-safe.
class MemoryPressure {
 public:
  using Clock = std::chrono::steady_clock;

  // Frees memory that is not needed at the moment, such as the unused part of a cache.
  struct Step {
    std::string_view name;
    std::function<void()> release;
  };
  struct Limits {
    uint64_t soft_bytes = 0;
    uint64_t hard_bytes = 0;  // where allocations of requests fail
  };
  struct Options {
    Limits limits;
    std::vector<Step> steps;                 // what is cheapest to have again comes first
    std::function<uint64_t()> used;          // the memory in use, in bytes
    std::function<void()> return_to_system;  // freed memory
    std::function<Clock::time_point()> now = Clock::now;
  };

  // If steps have freed nothing, the next attempt waits for this long.
  static constexpr std::chrono::seconds kRest{1};

  explicit MemoryPressure(Options options);

  // Looks at the memory in use, empties caches if necessary, and sets the level. `wanted` tells
  // that an allocation waits, which is a reason to empty caches in any case.
  void Check(bool wanted = false);

  MemoryLevel level() const { return level_.load(std::memory_order_relaxed); }
  const Limits& limits() const { return options_.limits; }
  uint64_t used() const { return options_.used(); }
  size_t steps() const { return options_.steps.size(); }
  std::string_view step_name(size_t step) const { return options_.steps[step].name; }
  // How often a step was taken.
  uint64_t releases(size_t step) const { return releases_[step].load(std::memory_order_relaxed); }

 private:
  // Returns the memory in use afterwards.
  uint64_t EmptyCaches(uint64_t used);
  MemoryLevel LevelFor(uint64_t used) const;

  const Options options_;
  std::vector<std::atomic<uint64_t>> releases_;
  std::atomic<MemoryLevel> level_{MemoryLevel::kNormal};
  Clock::time_point rest_until_{};
};

// The limits for a process in which allocations of requests fail at `hard_bytes`.
MemoryPressure::Limits MemoryPressureLimits(uint64_t hard_bytes);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MEMORY_MEMORY_PRESSURE_H_

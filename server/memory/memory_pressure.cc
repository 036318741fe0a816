#include "server/memory/memory_pressure.h"

#include <utility>

namespace stagedoor::server {
namespace {

// Steps that free less are not worth repeating at once.
constexpr uint64_t kWorthwhileBytes = uint64_t{1} << 20;

// The level falls again once this part of a limit is free, so that it does not flicker.
constexpr uint64_t kMargin = 16;

}  // namespace

MemoryPressure::MemoryPressure(Options options)
    : options_(std::move(options)), releases_(options_.steps.size()) {}

void MemoryPressure::Check(bool wanted) {
  uint64_t used = options_.used();
  const bool too_much = used > options_.limits.soft_bytes;
  if (wanted || (too_much && options_.now() >= rest_until_)) used = EmptyCaches(used);
  level_.store(LevelFor(used), std::memory_order_relaxed);
}

uint64_t MemoryPressure::EmptyCaches(uint64_t used) {
  const uint64_t before = used;
  for (size_t i = 0; i < options_.steps.size(); ++i) {
    options_.steps[i].release();
    releases_[i].fetch_add(1, std::memory_order_relaxed);
    options_.return_to_system();
    used = options_.used();
    if (used <= options_.limits.soft_bytes) break;
  }
  if (used + kWorthwhileBytes > before) rest_until_ = options_.now() + kRest;
  return used;
}

MemoryLevel MemoryPressure::LevelFor(uint64_t used) const {
  const auto& [soft, hard] = options_.limits;
  const MemoryLevel before = level();
  const auto above = [&](uint64_t limit, MemoryLevel level) {
    return used > (before >= level ? limit - limit / kMargin : limit);
  };
  if (above(soft + (hard - soft) / 2, MemoryLevel::kCritical)) return MemoryLevel::kCritical;
  return above(soft, MemoryLevel::kHigh) ? MemoryLevel::kHigh : MemoryLevel::kNormal;
}

MemoryPressure::Limits MemoryPressureLimits(uint64_t hard_bytes) {
  return {hard_bytes - hard_bytes / 8, hard_bytes};
}

}  // namespace stagedoor::server

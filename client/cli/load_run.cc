#include "client/cli/load_run.h"

#include <thread>

namespace stagedoor {

LoadClock& SteadyLoadClock() {
  class Clock final : public LoadClock {
   public:
    Time Now() override { return std::chrono::steady_clock::now(); }
    void SleepUntil(Time time) override { std::this_thread::sleep_until(time); }
  };
  static Clock clock;
  return clock;
}

LoadSchedule::LoadSchedule(LoadClock::Time start, std::chrono::nanoseconds duration,
                           std::optional<double> rate)
    : start_(start), end_(start + duration), rate_(rate) {}

std::optional<LoadClock::Time> LoadSchedule::Next(LoadClock::Time now) {
  if (now >= end_) return std::nullopt;
  if (!rate_.has_value()) return now;
  const double seconds = static_cast<double>(next_.fetch_add(1)) / *rate_;
  const LoadClock::Time due = start_ + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                           std::chrono::duration<double>(seconds));
  return due < end_ ? std::optional(due) : std::nullopt;
}

void LoadResult::Add(const LoadResult& other) {
  latencies.Add(other.latencies);
  errors += other.errors;
  if (first_error.ok()) first_error = other.first_error;
}

std::vector<LoadResult> RunLoad(const std::vector<LoadOperation>& operations,
                                LoadSchedule& schedule, uint64_t seed, LoadClock& clock) {
  std::vector<LoadResult> results;
  std::vector<double> weights;
  for (const LoadOperation& operation : operations) {
    results.push_back({.name = operation.name});
    weights.push_back(operation.weight);
  }
  LoadRandom random(seed);
  std::discrete_distribution<size_t> choose(weights.begin(), weights.end());
  for (;;) {
    const std::optional<LoadClock::Time> due = schedule.Next(clock.Now());
    if (!due.has_value()) return results;
    clock.SleepUntil(*due);
    const size_t chosen = choose(random);
    LoadResult& result = results[chosen];
    absl::Status status = operations[chosen].call(random);
    if (status.ok()) {
      result.latencies.Add(clock.Now() - *due);
    } else {
      ++result.errors;
      if (result.first_error.ok()) result.first_error = std::move(status);
    }
  }
}

}  // namespace stagedoor

#ifndef STAGEDOOR_CLIENT_CLI_LOAD_RUN_H_
#define STAGEDOOR_CLIENT_CLI_LOAD_RUN_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/latency_digest.h"

// The load that `perf` makes, without the calls themselves.
namespace stagedoor {

using LoadRandom = std::mt19937_64;

// A kind of call.
struct LoadOperation {
  std::string name;
  double weight = 1;  // how often, in relation to the others
  std::function<absl::Status(LoadRandom&)> call;
};

class LoadClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~LoadClock() = default;
  virtual Time Now() = 0;
  virtual void SleepUntil(Time time) = 0;
};
// The clock of the machine.
LoadClock& SteadyLoadClock();

// Says when calls are due. Thread-safe.
class LoadSchedule {
 public:
  // With a rate, calls per second, calls are due at equal distances, whether earlier ones have
  // ended or not; otherwise at any time until the end.
  LoadSchedule(LoadClock::Time start, std::chrono::nanoseconds duration,
               std::optional<double> rate);

  // When the next call is due, for a worker that is free at `now`. Nothing once the time is over.
  std::optional<LoadClock::Time> Next(LoadClock::Time now);

 private:
  const LoadClock::Time start_, end_;
  const std::optional<double> rate_;
  std::atomic<uint64_t> next_{0};
};

// The times and errors of the calls of one kind.
struct LoadResult {
  std::string name;
  LatencyDigest latencies;  // of calls that succeeded
  uint64_t errors = 0;
  absl::Status first_error;

  void Add(const LoadResult& other);
};

// Makes calls, one after another, until the schedule ends. The latency of a call counts from when
// it is due, so that the time that it waits for earlier ones is not lost. Returns a result for each
// operation. `operations` must not be empty and have positive weights.
std::vector<LoadResult> RunLoad(const std::vector<LoadOperation>& operations,
                                LoadSchedule& schedule, uint64_t seed,
                                LoadClock& clock = SteadyLoadClock());

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_LOAD_RUN_H_

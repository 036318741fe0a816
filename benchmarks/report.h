#ifndef STAGEDOOR_BENCHMARKS_REPORT_H_
#define STAGEDOOR_BENCHMARKS_REPORT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/lanes.h"
#include "benchmarks/thread_pair.h"

namespace stagedoor::bench {

// Report prints the results of one group of measurements.

// The median of `values`, which must not be empty.
double Median(std::vector<double> values);
// How long `work` takes.
double Seconds(const std::function<void()>& work);

struct ReportOptions {
  int runs = 5;
  bool brief = false;       // reduced amounts, for smoke tests
  double quiet = 0;         // seconds this group may wait for other work to end
  bool one_thread = false;  // run the engine on one thread; adds ".t1" to names
  Lane lane = Lane::kNone;  // if set, serves only parallel metrics (ServeLane)
  std::string only;         // prefix of the names to measure
};

// Prints each result as a line "@@JSON" in the format of bench/README.md. For a lane, only serves
// orders on standard input and output (ServeLane). Not thread-safe.
class Report {
 public:
  explicit Report(const ReportOptions& options);

  const ReportOptions& options() const { return options_; }
  bool brief() const { return options_.brief; }
  // Whether the engine has one thread.
  bool one_thread() const {
    return options_.one_thread || options_.lane == Lane::kFirst || options_.lane == Lane::kSecond;
  }
  int runs() const { return options_.runs; }
  // The number of runs for slow measurements.
  int few_runs() const { return options_.runs / 2 > 2 ? options_.runs / 2 : 2; }

  // Whether to measure a metric.
  bool ShouldMeasure(std::string_view name) const;
  // Waits for other work on the machine to end, within the group's budget. Call before measuring.
  void Settle();
  void Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
           std::string_view note = {});
  // `work` returns its amount. Runs it once to warm up, then reports the amount per second.
  void Rate(std::string_view name, std::string_view unit, const std::function<double()>& work);
  void Rate(std::string_view name, std::string_view unit, const std::function<double()>& work,
            int runs, bool warm);
  // Reports the amount per second of work that the engine spreads over its threads.
  void MeasureParallelRate(std::string_view name, std::string_view unit, const SpreadWork& work) {
    MeasureParallelRate(name, unit, work, options_.runs, true);
  }
  void MeasureParallelRate(std::string_view name, std::string_view unit, const SpreadWork& work,
                           int runs, bool warm);
  // Reports the amount per second of two threads that start at the same time, each with its own
  // work. Runs once to warm up.
  void MeasureTwoThreadRate(std::string_view name, std::string_view unit,
                            const std::function<double(int half)>& work);

 private:
  void Mark();

  ReportOptions options_;
  ThreadPair threads_;
  double quiet_left_;
  // The state at the start of the measurement.
  double start_ = 0;
  double busy_ = 0;
  double own_ = 0;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_REPORT_H_

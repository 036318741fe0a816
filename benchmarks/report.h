// Report: the results of one group of measurements.
#ifndef STAGEDOOR_BENCHMARKS_REPORT_H_
#define STAGEDOOR_BENCHMARKS_REPORT_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/lanes.h"
#include "benchmarks/thread_pair.h"

namespace stagedoor::bench {

// Ends the process with status 1 and `what` unless `holds`: a number from a wrong answer is none.
void Require(bool holds, std::string_view what);
// The middle value (or the mean of the two); `values` is not empty.
double Median(std::vector<double> values);
// How long `work` takes.
double Seconds(const std::function<void()>& work);

struct ReportOptions {
  int runs = 5;
  bool brief = false;       // less of everything, for smoke tests
  double quiet = 0;         // seconds this group may wait for other work to pass
  bool one_thread = false;  // the engine has one thread: names that exist for that get ".t1"
  Lane lane = Lane::kNone;  // else only what can be spread is measured, as ServeLane is told
  std::string only;         // the beginning of the names to measure; all others are left out
};

// Prints each result as a line "@@JSON", as the format of bench/README.md describes results; of a
// lane what ServeLane does, on standard input and output, and nothing else. Not thread-safe.
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
  // For measurements that take long.
  int few_runs() const { return options_.runs / 2 > 2 ? options_.runs / 2 : 2; }

  // Whether a metric is to be measured.
  bool ShouldMeasure(std::string_view name) const;
  // Before a measurement: lets other work on the machine pass, within the group's budget.
  void Settle();
  void Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
           std::string_view note = {});
  // `work` returns its amount. Done once to warm up, then measured; reports amount per second.
  void Rate(std::string_view name, std::string_view unit, const std::function<double()>& work);
  void Rate(std::string_view name, std::string_view unit, const std::function<double()>& work,
            int runs, bool warm);
  // The amount per second of work that the engine spreads.
  void MeasureParallelRate(std::string_view name, std::string_view unit, const SpreadWork& work) {
    MeasureParallelRate(name, unit, work, options_.runs, true);
  }
  void MeasureParallelRate(std::string_view name, std::string_view unit, const SpreadWork& work,
                           int runs, bool warm);
  // The amount per second of two threads that start at once, each with its own work. Done once to
  // warm up.
  void MeasureTwoThreadRate(std::string_view name, std::string_view unit,
                            const std::function<double(int half)>& work);

 private:
  void Mark();

  ReportOptions options_;
  ThreadPair threads_;
  double quiet_left_;
  // When the measurement began.
  double start_ = 0;
  double busy_ = 0;
  double own_ = 0;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_REPORT_H_

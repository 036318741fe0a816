#include "benchmarks/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "benchmarks/machine.h"

namespace stagedoor::bench {
namespace {

// The metrics that the peer also measures with its own threads limited to one.
constexpr std::array<std::string_view, 6> kOneThreadNames = {"city.open_s",
                                                             "wide.open_s",
                                                             "crowd.skin.points_per_s",
                                                             "crowd.skin_lbs.points_per_s",
                                                             "crowd.skin_blend.points_per_s",
                                                             "crowd.bake.points_per_s"};

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Seconds(const std::function<void()>& work) {
  const double start = Now();
  work();
  return Now() - start;
}

Report::Report(const ReportOptions& options) : options_(options), quiet_left_(options.quiet) {
  Mark();
}

void Report::Mark() {
  start_ = Now();
  busy_ = MachineCpuSeconds();
  own_ = OwnCpuSeconds();
}

void Report::Settle() {
  if (quiet_left_ > 0) quiet_left_ -= WaitUntilIdle(quiet_left_);
  Mark();
}

bool Report::ShouldMeasure(std::string_view name) const {
  if (options_.lane != Lane::kNone) return false;
  if (!(std::string(name) + (options_.one_thread ? ".t1" : "")).starts_with(options_.only)) {
    return false;
  }
  return !options_.one_thread || std::count(kOneThreadNames.begin(), kOneThreadNames.end(), name);
}

void Report::Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
                 std::string_view note) {
  if (!ShouldMeasure(name)) return Mark();
  nlohmann::json result;
  result["name"] = std::string(name) + (options_.one_thread ? ".t1" : "");
  result["unit"] = unit;
  result["value"] = Median(runs);
  result["runs"] = runs;
  const double passed = Now() - start_;
  if (passed > 0.05) {  // record the cores that other processes kept busy meanwhile
    const double others = (MachineCpuSeconds() - busy_ - (OwnCpuSeconds() - own_)) / passed;
    result["others"] = std::round(std::max(0.0, others) * 100) / 100;
    Mark();
  }
  if (!note.empty()) result["note"] = note;
  std::printf("@@%s\n", result.dump().c_str());
  std::fflush(stdout);
}

void Report::Rate(std::string_view name, std::string_view unit,
                  const std::function<double()>& work) {
  Rate(name, unit, work, options_.runs, true);
}

void Report::Rate(std::string_view name, std::string_view unit, const std::function<double()>& work,
                  int runs, bool warm) {
  if (!ShouldMeasure(name)) return;
  if (warm) work();
  Settle();
  std::vector<double> rates;
  for (int i = 0; i < runs; ++i) {
    const double start = Now();
    const double amount = work();
    rates.push_back(amount / (Now() - start));
  }
  Add(name, unit, rates);
}

void Report::MeasureParallelRate(std::string_view name, std::string_view unit,
                                 const SpreadWork& work, int runs, bool warm) {
  if (options_.lane == Lane::kNone) return Rate(name, unit, work.all, runs, warm);
  ServeLane(options_.lane, name, unit, work, threads_, std::cin, std::cout);
}

void Report::MeasureTwoThreadRate(std::string_view name, std::string_view unit,
                                  const std::function<double(int half)>& work) {
  if (options_.lane != Lane::kNone) {
    return ServeLane(options_.lane, name, unit, {.half = work}, threads_, std::cin, std::cout);
  }
  if (options_.one_thread || !ShouldMeasure(name)) return;
  threads_.Run(work);
  Settle();
  std::vector<double> rates;
  for (int i = 0; i < options_.runs; ++i) {
    std::array<double, 2> amounts;
    double start = 0;
    threads_.Run([&](int half) {
      if (half == 0) start = Now();
      amounts[half] = work(half);
    });
    rates.push_back((amounts[0] + amounts[1]) / (Now() - start));
  }
  Add(name, unit, rates, "two threads");
}

}  // namespace stagedoor::bench

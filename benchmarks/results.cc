#include "benchmarks/results.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include "benchmarks/report.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {

void Results::Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
                  double others, std::string_view note) {
  nlohmann::json result = {{"name", name}, {"unit", unit}, {"value", Median(runs)}};
  result["runs"] = runs;
  if (others >= 0) result["others"] = std::round(others * 100) / 100;
  if (!note.empty()) result["note"] = note;
  Add(std::move(result));
}

void Results::Add(nlohmann::json result) {
  const std::string name = result["name"];
  if (!name.starts_with(only_)) return;
  std::printf("%-42s %16.4g %s\n", name.c_str(), result["value"].get<double>(),
              result["unit"].get<std::string>().c_str());
  std::fflush(stdout);
  results_.push_back(std::move(result));
}

void Results::Write(const std::string& file, const nlohmann::json& meta) const {
  std::ofstream out(file);
  out << nlohmann::json({{"meta", meta}, {"results", results_}}).dump(1) << "\n";
  Require(out.good(), "cannot write " + file);
}

}  // namespace stagedoor::bench

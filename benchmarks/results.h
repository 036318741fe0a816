#ifndef STAGEDOOR_BENCHMARKS_RESULTS_H_
#define STAGEDOOR_BENCHMARKS_RESULTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::bench {

// Results collects what a driver writes at the end.

// Prints each result as it is added, and writes all in the format of bench/README.md. Keeps only
// results whose names begin with `only`. Not thread-safe.
class Results {
 public:
  explicit Results(std::string only) : only_(std::move(only)) {}

  // `others` is the number of cores that other processes kept busy meanwhile; negative if unknown.
  void Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
           double others = -1, std::string_view note = {});
  // Adds a complete result, as Report prints it.
  void Add(nlohmann::json result);
  bool empty() const { return results_.empty(); }
  // Exits the process if the file cannot be written.
  void Write(const std::string& file, const nlohmann::json& meta) const;

 private:
  const std::string only_;
  nlohmann::json results_ = nlohmann::json::array();
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_RESULTS_H_

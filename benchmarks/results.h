// Results: what a driver writes in the end.
#ifndef STAGEDOOR_BENCHMARKS_RESULTS_H_
#define STAGEDOOR_BENCHMARKS_RESULTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::bench {

// Collects results, prints each as it comes and writes all in the format of bench/README.md. Only
// those whose names begin with `only` are kept. Not thread-safe.
class Results {
 public:
  explicit Results(std::string only) : only_(std::move(only)) {}

  // `others`: cores that other processes kept busy meanwhile; below 0: not known.
  void Add(std::string_view name, std::string_view unit, const std::vector<double>& runs,
           double others = -1, std::string_view note = {});
  // A whole result, as Report prints it.
  void Add(nlohmann::json result);
  bool empty() const { return results_.empty(); }
  // Ends the process when the file can't be written.
  void Write(const std::string& file, const nlohmann::json& meta) const;

 private:
  const std::string only_;
  nlohmann::json results_ = nlohmann::json::array();
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_RESULTS_H_

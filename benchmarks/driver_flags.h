#ifndef STAGEDOOR_BENCHMARKS_DRIVER_FLAGS_H_
#define STAGEDOOR_BENCHMARKS_DRIVER_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/flag_parser.h"

namespace stagedoor::bench {

// The command line of a driver: the directory of the scenes, and flags. Invalid ones exit the
// process with a message.
class DriverFlags {
 public:
  DriverFlags(int argc, char** argv, std::string_view driver, const std::vector<FlagSpec>& known);

  const std::string& scenes() const { return args_.arguments.front(); }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // The last value given for the flag, or `otherwise`.
  std::string Text(std::string_view name, std::string_view otherwise = "") const;
  double Number(std::string_view name, double otherwise) const;
  // The items of a comma-separated list.
  std::vector<std::string> List(std::string_view name,
                                const std::vector<std::string>& otherwise) const;

 private:
  const ParsedFlag* Find(std::string_view name) const;

  ParsedArgs args_;
};

std::vector<std::string> Split(std::string_view text, char separator);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_DRIVER_FLAGS_H_

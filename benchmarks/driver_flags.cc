#include "benchmarks/driver_flags.h"

#include "base/status.h"
#include "benchmarks/require.h"

namespace stagedoor::bench {

DriverFlags::DriverFlags(int argc, char** argv, std::string_view driver,
                         const std::vector<FlagSpec>& known) {
  const std::string usage = Concat("usage: ", driver, " SCENES [--json OUT] [FLAGS]");
  auto parsed = ParseArgs(std::vector<std::string>(argv + 1, argv + argc), known, usage);
  if (!parsed.ok()) Require(false, Message(parsed.status()));
  args_ = *std::move(parsed);
  Require(args_.arguments.size() == 1, usage);
}

const ParsedFlag* DriverFlags::Find(std::string_view name) const {
  const ParsedFlag* last = nullptr;
  for (const ParsedFlag& flag : args_.flags) {
    if (flag.name == name) last = &flag;
  }
  return last;
}

std::string DriverFlags::Text(std::string_view name, std::string_view otherwise) const {
  const ParsedFlag* flag = Find(name);
  return flag == nullptr ? std::string(otherwise) : flag->value;
}

double DriverFlags::Number(std::string_view name, double otherwise) const {
  const ParsedFlag* flag = Find(name);
  if (flag == nullptr) return otherwise;
  const std::string& text = flag->value;
  const auto number = ParseNumber<double>(text);
  Require(number.has_value(), Concat("--", name, " needs a number, not ", Quoted(text)));
  return *number;
}

std::vector<std::string> DriverFlags::List(std::string_view name,
                                           const std::vector<std::string>& otherwise) const {
  const ParsedFlag* flag = Find(name);
  return flag == nullptr ? otherwise : Split(flag->value, ',');
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

}  // namespace stagedoor::bench

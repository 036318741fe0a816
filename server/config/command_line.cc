#include "server/config/command_line.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/flag_parser.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

struct Switch {
  std::string_view name;
  bool CommandLine::*field;
};
constexpr std::array<Switch, 4> kSwitches = {{{"check-config", &CommandLine::check_config},
                                              {"print-config", &CommandLine::print_config},
                                              {"help", &CommandLine::help},
                                              {"version", &CommandLine::version}}};
constexpr std::string_view kConfig = "config";

const Switch* FindSwitch(std::string_view name) {
  const auto* const found = std::find_if(kSwitches.begin(), kSwitches.end(),
                                         [name](const Switch& s) { return s.name == name; });
  return found == kSwitches.end() ? nullptr : found;
}

std::vector<FlagSpec> KnownFlags(const std::vector<Flag>& table) {
  std::vector<FlagSpec> known;
  for (const Switch& each : kSwitches) {
    known.push_back({.name = std::string(each.name),
                     .value = "",
                     .letter = each.name == "help" ? std::string("h") : std::string()});
  }
  known.push_back({.name = std::string(kConfig), .value = "FILE"});
  for (const Flag& flag : table) known.push_back({.name = flag.name, .value = flag.value});
  return known;
}

// Adds a flag of the table. One without a placeholder is a switch, which is set by being there.
void Add(const Flag& flag, const std::string& value, FlagSettings* settings) {
  FlagSetting& setting = (*settings)[flag.name];
  setting.source = FlagSource::kCommandLine;
  setting.values.push_back(
      {.text = flag.value.empty() ? std::string("true") : value, .place = "--" + flag.name});
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args,
                                             const std::vector<Flag>& table) {
  SD_ASSIGN_OR_RETURN(const ParsedArgs parsed,
                      ParseArgs(args, KnownFlags(table), "stagedoord --help"));
  if (!parsed.arguments.empty()) {
    return InvalidArgumentError("unexpected argument ", Quoted(parsed.arguments.front()),
                                "; flags are written --FLAG=VALUE (see stagedoord --help)");
  }
  CommandLine line;
  std::set<std::string> seen;
  for (const ParsedFlag& given : parsed.flags) {
    if (const Switch* const found = FindSwitch(given.name)) {
      line.*(found->field) = true;
      continue;
    }
    const Flag* const flag = FindFlag(table, given.name);
    const bool repeatable = flag != nullptr && flag->repeatable;
    if (!seen.insert(given.name).second && !repeatable) {
      return InvalidArgumentError("--", given.name, " is given twice");
    }
    if (flag != nullptr) {
      Add(*flag, given.value, &line.settings);
    } else if (given.value.empty()) {
      return InvalidArgumentError("--config needs the name of a file");
    } else {
      line.config_file = given.value;
    }
  }
  return line;
}

bool IsCommandLineOnly(std::string_view name) {
  return name == kConfig || FindSwitch(name) != nullptr;
}

}  // namespace stagedoor::server

#ifndef STAGEDOOR_SERVER_CONFIG_FLAG_SETTING_H_
#define STAGEDOOR_SERVER_CONFIG_FLAG_SETTING_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/config/daemon_flags.h"
#include "server/config/flag.h"

namespace stagedoor::server {

// Where the value of a flag comes from. A later one takes precedence.
enum class FlagSource { kFile, kEnvironment, kCommandLine };

// "file", "environment" or "command line".
std::string_view FlagSourceName(FlagSource source);

// A value that was given to a flag.
struct FlagValue {
  std::string text;
  // The name of the place in error messages: "--max-calls", "STAGEDOOR_MAX_CALLS",
  // "/etc/x.yaml:3:12: 'max-calls'".
  std::string place;
};

// The values that one source gives to a flag: a list for a repeatable flag, else one value.
struct FlagSetting {
  FlagSource source = FlagSource::kFile;
  std::vector<FlagValue> values;
};

// Settings by the name of their flag.
using FlagSettings = std::map<std::string, FlagSetting, std::less<>>;

// Sets the flag in `flags`. INVALID_ARGUMENT with the place, the value and what is allowed.
absl::Status ApplySetting(const Flag& flag, const FlagSetting& setting, DaemonFlags& flags);

// Null if `table` has no flag of that name.
const Flag* FindFlag(const std::vector<Flag>& table, std::string_view name);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_FLAG_SETTING_H_

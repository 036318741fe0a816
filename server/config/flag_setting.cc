#include "server/config/flag_setting.h"

#include <algorithm>

#include "base/status.h"

namespace stagedoor::server {

std::string_view FlagSourceName(FlagSource source) {
  switch (source) {
    case FlagSource::kFile:
      return "file";
    case FlagSource::kEnvironment:
      return "environment";
    case FlagSource::kCommandLine:
      return "command line";
  }
  return "";
}

absl::Status ApplySetting(const Flag& flag, const FlagSetting& setting, DaemonFlags& flags) {
  for (const FlagValue& value : setting.values) {
    const absl::Status status = flag.set(value.text, flags);
    if (!status.ok()) {
      return InvalidArgumentError(value.place, " cannot be ", Quoted(value.text), ": it must be ",
                                  Message(status));
    }
  }
  return absl::OkStatus();
}

const Flag* FindFlag(const std::vector<Flag>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [name](const Flag& f) { return f.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace stagedoor::server

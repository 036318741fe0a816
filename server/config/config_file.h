#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_FILE_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/access_options.h"
#include "server/config/config_errors.h"
#include "server/config/config_node.h"
#include "server/config/flag.h"
#include "server/config/flag_setting.h"

namespace stagedoor::server {

// The content of a configuration file.
struct ConfigFile {
  FlagSettings settings;  // each is valid on its own
  AccessOptions access;
  // The section that `access` was read from, if the file has one.
  std::optional<ConfigNode> access_section;
};

// Parses the text of a configuration file. INVALID_ARGUMENT with all errors, one a line, each with
// the name, line and column. Thread-safe.
absl::StatusOr<ConfigFile> ParseConfigFile(const std::string& name, std::string_view text,
                                           const std::vector<Flag>& table);

// Reads and parses the file `path`. INVALID_ARGUMENT also if it cannot be read or is too large.
absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path, const std::vector<Flag>& table);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_FILE_H_

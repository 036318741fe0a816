#include "server/server_options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace stagedoor {

std::vector<std::string> SchemaPathsFromEnvironment() {
  std::vector<std::string> paths;
  const char* value = std::getenv("STAGEDOOR_SCHEMA_PATH");
  std::string_view rest = value != nullptr ? value : "";
  while (!rest.empty()) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    if (!path.empty()) paths.emplace_back(path);
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
  }
  return paths;
}

}  // namespace stagedoor

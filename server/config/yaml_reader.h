#ifndef STAGEDOOR_SERVER_CONFIG_YAML_READER_H_
#define STAGEDOOR_SERVER_CONFIG_YAML_READER_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/config/config_errors.h"
#include "server/config/config_node.h"

namespace stagedoor::server {

inline constexpr size_t kMaxConfigBytes = 1 << 20;
inline constexpr size_t kMaxConfigNodes = 20000;
inline constexpr size_t kMaxConfigKeys = 1000;  // of one map
inline constexpr size_t kMaxConfigDepth = 16;

// Parses the YAML document in `text`. Never throws. An empty document is an empty map. Adds an
// error for what is not YAML, for more than the limits above, and for parts of YAML that a
// configuration does not need: anchors, aliases, tags, several documents, keys that are not texts,
// keys given twice, control characters. The result is then incomplete.
ConfigNode ReadYaml(std::string_view text, ConfigErrors& errors);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_YAML_READER_H_

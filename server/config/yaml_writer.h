#ifndef STAGEDOOR_SERVER_CONFIG_YAML_WRITER_H_
#define STAGEDOOR_SERVER_CONFIG_YAML_WRITER_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "server/config/config_node.h"

namespace stagedoor::server {

// `text` as a YAML scalar, in quotes if it could be taken for something else. ReadYaml gives the
// text again, unless it has control characters or is not UTF-8, which ReadYaml rejects.
std::string YamlText(std::string_view text);

// `texts` as a YAML list on one line.
std::string YamlTextList(std::span<const std::string> texts);

// `node` in lines that are indented by `indent` spaces. ReadYaml gives an equal node.
std::string WriteYaml(const ConfigNode& node, size_t indent);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_YAML_WRITER_H_

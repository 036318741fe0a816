// Reads the values below the keys of a configuration file. Each function adds an error where the
// file does not have what the caller expects.
#ifndef STAGEDOOR_SERVER_CONFIG_CONFIG_SECTION_H_
#define STAGEDOOR_SERVER_CONFIG_CONFIG_SECTION_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/config_errors.h"
#include "server/config/config_node.h"
#include "server/config/flag.h"

namespace stagedoor::server {

// A key that a map may have.
struct SectionKey {
  std::string name;
  bool required = false;
  // Reads the value of the key.
  std::function<void(const ConfigNode& value, ConfigErrors& errors)> read;
};

// Reads a map that may have the keys `known`. An unknown key is an error with the key that was
// probably meant, and so is a missing one that is required. `what` names the map: "a role".
void ReadSection(const ConfigNode& node, std::string_view what, std::span<const SectionKey> known,
                 ConfigErrors& errors);

// A text. `what` names the value: "'issuer'".
std::optional<std::string> ReadText(const ConfigNode& node, std::string_view what,
                                    ConfigErrors& errors);

// A list of texts, or a single text, as text nodes.
std::vector<ConfigNode> ReadTexts(const ConfigNode& node, std::string_view what,
                                  ConfigErrors& errors);

// A number, as in the flags.
std::optional<uint64_t> ReadNumber(const ConfigNode& node, std::string_view what, FlagUnit unit,
                                   FlagRange range, ConfigErrors& errors);

// The index of a text in `names`.
std::optional<size_t> ReadName(const ConfigNode& node, std::string_view what,
                               std::span<const std::string_view> names, ConfigErrors& errors);

// The elements of a list. Empty, with an error, for anything else.
std::span<const ConfigNode> ReadList(const ConfigNode& node, std::string_view what,
                                     ConfigErrors& errors);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_CONFIG_SECTION_H_

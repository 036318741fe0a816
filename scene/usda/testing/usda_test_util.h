#ifndef STAGEDOOR_SCENE_USDA_TESTING_USDA_TEST_UTIL_H_
#define STAGEDOOR_SCENE_USDA_TESTING_USDA_TEST_UTIL_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "scene/layer/layer.h"
#include "scene/usda/usda_reader.h"

namespace stagedoor {

// Helpers for tests of the text format: short texts of layers, and reading them.

// Reads `text` as the layer "a.usda".
inline absl::StatusOr<std::shared_ptr<const Layer>> ReadText(std::string_view text) {
  Layer::Info info;
  info.identifier = "a.usda";
  return ReadUsda(text, info);
}

// The text of a layer with statements in a prim "/P", with metadata on it, or with layer metadata.
inline std::string InPrim(std::string_view body) {
  return "#usda 1.4\ndef \"P\" {\n" + std::string(body) + "\n}\n";
}
inline std::string OnPrim(std::string_view metadata) {
  return "#usda 1.4\ndef \"P\" (\n" + std::string(metadata) + "\n) {}\n";
}
inline std::string OnLayer(std::string_view metadata) {
  return "#usda 1.4\n(\n" + std::string(metadata) + "\n)\n";
}

// A written text without its first line, with all whitespace collapsed to single spaces.
inline std::string OnOneLine(std::string_view text) {
  std::string flat;
  for (const char c : text.substr(text.find('\n') + 1)) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!flat.empty() && flat.back() != ' ')) flat += blank ? ' ' : c;
  }
  if (!flat.empty() && flat.back() == ' ') flat.pop_back();
  return flat;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_TESTING_USDA_TEST_UTIL_H_

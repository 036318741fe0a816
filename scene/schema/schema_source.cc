#include "scene/schema/schema_source.h"

#include <utility>

#include "scene/usda/usda_reader.h"

namespace stagedoor {

const Layer* SchemaSource::Load() {
  if (!layer && !builtin_text.empty()) {
    Layer::Info info;
    info.identifier = "builtin schemas";
    info.format = "usda";
    info.anonymous = true;
    // The text is embedded; a test ensures that it parses.
    if (auto read = ReadUsda(builtin_text, std::move(info)); read.ok()) layer = *std::move(read);
  }
  return layer.get();
}

}  // namespace stagedoor

#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_SOURCE_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_SOURCE_H_

#include <memory>
#include <string_view>

#include "scene/layer/layer.h"

namespace stagedoor {

// A layer of schema classes. `layer` is null until the text of a built-in domain is parsed.
struct SchemaSource {
  std::string_view builtin_text;
  std::shared_ptr<const Layer> layer;

  // Classes of built-in domains omit inherited properties; those of generatedSchema.usda files
  // include them.
  bool inherits() const { return !builtin_text.empty(); }
  // Parses the text if necessary. Null if there is none.
  const Layer* Load();
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_SOURCE_H_

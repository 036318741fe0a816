// The parts of a SchemaRegistry; used only by it and its builder.
#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_INTERNAL_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_INTERNAL_H_

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/schema/local_definition.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {

// A layer of schema classes. `layer` is null until the text of a built-in domain is parsed.
struct SchemaRegistry::Source {
  std::string_view builtin_text;
  std::shared_ptr<const Layer> layer;

  // Classes of built-in domains omit inherited properties; those of generatedSchema.usda files
  // include them.
  bool inherits() const { return !builtin_text.empty(); }
  // Parses the text if necessary. Null if there is none.
  const Layer* Load();
};

// A registered schema. `local` and `definition` are built on demand under the registry's lock.
struct SchemaRegistry::Entry {
  SchemaInfo info;
  Source* source = nullptr;
  Entry* base = nullptr;
  std::vector<Token> auto_applied;  // API schemas, strongest first

  std::unique_ptr<const LocalDefinition> local;
  std::unique_ptr<const PrimDefinition> definition;
  std::atomic<const PrimDefinition*> published{nullptr};  // `definition`, once it is built
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_INTERNAL_H_

// What a SchemaRegistry consists of; for it and its builder only.
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

// A file of classes. `layer` is null until the text of a built-in domain is parsed.
struct SchemaRegistry::Source {
  std::string_view builtin_text;
  std::shared_ptr<const Layer> layer;

  // The classes of built-in domains leave out what they inherit; those of generatedSchema.usda
  // files repeat it.
  bool inherits() const { return !builtin_text.empty(); }
  const Layer* Load();
};

struct SchemaRegistry::Entry {
  SchemaInfo info;
  Source* source = nullptr;
  Entry* base = nullptr;
  std::vector<Token> auto_applied;  // API schemas, strongest first

  std::unique_ptr<const LocalDefinition> local;
  std::unique_ptr<const PrimDefinition> definition;
  std::atomic<const PrimDefinition*> published{nullptr};  // `definition`, once it is there
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_INTERNAL_H_

#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_ENTRY_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_ENTRY_H_

#include <atomic>
#include <memory>
#include <vector>

#include "scene/paths/token.h"
#include "scene/schema/local_definition.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_info.h"
#include "scene/schema/schema_source.h"

namespace stagedoor {

// A part of a SchemaRegistry, used only by it and its builder.
//
// A registered schema. `local` and `definition` are built on demand under the registry's lock.
struct SchemaEntry {
  SchemaInfo info;
  SchemaSource* source = nullptr;
  SchemaEntry* base = nullptr;
  std::vector<Token> auto_applied;  // API schemas, strongest first

  std::unique_ptr<const LocalDefinition> local;
  std::unique_ptr<const PrimDefinition> definition;
  std::atomic<const PrimDefinition*> published{nullptr};  // `definition`, once it is built
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_ENTRY_H_

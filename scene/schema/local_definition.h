#ifndef STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_
#define STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/schema/prim_definition.h"

namespace stagedoor {

// The part of a prim definition that one class in a generatedSchema.usda states by itself, before
// its API schemas are composed.
// Plain data; immutable once read.
struct LocalDefinition {
  // The properties in the layer's order, including overrides.
  std::vector<PropertyDefinitionRef> properties;
  // Names of override properties: they exist only if a built-in API schema defines them, but are
  // stronger than its definition (Core Specification, section 13.3.2.2 Override Properties).
  std::vector<Token> overrides;
  std::vector<SchemaField> metadata;
  // The schema's built-in API schemas, strongest first (section 13.3.2.1 Schema Inclusions).
  std::vector<Token> api_schemas;

  bool IsOverride(Token property) const;
  // Null if there is none.
  const PropertyDefinition* Find(Token property) const;
};

// Reads the class `schema_class`, a root prim of `layer`.
LocalDefinition ReadLocalDefinition(const Layer& layer, SpecId schema_class);

// Returns `own` with the properties that only `base` has (section 13.3.1 Typed Schemas).
LocalDefinition InheritProperties(LocalDefinition own, const LocalDefinition& base);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_

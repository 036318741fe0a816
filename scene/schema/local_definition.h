// LocalDefinition: what one class of a generatedSchema.usda says, before API schemas are composed
// in.
#ifndef STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_
#define STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/schema/prim_definition.h"

namespace stagedoor {

struct LocalDefinition {
  // In the layer's order, the overrides among them.
  std::vector<PropertyDefinitionRef> properties;
  // Properties that a built-in API schema must give for them to exist; what is said here is
  // stronger.
  std::vector<Token> overrides;
  std::vector<SchemaField> metadata;
  // The schema's built-in API schemas, strongest first.
  std::vector<Token> api_schemas;

  bool IsOverride(Token property) const;
  // Null when there is none.
  const PropertyDefinition* Find(Token property) const;
};

// Of the class that is a root prim of `layer`.
LocalDefinition ReadLocalDefinition(const Layer& layer, SpecId schema_class);

// `own` with the properties that only `base` has.
LocalDefinition InheritProperties(LocalDefinition own, const LocalDefinition& base);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_LOCAL_DEFINITION_H_

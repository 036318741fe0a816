// PrimDefinition: what schemas say of a prim: its builtin properties and fallback metadata.
//
// Made by SchemaRegistry and PrimDefinitionCache, for a type, an API schema, or a type with applied
// schemas. Immutable; thread-safe to read; look-ups are O(1) and do not allocate.
#ifndef STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_H_
#define STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

// A field and its value, sorted by name where there are several.
using SchemaField = std::pair<Token, Value>;

struct PropertyDefinition {
  Token name;
  SpecType spec_type = SpecType::kAttribute;  // or kRelationship
  Variability variability = Variability::kVarying;
  Token type_name;  // "float3[]"; empty for relationships
  Value fallback;   // empty: none. A block means the same to whoever asks for the value.
  // allowedTokens, displayName …: what else is listed as metadata. Schemas do not decide `custom`.
  std::vector<SchemaField> metadata;
  std::vector<SchemaField> unlisted;  // customData: there for who asks for it by name

  bool is_attribute() const { return spec_type == SpecType::kAttribute; }
  // `metadata` and `unlisted` by name; null when the schema does not set it.
  const Value* FindMetadata(Token field) const;
};

using PropertyDefinitionRef = std::shared_ptr<const PropertyDefinition>;

class PrimDefinition {
 public:
  struct AppliedSchema {
    Token name;      // "CollectionAPI:lightLink"
    Token schema;    // "CollectionAPI"
    Token family;    // "CollectionAPI" also of "CollectionAPI_1"
    Token instance;  // "lightLink"; empty for single-apply schemas
  };

  // The concrete type; empty for API schemas and prims of unknown type.
  Token type_name() const { return type_name_; }

  // In dictionary order where API schemas take part, else as the schema lists them.
  const std::vector<PropertyDefinitionRef>& properties() const { return properties_; }
  // Null when there is none.
  const PropertyDefinition* FindProperty(Token name) const;

  // Fallback metadata of the prim, without what schemas may not give (IsDisallowedField).
  const std::vector<SchemaField>& metadata() const { return metadata_; }
  // As above, with customData, kind and instanceable, which are there for who asks for them by
  // name.
  const Value* FindMetadata(Token field) const;
  // Composition's and population's own: a schema that sets them is ignored where metadata is
  // listed.
  static bool IsDisallowedField(Token field);

  // Strongest first, as UsdPrim::GetAppliedSchemas reports: the built-in ones of the type, then
  // each applied one with its built-in ones.
  const std::vector<AppliedSchema>& applied_schemas() const { return applied_; }
  // A single-apply schema, any instance of a multiple-apply one ("CollectionAPI"), or one
  // ("CollectionAPI:lightLink").
  bool HasApi(Token schema) const;
  // The type or one it derives from, by identifier: "Mesh", "Imageable", "Typed".
  bool IsA(Token schema) const;
  // The type and those it derives from, most derived first.
  const std::vector<Token>& lineage() const { return lineage_; }

  // What it takes beside the properties that it shares with other definitions.
  size_t byte_size() const;

 private:
  friend class PrimDefinitionBuilder;
  void Index();

  Token type_name_;
  std::vector<Token> lineage_;
  std::vector<PropertyDefinitionRef> properties_;
  std::vector<uint32_t> index_;  // open addressing: position in properties_ plus one
  std::vector<AppliedSchema> applied_;
  std::vector<SchemaField> metadata_;
  std::vector<SchemaField> unlisted_;
  size_t made_bytes_ = 0;  // of properties that were made for it
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_H_

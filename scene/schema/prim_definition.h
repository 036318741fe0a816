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

// A field and its value. Lists of fields are sorted by name.
using SchemaField = std::pair<Token, Value>;

// The definition of a property. Corresponds to UsdPrimDefinition::Property.
struct PropertyDefinition {
  Token name;
  SpecType spec_type = SpecType::kAttribute;  // or kRelationship
  Variability variability = Variability::kVarying;
  Token type_name;  // "float3[]"; empty for relationships
  Value fallback;   // empty if there is none; a block also stands for no value
  // Other fields that are listed as metadata, such as allowedTokens. Schemas do not define
  // `custom`.
  std::vector<SchemaField> metadata;
  std::vector<SchemaField> unlisted;  // customData, which is found by name but not listed

  bool is_attribute() const { return spec_type == SpecType::kAttribute; }
  // A field of `metadata` or `unlisted`; null if the schema does not set it.
  const Value* FindMetadata(Token field) const;
};

using PropertyDefinitionRef = std::shared_ptr<const PropertyDefinition>;

// The built-in properties and fallback metadata that schemas define for a prim. Corresponds to
// OpenUSD's UsdPrimDefinition; see the Core Specification, section 13.3.2.3 (The Prim Definition).
//
// Created by SchemaRegistry and PrimDefinitionCache for a type, an API schema, or a type with
// applied schemas. Immutable, hence thread-safe; look-ups are O(1) and do not allocate.
class PrimDefinition {
 public:
  struct AppliedSchema {
    Token name;      // "CollectionAPI:lightLink"
    Token schema;    // "CollectionAPI"
    Token family;    // the name without its version: "CollectionAPI" for "CollectionAPI_1"
    Token instance;  // "lightLink"; empty for single-apply schemas
  };

  // The concrete type; empty for API schemas and prims of unknown type.
  Token type_name() const { return type_name_; }

  // In dictionary order if API schemas were composed, otherwise in the order of the schema.
  const std::vector<PropertyDefinitionRef>& properties() const { return properties_; }
  // Null if there is none.
  const PropertyDefinition* FindProperty(Token name) const;

  // The fallback metadata of the prim that is listed, without disallowed fields.
  const std::vector<SchemaField>& metadata() const { return metadata_; }
  // Finds a field of the fallback metadata, including disallowed ones such as customData, kind and
  // instanceable, which are found by name but not listed.
  const Value* FindMetadata(Token field) const;
  // True for fields that belong to composition and population, which schemas must not define. They
  // are not listed if a schema sets them (UsdSchemaRegistry::IsDisallowedField).
  static bool IsDisallowedField(Token field);

  // The applied API schemas, strongest first, like UsdPrim::GetAppliedSchemas: the built-in ones of
  // the type, then each applied one followed by its built-in ones.
  const std::vector<AppliedSchema>& applied_schemas() const { return applied_; }
  // Whether a schema is applied: a single-apply one, any instance of a multiple-apply one
  // ("CollectionAPI"), or a certain instance ("CollectionAPI:lightLink").
  bool HasApi(Token schema) const;
  // Whether the type is `schema` or derives from it (section 13.3.1), such as "Mesh" or
  // "Imageable".
  bool IsA(Token schema) const;
  // The identifiers of the type and those it derives from, most derived first.
  const std::vector<Token>& lineage() const { return lineage_; }

  // Memory in bytes, not counting properties that are shared with other definitions.
  size_t byte_size() const;

 private:
  friend class PrimDefinitionBuilder;
  void Index();

  Token type_name_;
  std::vector<Token> lineage_;
  std::vector<PropertyDefinitionRef> properties_;
  std::vector<uint32_t> index_;  // open addressing; index in properties_ plus one, 0 if empty
  std::vector<AppliedSchema> applied_;
  std::vector<SchemaField> metadata_;
  std::vector<SchemaField> unlisted_;
  size_t made_bytes_ = 0;  // memory of properties that are not shared
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_H_

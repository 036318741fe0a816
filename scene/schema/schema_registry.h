// SchemaRegistry: all schemas a process knows: OpenUSD's own and those of plug-in folders.
//
// Made once by SchemaRegistryBuilder and shared by all stages. Definitions are built when first
// asked for, a domain's file is parsed with its first; after that, look-ups do not lock.
// Thread-safe.
#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/layer/custom_fields.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_info.h"
#include "scene/values/dictionary.h"

namespace stagedoor {

class PrimDefinitionBuilder;
struct LocalDefinition;

class SchemaRegistry {
 public:
  ~SchemaRegistry();

  // Metadata fields that plug-ins define.
  const CustomFields& custom_fields() const { return custom_fields_; }

  // By identifier ("Mesh", "CollectionAPI"); null when there is none. As all results, valid as
  // long as the registry.
  const SchemaInfo* FindSchema(Token identifier) const;
  // By the name of OpenUSD's class ("UsdGeomMesh").
  const SchemaInfo* FindSchemaByTypeName(Token type_name) const;
  // All versions, latest first.
  std::vector<const SchemaInfo*> FindFamily(Token family) const;
  const std::vector<const SchemaInfo*>& schemas() const { return schemas_; }

  bool IsConcrete(Token identifier) const;
  // `schema` is `base` or derives from it.
  bool IsA(Token schema, Token base) const;
  // May `schema` be applied with this instance name? True for any name where nothing limits it;
  // false for an empty one, and for schemas that are not multiple-apply.
  bool IsAllowedInstanceName(Token schema, Token instance) const;

  // The type whose definition a prim of this type has: itself if it is concrete; else the first
  // concrete one that the layer metadata `fallbackPrimTypes` (null: none) lists for it; else the
  // empty token.
  Token EffectiveTypeName(Token type_name, const Dictionary* fallback_prim_types) const;

  // The definition of a schema, its built-in API schemas included; null when there is none of this
  // name and sort. That of a multiple-apply schema is a template.
  const PrimDefinition* FindConcrete(Token identifier) const;
  const PrimDefinition* FindAbstract(Token identifier) const;
  const PrimDefinition* FindApi(Token identifier) const;
  // Of prims without type and schemas.
  const PrimDefinition* empty_definition() const { return empty_.get(); }

  // A new definition, of the concrete type (else none) and then each of the applied schemas, which
  // are ignored where they are unknown, lack or have an instance name against their sort, or are
  // another version of one before. Properties are work of the request, and reserved while it is
  // made; null once that has ended. PrimDefinitionCache keeps them.
  std::unique_ptr<const PrimDefinition> Compose(RequestContext& context, Token type_name,
                                                std::span<const Token> applied_schemas) const;

 private:
  friend class SchemaRegistryBuilder;
  struct Entry;
  struct Source;
  struct Building;

  SchemaRegistry();
  Entry* FindEntry(Token identifier) const;
  const PrimDefinition* Definition(Entry* entry) const;
  std::unique_ptr<const PrimDefinition> Build(Entry* entry, Building* building) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AddBuiltinApis(Entry* entry, Building* building, PrimDefinitionBuilder* builder) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  const LocalDefinition& Local(Entry* entry) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  CustomFields custom_fields_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<const SchemaInfo*> schemas_;
  std::unordered_map<Token, Entry*> by_identifier_;
  std::unordered_map<Token, Entry*> by_type_name_;
  std::unique_ptr<const PrimDefinition> empty_;
  mutable Mutex mu_;  // guards what entries and sources build on demand
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_

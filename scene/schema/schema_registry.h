#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/layer/plugin_fields.h"
#include "scene/paths/token.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_info.h"
#include "scene/values/dictionary.h"

namespace stagedoor {

class PrimDefinitionBuilder;
struct LocalDefinition;
struct SchemaEntry;
struct SchemaSource;

// All schemas that a process knows, OpenUSD's own and those of plug-ins. Corresponds to OpenUSD's
// UsdSchemaRegistry; see the Core Specification, section 13.3 (Schema Types).
//
// Created once by SchemaRegistryBuilder and shared by all stages. A definition is built, and the
// file of its domain parsed, when it is first requested; afterwards look-ups do not lock.
// Thread-safe.
class SchemaRegistry {
 public:
  ~SchemaRegistry();

  // The metadata fields that plug-ins define.
  const PluginFields& plugin_fields() const { return plugin_fields_; }

  // Finds a schema by identifier ("Mesh", "CollectionAPI"); null if there is none. Like all
  // results, valid as long as the registry.
  const SchemaInfo* FindSchema(Token identifier) const;

  bool IsConcrete(Token identifier) const;
  // Whether `schema` is `base` or derives from it.
  bool IsA(Token schema, Token base) const;

  // The type whose definition a prim with this type name gets: the type itself if it is concrete,
  // otherwise the first concrete type that the layer metadata `fallbackPrimTypes` lists for it
  // (section 13.2.1.1), otherwise the empty token. `fallback_prim_types` may be null.
  Token EffectiveTypeName(Token type_name, const Dictionary* fallback_prim_types) const;

  // The definition of a schema of the given kind, including its built-in and auto-applied API
  // schemas (section 13.3.2.1 Schema Inclusions); null if there is none. That of a multiple-apply
  // schema is a template.
  const PrimDefinition* FindConcrete(Token identifier) const;
  const PrimDefinition* FindAbstract(Token identifier) const;
  const PrimDefinition* FindApi(Token identifier) const;
  // The definition of prims without a type and applied schemas.
  const PrimDefinition* empty_definition() const { return empty_.get(); }

  // Composes a new definition of the type, if it is concrete, and the applied schemas, in this
  // order of strength. Schemas are ignored if they are unknown, if they have an instance name but
  // are not multiple-apply or vice versa, or if another version is already present. Each property
  // counts as work of the request, and its memory is reserved while the definition is composed;
  // null once the request has ended. Not cached; see PrimDefinitionCache.
  std::unique_ptr<const PrimDefinition> Compose(RequestContext& context, Token type_name,
                                                std::span<const Token> applied_schemas) const;

 private:
  friend class SchemaRegistryBuilder;
  using Entry = SchemaEntry;
  using Source = SchemaSource;
  struct Building;

  SchemaRegistry();
  Entry* FindEntry(Token identifier) const;
  const PrimDefinition* Definition(Entry* entry) const;
  std::unique_ptr<const PrimDefinition> Build(Entry* entry, Building* building) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AddBuiltinApis(Entry* entry, Building* building, PrimDefinitionBuilder* builder) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  const LocalDefinition& Local(Entry* entry) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  PluginFields plugin_fields_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unordered_map<Token, Entry*> by_identifier_;
  std::unordered_map<Token, Entry*> by_type_name_;
  std::unique_ptr<const PrimDefinition> empty_;
  mutable Mutex mu_;  // guards the parts of entries and sources that are built on demand
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_H_

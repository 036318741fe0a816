// SchemaInfo: what a registered schema is, apart from its properties.
#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_INFO_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_INFO_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "scene/paths/token.h"

namespace stagedoor {

enum class SchemaKind : uint8_t {
  kAbstractBase,      // Typed, APISchemaBase
  kAbstractTyped,     // Imageable: no prim has it as its type
  kConcreteTyped,     // Mesh
  kNonAppliedApi,     // ModelAPI: a name for functions, gives no properties
  kSingleApplyApi,    // LightAPI
  kMultipleApplyApi,  // CollectionAPI, applied as "CollectionAPI:name"
};

// Immutable; lives as long as its registry.
struct SchemaInfo {
  Token identifier;  // as prims name it: "Mesh", "CollectionAPI"
  Token type_name;   // OpenUSD's class: "UsdGeomMesh"
  Token family;      // the identifier without its version: "Capsule" of "Capsule_1"
  uint32_t version = 0;
  SchemaKind kind = SchemaKind::kAbstractBase;
  // Identifiers of what it derives from, itself first: Mesh, PointBased … Typed.
  std::vector<Token> lineage;
  // Plug-ins say where a schema may be applied. OpenUSD checks it when a tool applies one, not when
  // it composes, and so do we.
  std::vector<Token> can_only_apply_to;
  std::vector<std::pair<Token, std::vector<Token>>> instance_can_only_apply_to;
  // Of multiple-apply schemas; empty: any.
  std::vector<Token> allowed_instance_names;

  bool IsConcrete() const { return kind == SchemaKind::kConcreteTyped; }
  bool IsAbstract() const {
    return kind == SchemaKind::kAbstractTyped || kind == SchemaKind::kAbstractBase;
  }
  bool IsTyped() const { return IsConcrete() || kind == SchemaKind::kAbstractTyped; }
  bool IsMultipleApply() const { return kind == SchemaKind::kMultipleApplyApi; }
  bool IsAppliedApi() const { return IsMultipleApply() || kind == SchemaKind::kSingleApplyApi; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_INFO_H_

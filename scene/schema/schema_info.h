#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_INFO_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_INFO_H_

#include <cstdint>
#include <vector>

#include "scene/paths/token.h"

namespace stagedoor {

// Corresponds to UsdSchemaKind; see the Core Specification, section 13.3 (Schema Types).
enum class SchemaKind : uint8_t {
  kAbstractBase,      // Typed, APISchemaBase
  kAbstractTyped,     // Imageable; cannot be the type of a prim
  kConcreteTyped,     // Mesh
  kNonAppliedApi,     // ModelAPI; a set of functions without properties
  kSingleApplyApi,    // LightAPI
  kMultipleApplyApi,  // CollectionAPI, applied as "CollectionAPI:name"
};

// A registered schema, apart from its properties. Corresponds to OpenUSD's
// UsdSchemaRegistry::SchemaInfo.
//
// Immutable; lives as long as its registry.
struct SchemaInfo {
  Token identifier;  // the name in layers: "Mesh", "CollectionAPI"
  Token type_name;   // the name of OpenUSD's class: "UsdGeomMesh"
  Token family;      // the identifier without its version: "Capsule" for "Capsule_1"
  uint32_t version = 0;
  SchemaKind kind = SchemaKind::kAbstractBase;
  // The identifiers of itself and the schemas that it derives from: Mesh, PointBased, ..., Typed.
  std::vector<Token> lineage;

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

#include "scene/layer/field_definition.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// The spec types that a field applies to.
enum On : uint8_t {
  kRoot = 1,
  kPrim = 2,
  kAttr = 4,
  kRel = 8,
  kProp = kAttr | kRel,
  kAll = kRoot | kPrim | kProp,
};

struct Row {
  const char* name;
  uint8_t on;
  ValueType type;
  bool is_array = false;
};

// Sorted by name.
constexpr Row kMetadata[] = {
    {"active", kPrim, ValueType::kBool},
    {"allowedTokens", kAttr, ValueType::kToken, true},
    {"apiSchemas", kPrim, ValueType::kTokenListOp},
    {"arraySizeConstraint", kAttr, ValueType::kInt64},
    {"assetInfo", kPrim | kProp, ValueType::kDictionary},
    {"bindMaterialAs", kRel, ValueType::kToken},
    {"clipSets", kPrim, ValueType::kStringListOp},
    {"clips", kPrim, ValueType::kDictionary},
    {"colorConfiguration", kRoot, ValueType::kAssetPath},
    {"colorManagementSystem", kRoot, ValueType::kToken},
    {"colorSpace", kAttr, ValueType::kToken},
    {"connectability", kAttr, ValueType::kToken},
    {"constraintTargetIdentifier", kAttr, ValueType::kToken},
    {"customData", kPrim | kProp, ValueType::kDictionary},
    {"customLayerData", kRoot, ValueType::kDictionary},
    {"defaultPrim", kRoot, ValueType::kToken},
    {"displayGroup", kProp, ValueType::kString},
    {"displayGroupOrder", kPrim, ValueType::kString, true},
    {"displayName", kPrim | kProp, ValueType::kString},
    {"documentation", kAll, ValueType::kString},
    {"elementSize", kAttr, ValueType::kInt},
    {"endFrame", kRoot, ValueType::kDouble},
    {"endTimeCode", kRoot, ValueType::kDouble},
    {"expressionVariables", kRoot, ValueType::kDictionary},
    {"fallbackPrimTypes", kRoot, ValueType::kDictionary},
    {"framePrecision", kRoot, ValueType::kInt},
    {"framesPerSecond", kRoot, ValueType::kDouble},
    {"hasOwnedSubLayers", kRoot, ValueType::kBool},
    {"hidden", kPrim | kProp, ValueType::kBool},
    {"inactiveIds", kPrim, ValueType::kInt64ListOp},
    {"instanceable", kPrim, ValueType::kBool},
    {"interpolation", kAttr, ValueType::kToken},
    {"kilogramsPerUnit", kRoot, ValueType::kDouble},
    {"kind", kPrim, ValueType::kToken},
    {"limits", kAttr, ValueType::kDictionary},
    {"metersPerUnit", kRoot, ValueType::kDouble},
    {"noLoadHint", kRel, ValueType::kBool},
    {"outputName", kRel, ValueType::kToken},
    {"owner", kRoot, ValueType::kString},
    {"payload", kPrim, ValueType::kPayloadListOp},
    {"payloadAssetDependencies", kPrim, ValueType::kAssetPath, true},
    {"permission", kPrim | kProp, ValueType::kPermission},
    {"prefix", kPrim | kProp, ValueType::kString},
    {"prefixSubstitutions", kPrim, ValueType::kDictionary},
    {"renderSettingsPrimPath", kRoot, ValueType::kString},
    {"renderType", kProp, ValueType::kToken},
    {"sdrMetadata", kPrim | kAttr, ValueType::kDictionary},
    {"sessionOwner", kRoot, ValueType::kString},
    {"startFrame", kRoot, ValueType::kDouble},
    {"startTimeCode", kRoot, ValueType::kDouble},
    {"suffix", kPrim | kProp, ValueType::kString},
    {"suffixSubstitutions", kPrim, ValueType::kDictionary},
    {"symmetricPeer", kPrim | kProp, ValueType::kString},
    {"symmetryArguments", kPrim | kProp, ValueType::kDictionary},
    {"symmetryFunction", kPrim | kProp, ValueType::kToken},
    {"timeCodesPerSecond", kRoot, ValueType::kDouble},
    {"typeName", kPrim, ValueType::kToken},
    {"uiHints", kPrim | kProp, ValueType::kDictionary},
    {"unauthoredValuesIndex", kAttr, ValueType::kInt},
    {"upAxis", kRoot, ValueType::kToken},
    {"weight", kAttr, ValueType::kFloat},
};

// Fields that are not metadata; see FieldDefinition::metadata.
constexpr Row kStructure[] = {
    {"comment", kAll, ValueType::kString},
    {"connectionChildren", kAttr, ValueType::kPathVector},
    {"connectionPaths", kAttr, ValueType::kPathListOp},
    {"custom", kProp, ValueType::kBool},
    {"default", kProp, ValueType::kEmpty},
    {"displayUnit", kAttr, ValueType::kToken},
    {"inheritPaths", kPrim, ValueType::kPathListOp},
    {"layerRelocates", kRoot, ValueType::kRelocates},
    {"primChildren", kRoot | kPrim, ValueType::kTokenVector},
    {"primOrder", kRoot | kPrim, ValueType::kTokenVector},
    {"properties", kPrim, ValueType::kTokenVector},
    {"propertyOrder", kPrim, ValueType::kTokenVector},
    {"references", kPrim, ValueType::kReferenceListOp},
    {"relocates", kPrim, ValueType::kRelocates},
    {"specializes", kPrim, ValueType::kPathListOp},
    {"specifier", kPrim, ValueType::kSpecifier},
    {"spline", kAttr, ValueType::kSpline},
    {"subLayerOffsets", kRoot, ValueType::kLayerOffsetVector},
    {"subLayers", kRoot, ValueType::kStringVector},
    {"targetChildren", kRel, ValueType::kPathVector},
    {"targetPaths", kRel, ValueType::kPathListOp},
    {"timeSamples", kProp, ValueType::kTimeSamples},
    {"typeName", kAttr, ValueType::kToken},
    {"variability", kProp, ValueType::kVariability},
    {"variantSelection", kPrim, ValueType::kVariantSelections},
    {"variantSetChildren", kPrim, ValueType::kTokenVector},
    {"variantSetNames", kPrim, ValueType::kStringListOp},
};

Value CompositeFallback(ValueType type) {
  switch (type) {
    case ValueType::kDictionary:
      return Value(Dictionary());
    case ValueType::kTokenListOp:
      return Value(ListOp<Token>());
    case ValueType::kStringListOp:
      return Value(ListOp<std::string>());
    case ValueType::kIntListOp:
      return Value(ListOp<int32_t>());
    case ValueType::kUIntListOp:
      return Value(ListOp<uint32_t>());
    case ValueType::kInt64ListOp:
      return Value(ListOp<int64_t>());
    case ValueType::kUInt64ListOp:
      return Value(ListOp<uint64_t>());
    case ValueType::kPayloadListOp:
      return Value(ListOp<Payload>());
    case ValueType::kPermission:
      return Value(Permission::kPublic);
    default:
      return Value();
  }
}

// Fallbacks that are not the zero of the type; empty for other fields.
Value NamedFallback(std::string_view name) {
  if (name == "active") return Value(true);
  if (name == "connectability") return Value(Token("full"));
  if (name == "interpolation") return Value(Token("constant"));
  if (name == "upAxis") return Value(Token("Y"));
  if (name == "elementSize") return Value(1);
  if (name == "unauthoredValuesIndex") return Value(-1);
  if (name == "framePrecision") return Value(3);
  if (name == "metersPerUnit") return Value(0.01);
  if (name == "kilogramsPerUnit") return Value(1.0);
  if (name == "framesPerSecond" || name == "timeCodesPerSecond") return Value(24.0);
  return Value();
}

Value FallbackOf(const Row& row) {
  Value named = NamedFallback(row.name);
  return named.empty() ? ZeroFieldValue(row.type, row.is_array) : named;
}

std::optional<int> IndexOf(SpecType type) {
  switch (type) {
    case SpecType::kPseudoRoot:
      return 0;
    case SpecType::kPrim:
    case SpecType::kVariant:
      return 1;
    case SpecType::kAttribute:
      return 2;
    case SpecType::kRelationship:
      return 3;
    case SpecType::kVariantSet:
      break;
  }
  return std::nullopt;
}

class FieldTable {
 public:
  static const FieldTable& Get() {
    static const FieldTable* table = new FieldTable;
    return *table;
  }
  const FieldDefinition* Find(SpecType type, Token name) const {
    const std::optional<int> index = IndexOf(type);
    if (!index) return nullptr;
    const auto it = by_name_[*index].find(name);
    return it == by_name_[*index].end() ? nullptr : it->second;
  }

 private:
  FieldTable() {
    for (const Row& row : kMetadata) Add(row, true);
    for (const Row& row : kStructure) Add(row, false);
  }
  void Add(const Row& row, bool metadata) {
    const FieldDefinition& field = fields_.emplace_back(
        FieldDefinition{Token(row.name), row.type, row.is_array, metadata, FallbackOf(row)});
    for (int i = 0; i < 4; ++i) {
      if (row.on & (1 << i)) by_name_[i].emplace(field.name, &field);
    }
  }

  std::deque<FieldDefinition> fields_;
  std::unordered_map<Token, const FieldDefinition*> by_name_[4];
};

}  // namespace

Value ZeroFieldValue(ValueType type, bool is_array) {
  if (!IsArrayElementType(type)) return CompositeFallback(type);
  const ValueTypeName* name = FindValueTypeName(ValueTypeNameOf(type, is_array));
  return name ? DefaultValueOf(*name) : Value();
}

const FieldDefinition* FindFieldDefinition(SpecType type, Token name) {
  return FieldTable::Get().Find(type, name);
}

bool IsRegisteredField(Token name) {
  for (const SpecType type :
       {SpecType::kPseudoRoot, SpecType::kPrim, SpecType::kAttribute, SpecType::kRelationship}) {
    if (FindFieldDefinition(type, name)) return true;
  }
  return false;
}

bool IsMisplacedField(SpecType type, Token name) {
  return !FindFieldDefinition(type, name) && IsRegisteredField(name);
}

}  // namespace stagedoor

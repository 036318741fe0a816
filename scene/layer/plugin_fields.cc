#include "scene/layer/plugin_fields.h"

#include <optional>
#include <utility>

#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

constexpr uint32_t Bit(SpecType type) { return 1U << static_cast<uint32_t>(type); }

constexpr uint32_t kLayers = Bit(SpecType::kPseudoRoot);
// Variants have the fields of prims.
constexpr uint32_t kPrims = Bit(SpecType::kPrim) | Bit(SpecType::kVariant);
constexpr uint32_t kAttributes = Bit(SpecType::kAttribute);
constexpr uint32_t kRelationships = Bit(SpecType::kRelationship);

// The spec types that a word of "appliesTo" stands for; 0 for unknown words.
uint32_t BitsOf(std::string_view word) {
  if (word == "layers") return kLayers;
  if (word == "prims") return kPrims;
  if (word == "variants") return Bit(SpecType::kVariant);
  if (word == "properties") return kAttributes | kRelationships;
  if (word == "attributes") return kAttributes;
  if (word == "relationships") return kRelationships;
  return 0;
}

std::optional<ValueType> ListOpType(std::string_view word) {
  if (word == "tokenlistop") return ValueType::kTokenListOp;
  if (word == "stringlistop") return ValueType::kStringListOp;
  if (word == "intlistop") return ValueType::kIntListOp;
  if (word == "uintlistop") return ValueType::kUIntListOp;
  if (word == "int64listop") return ValueType::kInt64ListOp;
  if (word == "uint64listop") return ValueType::kUInt64ListOp;
  return std::nullopt;
}

// False if the type is unknown.
bool SetType(const std::string& word, FieldDefinition* field) {
  if (word == "dictionary") {
    field->type = ValueType::kDictionary;
    return true;
  }
  if (const std::optional<ValueType> list_op = ListOpType(word)) {
    field->type = *list_op;
    return true;
  }
  const ValueTypeName* type = FindValueTypeName(Token(word));
  if (!type) return false;
  field->type = type->type;
  field->is_array = type->is_array;
  return true;
}

// False if the default is not a value of the type. Dictionaries and list operations have no
// defaults.
bool SetFallback(const FieldDeclaration& declaration, FieldDefinition* field) {
  field->fallback = ZeroFieldValue(field->type, field->is_array);
  if (!declaration.default_parts) return true;
  std::optional<Value> made =
      MakeFieldDefault(field->type, field->is_array, *declaration.default_parts);
  if (!made) return false;
  field->fallback = *std::move(made);
  return true;
}

}  // namespace

std::string PluginFields::Add(const FieldDeclaration& declaration) {
  const Token name(declaration.name);
  if (name.empty()) return "a metadata field has no name";
  if (IsRegisteredField(name) || fields_.contains(name)) {
    return "metadata field '" + declaration.name + "' is already defined";
  }
  auto entry = std::make_unique<Entry>();
  entry->definition.name = name;
  entry->definition.metadata = true;
  if (!SetType(declaration.type, &entry->definition)) {
    return "metadata field '" + declaration.name + "': unknown type '" + declaration.type + "'";
  }
  if (!SetFallback(declaration, &entry->definition)) {
    return "metadata field '" + declaration.name + "': the default is not a value of type " +
           declaration.type;
  }
  for (const std::string& word : declaration.applies_to) entry->applies_to |= BitsOf(word);
  if (declaration.applies_to.empty()) {
    entry->applies_to = kLayers | kPrims | kAttributes | kRelationships;
  }
  fields_.emplace(name, std::move(entry));
  return {};
}

const FieldDefinition* PluginFields::Find(SpecType type, Token name) const {
  const auto it = fields_.find(name);
  if (it == fields_.end() || !(it->second->applies_to & Bit(type))) return nullptr;
  return &it->second->definition;
}

}  // namespace stagedoor

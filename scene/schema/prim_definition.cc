#include "scene/schema/prim_definition.h"

#include <algorithm>
#include <bit>

#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

const Value* FindIn(const std::vector<SchemaField>& fields, Token name) {
  const auto it = std::find_if(fields.begin(), fields.end(),
                               [&](const SchemaField& field) { return field.first == name; });
  return it == fields.end() ? nullptr : &it->second;
}

}  // namespace

const Value* PropertyDefinition::FindMetadata(Token field) const {
  const Value* value = FindIn(metadata, field);
  return value ? value : FindIn(unlisted, field);
}

const PropertyDefinition* PrimDefinition::FindProperty(Token name) const {
  if (index_.empty()) return nullptr;
  const size_t mask = index_.size() - 1;
  for (size_t slot = name.hash() & mask; index_[slot] != 0; slot = (slot + 1) & mask) {
    const PropertyDefinition* property = properties_[index_[slot] - 1].get();
    if (property->name == name) return property;
  }
  return nullptr;
}

const Value* PrimDefinition::FindMetadata(Token field) const {
  const Value* value = FindIn(metadata_, field);
  return value ? value : FindIn(unlisted_, field);
}

bool PrimDefinition::IsDisallowedField(Token field) {
  static const FieldKeys& f = Fields();
  static const Token kDisallowed[] = {f.active,
                                      f.clipSets,
                                      f.clips,
                                      f.connectionPaths,
                                      f.customData,
                                      f.inheritPaths,
                                      f.instanceable,
                                      f.kind,
                                      f.payload,
                                      f.primChildren,
                                      f.properties,
                                      f.references,
                                      f.specializes,
                                      f.specifier,
                                      f.spline,
                                      f.targetPaths,
                                      f.timeSamples,
                                      f.variantChildren,
                                      f.variantSelection,
                                      f.variantSetChildren,
                                      f.variantSetNames};
  return std::find(std::begin(kDisallowed), std::end(kDisallowed), field) != std::end(kDisallowed);
}

bool PrimDefinition::HasApi(Token schema) const {
  return std::any_of(applied_.begin(), applied_.end(), [&](const AppliedSchema& a) {
    return a.name == schema || a.schema == schema;
  });
}

bool PrimDefinition::IsA(Token schema) const {
  return std::find(lineage_.begin(), lineage_.end(), schema) != lineage_.end();
}

void PrimDefinition::Index() {
  index_.assign(std::bit_ceil(properties_.size() * 2 + 1), 0);
  const size_t mask = index_.size() - 1;
  for (size_t i = 0; i < properties_.size(); ++i) {
    size_t slot = properties_[i]->name.hash() & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = static_cast<uint32_t>(i + 1);
  }
}

size_t PrimDefinition::byte_size() const {
  return sizeof(*this) + properties_.capacity() * sizeof(PropertyDefinitionRef) +
         index_.capacity() * sizeof(uint32_t) + applied_.capacity() * sizeof(AppliedSchema) +
         (metadata_.capacity() + unlisted_.capacity()) * sizeof(SchemaField) + made_bytes_;
}

}  // namespace stagedoor

#include "scene/schema/prim_definition_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/heap_costs.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/dictionary_order.h"
#include "scene/schema/schema_names.h"
#include "scene/values/dictionary.h"

namespace stagedoor {
namespace {

bool TypesMatch(const PropertyDefinition& a, const PropertyDefinition& b) {
  return a.spec_type == b.spec_type && a.type_name == b.type_name;
}

// Adds fields that only `weaker` has to `fields`, and merges dictionaries key by key.
void MergeFields(const std::vector<SchemaField>& weaker, std::vector<SchemaField>* fields) {
  for (const SchemaField& field : weaker) {
    const auto at = std::lower_bound(
        fields->begin(), fields->end(), field,
        [](const SchemaField& a, const SchemaField& b) { return a.first < b.first; });
    if (at == fields->end() || at->first != field.first) {
      fields->insert(at, field);
      continue;
    }
    const Dictionary* over = at->second.Get<Dictionary>();
    const Dictionary* under = field.second.Get<Dictionary>();
    if (over && under) at->second = Value(Dictionary::Over(*over, *under));
  }
}

PropertyDefinitionRef MergeProperties(const PropertyDefinition& strong,
                                      const PropertyDefinition& weak) {
  auto merged = std::make_shared<PropertyDefinition>(strong);
  if (merged->fallback.empty()) merged->fallback = weak.fallback;
  MergeFields(weak.metadata, &merged->metadata);
  MergeFields(weak.unlisted, &merged->unlisted);
  return merged;
}

Token AppliedName(const PrimDefinition::AppliedSchema& applied) {
  if (applied.instance.empty()) return applied.schema;
  std::string name = applied.schema.str();
  name += ':';
  name += applied.instance.text();
  return Token(name);
}

// Replaces the placeholder in templates by the instance name.
std::vector<PrimDefinition::AppliedSchema> Instantiate(
    std::vector<PrimDefinition::AppliedSchema> applied, std::string_view instance) {
  if (instance.empty()) return applied;
  for (PrimDefinition::AppliedSchema& a : applied) {
    a.instance = InstantiateTemplate(a.instance, instance);
    a.name = AppliedName(a);
  }
  return applied;
}

}  // namespace

PrimDefinitionBuilder::PrimDefinitionBuilder() : definition_(new PrimDefinition) {}

PrimDefinitionBuilder::PrimDefinitionBuilder(const SchemaInfo& schema, const LocalDefinition& local)
    : definition_(new PrimDefinition), local_(&local) {
  if (schema.IsTyped()) {
    definition_->lineage_ = schema.lineage;
    if (schema.IsConcrete()) definition_->type_name_ = schema.identifier;
  } else {
    AppliedSchema self{Token(), schema.identifier, schema.family, Token()};
    if (schema.IsMultipleApply()) self.instance = Token(kInstanceNamePlaceholder);
    self.name = AppliedName(self);
    AddAppliedSchemas({self});
  }
  for (const SchemaField& field : local.metadata) {
    const bool listed = !PrimDefinition::IsDisallowedField(field.first);
    (listed ? definition_->metadata_ : definition_->unlisted_).push_back(field);
  }
  for (const PropertyDefinitionRef& property : local.properties) {
    if (!local.IsOverride(property->name)) AddProperty(property);
  }
}

PrimDefinitionBuilder::PrimDefinitionBuilder(const PrimDefinition& definition)
    : definition_(new PrimDefinition(definition)) {
  for (size_t i = 0; i < definition_->properties_.size(); ++i) {
    positions_.emplace(definition_->properties_[i]->name, i);
  }
  for (const AppliedSchema& a : definition_->applied_) {
    versions_.try_emplace({a.family, a.instance}, a.schema);
  }
}

PrimDefinitionBuilder::~PrimDefinitionBuilder() = default;

void PrimDefinitionBuilder::AddProperty(PropertyDefinitionRef property) {
  positions_.emplace(property->name, definition_->properties_.size());
  definition_->properties_.push_back(std::move(property));
}

PropertyDefinitionRef PrimDefinitionBuilder::Charged(PropertyDefinitionRef made) {
  definition_->made_bytes_ +=
      sizeof(*made) + 3 * kHeapBlockBytes +
      (made->metadata.capacity() + made->unlisted.capacity()) * sizeof(SchemaField);
  return made;
}

bool PrimDefinitionBuilder::HasVersionConflict(const std::vector<AppliedSchema>& added) const {
  return std::any_of(added.begin(), added.end(), [&](const AppliedSchema& a) {
    const auto present = versions_.find({a.family, a.instance});
    return present != versions_.end() && present->second != a.schema;
  });
}

// Returns false if all of them are already present.
bool PrimDefinitionBuilder::AddAppliedSchemas(const std::vector<AppliedSchema>& added) {
  bool any = false;
  for (const AppliedSchema& a : added) {
    if (!versions_.try_emplace({a.family, a.instance}, a.schema).second) continue;
    definition_->applied_.push_back(a);
    any = true;
  }
  return any;
}

void PrimDefinitionBuilder::AddApi(const PrimDefinition& api, std::string_view instance) {
  const std::vector<AppliedSchema> added = Instantiate(api.applied_, instance);
  if (HasVersionConflict(added) || !AddAppliedSchemas(added)) return;
  composed_ = true;
  for (const PropertyDefinitionRef& property : api.properties_) {
    AddWeakerProperty(property, instance);
  }
  MergeFields(api.metadata_, &definition_->metadata_);
  MergeFields(api.unlisted_, &definition_->unlisted_);
}

void PrimDefinitionBuilder::AddWeakerProperty(const PropertyDefinitionRef& weaker,
                                              std::string_view instance) {
  const Token name = instance.empty() ? weaker->name : InstantiateTemplate(weaker->name, instance);
  if (const auto at = positions_.find(name); at != positions_.end()) {
    PropertyDefinitionRef& present = definition_->properties_[at->second];
    if (TypesMatch(*present, *weaker)) present = Charged(MergeProperties(*present, *weaker));
    return;
  }
  const PropertyDefinition* over =
      local_ && local_->IsOverride(name) ? local_->Find(name) : nullptr;
  if (over && TypesMatch(*over, *weaker)) {
    AddProperty(Charged(MergeProperties(*over, *weaker)));
  } else if (name == weaker->name) {
    AddProperty(weaker);
  } else {
    auto renamed = std::make_shared<PropertyDefinition>(*weaker);
    renamed->name = name;
    AddProperty(Charged(std::move(renamed)));
  }
}

std::unique_ptr<const PrimDefinition> PrimDefinitionBuilder::Build() && {
  if (composed_) {
    std::sort(definition_->properties_.begin(), definition_->properties_.end(),
              [](const auto& a, const auto& b) { return DictionaryLess()(a->name, b->name); });
  }
  definition_->Index();
  return std::move(definition_);
}

}  // namespace stagedoor

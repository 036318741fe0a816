#include "scene/schema/local_definition.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/paths/dictionary_order.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

void SortByName(std::vector<SchemaField>* fields) {
  std::sort(fields->begin(), fields->end(),
            [](const SchemaField& a, const SchemaField& b) { return a.first < b.first; });
}

PropertyDefinitionRef ReadProperty(const Layer& layer, SpecId spec) {
  const FieldKeys& names = Fields();
  auto property = std::make_shared<PropertyDefinition>();
  property->name = layer.tree().name(spec);
  property->spec_type = layer.tree().type(spec);
  // Schemas declare relationships without a variability, which means uniform.
  if (!property->is_attribute()) property->variability = Variability::kUniform;
  for (const Token field : layer.FieldNames(spec)) {
    if (field == names.variability) {
      if (const auto v = layer.GetAs<Variability>(spec, field); v && property->is_attribute()) {
        property->variability = *v;
      }
    } else if (field == names.typeName) {
      property->type_name = layer.GetAs<Token>(spec, field).value_or(Token());
    } else if (field == names.default_) {
      property->fallback = layer.Get(spec, field);
    } else if (field == names.customData) {
      property->unlisted.emplace_back(field, layer.Get(spec, field));
    } else if (field != names.custom && !PrimDefinition::IsDisallowedField(field)) {
      property->metadata.emplace_back(field, layer.Get(spec, field));
    }
  }
  SortByName(&property->metadata);
  return property;
}

std::vector<Token> ReadOverrides(const Layer& layer, SpecId schema_class) {
  const auto custom = layer.GetAs<Dictionary>(schema_class, Fields().customData);
  const Value* names = custom ? custom->Find("apiSchemaOverridePropertyNames") : nullptr;
  const Array<Token>* tokens = names ? names->Get<Array<Token>>() : nullptr;
  return tokens ? std::vector<Token>(tokens->begin(), tokens->end()) : std::vector<Token>();
}

}  // namespace

bool LocalDefinition::IsOverride(Token property) const {
  return std::find(overrides.begin(), overrides.end(), property) != overrides.end();
}

const PropertyDefinition* LocalDefinition::Find(Token property) const {
  const auto it = std::find_if(properties.begin(), properties.end(),
                               [&](const auto& p) { return p->name == property; });
  return it == properties.end() ? nullptr : it->get();
}

LocalDefinition ReadLocalDefinition(const Layer& layer, SpecId schema_class) {
  const FieldKeys& names = Fields();
  LocalDefinition result;
  for (const SpecId spec : layer.tree().properties(schema_class)) {
    result.properties.push_back(ReadProperty(layer, spec));
  }
  for (const Token field : layer.FieldNames(schema_class)) {
    if (field == names.specifier || field == names.typeName) continue;
    result.metadata.emplace_back(field, layer.Get(schema_class, field));
  }
  SortByName(&result.metadata);
  result.overrides = ReadOverrides(layer, schema_class);
  if (const auto op = layer.GetAs<ListOp<Token>>(schema_class, names.apiSchemas)) {
    op->ApplyTo(&result.api_schemas);
  }
  return result;
}

LocalDefinition InheritProperties(LocalDefinition own, const LocalDefinition& base) {
  for (const PropertyDefinitionRef& property : base.properties) {
    if (!own.Find(property->name)) own.properties.push_back(property);
  }
  std::sort(own.properties.begin(), own.properties.end(),
            [](const auto& a, const auto& b) { return DictionaryLess()(a->name, b->name); });
  return own;
}

}  // namespace stagedoor

#include "scene/schema/schema_registry.h"

#include <algorithm>
#include <utility>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/request_scope.h"
#include "base/reservation.h"
#include "scene/layer/layer.h"
#include "scene/schema/prim_definition_builder.h"
#include "scene/schema/schema_entry.h"
#include "scene/schema/schema_names.h"
#include "scene/schema/schema_source.h"

namespace stagedoor {
namespace {

// The cost of a property of an applied schema, which is renamed for its instance, interned and
// sorted.
constexpr size_t kStepsPerProperty = 16;
constexpr size_t kBytesPerProperty = 320;

}  // namespace

// The stack of schemas whose definitions are being built, each of which includes the next one.
struct SchemaRegistry::Building {
  std::vector<const Entry*> stack;
  bool met_cycle = false;
};

SchemaRegistry::SchemaRegistry() : empty_(PrimDefinitionBuilder().Build()) {}
SchemaRegistry::~SchemaRegistry() = default;

SchemaRegistry::Entry* SchemaRegistry::FindEntry(Token identifier) const {
  const auto it = by_identifier_.find(identifier);
  return it == by_identifier_.end() ? nullptr : it->second;
}

const SchemaInfo* SchemaRegistry::FindSchema(Token identifier) const {
  const Entry* entry = FindEntry(identifier);
  return entry ? &entry->info : nullptr;
}

bool SchemaRegistry::IsConcrete(Token identifier) const {
  const SchemaInfo* schema = FindSchema(identifier);
  return schema && schema->IsConcrete();
}

bool SchemaRegistry::IsA(Token schema, Token base) const {
  const SchemaInfo* info = FindSchema(schema);
  return info && std::find(info->lineage.begin(), info->lineage.end(), base) != info->lineage.end();
}

Token SchemaRegistry::EffectiveTypeName(Token type_name,
                                        const Dictionary* fallback_prim_types) const {
  if (type_name.empty() || IsConcrete(type_name)) return type_name;
  const Value* entry = fallback_prim_types ? fallback_prim_types->Find(type_name.text()) : nullptr;
  const Array<Token>* candidates = entry ? entry->Get<Array<Token>>() : nullptr;
  if (!candidates) return Token();
  const Token* found = std::find_if(candidates->begin(), candidates->end(),
                                    [&](Token candidate) { return IsConcrete(candidate); });
  return found == candidates->end() ? Token() : *found;
}

const PrimDefinition* SchemaRegistry::FindConcrete(Token identifier) const {
  Entry* entry = FindEntry(identifier);
  return entry && entry->info.IsConcrete() ? Definition(entry) : nullptr;
}

const PrimDefinition* SchemaRegistry::FindAbstract(Token identifier) const {
  Entry* entry = FindEntry(identifier);
  const bool abstract = entry && entry->info.kind == SchemaKind::kAbstractTyped;
  return abstract ? Definition(entry) : nullptr;
}

const PrimDefinition* SchemaRegistry::FindApi(Token identifier) const {
  Entry* entry = FindEntry(identifier);
  return entry && entry->info.IsAppliedApi() ? Definition(entry) : nullptr;
}

std::unique_ptr<const PrimDefinition> SchemaRegistry::Compose(
    RequestContext& context, Token type_name, std::span<const Token> applied_schemas) const {
  Pacer pacer(context);
  Reservation reserved(context);
  const PrimDefinition* typed = FindConcrete(type_name);
  PrimDefinitionBuilder builder(typed ? *typed : *empty_);
  for (const Token applied : applied_schemas) {
    if (!pacer.Go(kStepsPerProperty)) return nullptr;
    const auto [schema, instance] = SplitSchemaInstance(applied.text());
    const bool has_instance = schema.size() != applied.text().size();
    const std::optional<Token> identifier = Token::Find(schema);
    Entry* entry = identifier ? FindEntry(*identifier) : nullptr;
    if (!entry || !entry->info.IsAppliedApi()) continue;
    if (entry->info.IsMultipleApply() ? instance.empty() : has_instance) continue;
    const PrimDefinition& api = *Definition(entry);
    const size_t properties = api.properties().size();
    if (!pacer.Go(static_cast<int64_t>(properties * kStepsPerProperty)) ||
        !reserved.Grow(properties * kBytesPerProperty, "prim definitions").ok()) {
      return nullptr;
    }
    builder.AddApi(api, instance);
  }
  return std::move(builder).Build();
}

const PrimDefinition* SchemaRegistry::Definition(Entry* entry) const {
  if (const auto* done = entry->published.load(std::memory_order_acquire)) return done;
  const RequestScope::Guard everybody(
      RequestScope::Current().WithOwner(nullptr));  // paths outlive the stage that asks first
  MutexLock lock(mu_);
  if (!entry->definition) {
    Building building;
    entry->definition = Build(entry, &building);
    entry->published.store(entry->definition.get(), std::memory_order_release);
  }
  return entry->definition.get();
}

std::unique_ptr<const PrimDefinition> SchemaRegistry::Build(Entry* entry,
                                                            Building* building) const {
  building->stack.push_back(entry);
  PrimDefinitionBuilder builder(entry->info, Local(entry));
  AddBuiltinApis(entry, building, &builder);
  building->stack.pop_back();
  return std::move(builder).Build();
}

void SchemaRegistry::AddBuiltinApis(Entry* entry, Building* building,
                                    PrimDefinitionBuilder* builder) const {
  std::vector<Token> apis = Local(entry).api_schemas;
  apis.insert(apis.end(), entry->auto_applied.begin(), entry->auto_applied.end());
  for (const Token api : apis) {
    const auto [schema, instance] = SplitSchemaInstance(api.text());
    Entry* included = FindEntry(Token(schema));
    if (!included || !included->info.IsAppliedApi()) continue;
    if (included->info.IsMultipleApply() == instance.empty()) continue;
    // Multiple-apply schemas include only templates, and only they may include templates.
    if (entry->info.IsMultipleApply() != IsTemplateName(instance)) continue;
    const auto& stack = building->stack;
    if (std::find(stack.begin(), stack.end(), included) != stack.end()) {
      building->met_cycle = true;
      continue;
    }
    if (included->definition) {
      builder->AddApi(*included->definition, instance);
      continue;
    }
    Building nested{stack, false};
    auto definition = Build(included, &nested);
    builder->AddApi(*definition, instance);
    building->met_cycle |= nested.met_cycle;
    // A definition that lacks schemas because of a cycle must not be cached.
    if (nested.met_cycle) continue;
    included->definition = std::move(definition);
    included->published.store(included->definition.get(), std::memory_order_release);
  }
}

const LocalDefinition& SchemaRegistry::Local(Entry* entry) const {
  if (entry->local) return *entry->local;
  LocalDefinition local;
  const Layer* layer = entry->source->Load();
  const SpecId spec = layer ? layer->tree().FindPrim(kRootSpec, entry->info.identifier) : kNoSpec;
  if (spec != kNoSpec) local = ReadLocalDefinition(*layer, spec);
  if (entry->source->inherits() && entry->info.IsTyped() && entry->base) {
    local = InheritProperties(std::move(local), Local(entry->base));
  }
  entry->local = std::make_unique<LocalDefinition>(std::move(local));
  return *entry->local;
}

}  // namespace stagedoor

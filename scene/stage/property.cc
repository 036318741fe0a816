#include "scene/stage/property.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition.h"
#include "scene/stage/clip_assets.h"
#include "scene/stage/field_resolver.h"
#include "scene/stage/metadata.h"
#include "scene/stage/path_expressions.h"
#include "scene/stage/stage.h"
#include "scene/stage/targets.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// The cost of finding a relationship.
constexpr int64_t kStepsPerTarget = 4;

const PropertyDefinition* Builtin(const Prim& prim, Token name) {
  return prim.definition() ? prim.definition()->FindProperty(name) : nullptr;
}

const Value* FindField(const std::vector<SchemaField>& fields, Token name) {
  for (const SchemaField& field : fields) {
    if (field.first == name) return &field.second;
  }
  return nullptr;
}

// True if compiling again would give the same source. Not so for clip sets whose manifest cannot be
// read now, because later queries try again.
bool WillCompileTheSame(const PrimData& prim, const AttributeSource& source) {
  if (source.IsLarge()) return false;  // too large to keep
  if (!prim.clips || prim.clips->empty()) return true;
  return prim.clips->size() == 1 && source.kind() == ResolveInfoSource::kValueClips;
}

// The strongest opinion of type T about a field.
template <typename T>
std::optional<T> Strongest(const Prim& prim, Token property, Token field) {
  std::optional<T> found;
  WalkProperty(*prim.index().index, property, [&](const PropertyOpinion& opinion) {
    found = opinion.layer->GetAs<T>(opinion.spec, field);
    return !found;
  });
  return found;
}

// Elements of an array are translated to the stage but not composed with weaker opinions.
Value MapExpressions(RequestContext& context, const Prim& prim, const PropertyOpinion& opinion,
                     const Value& value) {
  std::vector<PathExpressionValue> mapped;
  for (const PathExpressionValue& expression : *value.Get<Array<PathExpressionValue>>()) {
    mapped.push_back({MapPathExpression(context, prim, opinion, expression.text).ToText()});
  }
  return Value(Array<PathExpressionValue>::FromVector(std::move(mapped)));
}

}  // namespace

bool Property::IsCustom() const {
  // A property that the schema defines cannot be custom (Core Specification 12.2.4).
  if (Builtin(prim_, name_)) return false;
  bool custom = false;
  WalkProperty(*prim_.index().index, name_, [&](const PropertyOpinion& opinion) {
    custom = opinion.layer->GetAs<bool>(opinion.spec, Fields().custom).value_or(false);
    return !custom;
  });
  return custom;
}

bool Property::IsAuthored() const {
  bool found = false;
  WalkProperty(*prim_.index().index, name_, [&](const PropertyOpinion&) {
    found = true;
    return false;
  });
  return found;
}

std::vector<PropertyOpinion> Property::Stack() const {
  return PropertyStack(*prim_.index().index, name_);
}

Value Property::Metadata(RequestContext& context, Token field) const {
  const PropertyDefinition* builtin = Builtin(prim_, name_);
  return ComposeField(context, PropertySpecHandles(*prim_.index().index, name_), field,
                      builtin ? FindField(builtin->metadata, field) : nullptr,
                      FieldResolver(prim_.stage(), prim_.index()));
}

bool Property::HasAuthoredMetadata(Token field) const {
  bool found = false;
  WalkProperty(*prim_.index().index, name_, [&](const PropertyOpinion& opinion) {
    found = opinion.layer->Has(opinion.spec, field);
    return !found;
  });
  return found;
}

std::vector<MetadataField> Property::AllMetadata(RequestContext& context) const {
  const PropertyDefinition* builtin = Builtin(prim_, name_);
  return ComposeAllFields(context, PropertySpecHandles(*prim_.index().index, name_),
                          builtin ? &builtin->metadata : nullptr,
                          FieldResolver(prim_.stage(), prim_.index()));
}

Token Attribute::TypeName() const {
  if (const PropertyDefinition* builtin = Builtin(prim_, name_)) return builtin->type_name;
  const Token name = Strongest<Token>(prim_, name_, Fields().typeName).value_or(Token());
  const auto* const type = FindValueTypeName(name);
  // Names that OpenUSD only accepts in text are not value types.
  return type && !type->text_only ? name : Token();
}

Variability Attribute::GetVariability() const {
  if (const PropertyDefinition* builtin = Builtin(prim_, name_)) return builtin->variability;
  // The weakest spec decides (Core Specification 12.2.3), even if it has no opinion: then
  // relationships are uniform and attributes varying.
  Variability variability = Variability::kVarying;
  WalkProperty(*prim_.index().index, name_, [&](const PropertyOpinion& opinion) {
    const bool relationship = opinion.layer->tree().type(opinion.spec) == SpecType::kRelationship;
    variability = opinion.layer->GetAs<Variability>(opinion.spec, Fields().variability)
                      .value_or(relationship ? Variability::kUniform : Variability::kVarying);
    return true;
  });
  return variability;
}

AttributeSite Attribute::Site() const {
  return {.index = &prim_.index(),
          .name = name_,
          .clips = prim_.data().clips.get(),
          .definition = prim_.definition(),
          .in_prototype = prim_.data().Has(kPrimInPrototype)};
}

AttributeSource Attribute::Compile(RequestContext& context) const {
  return AttributeSource::Compile(context, Site(), /*numeric=*/true);
}

AttributeSource Attribute::CompileDefault(RequestContext& context) const {
  return AttributeSource::Compile(context, Site(), /*numeric=*/false);
}

CompiledSource Attribute::Source(RequestContext& context) const {
  const SourceMemo& memo = prim_.stage().sources();
  const PrimData& data = prim_.data();
  if (const AttributeSource* kept = memo.Find(data, name_)) return CompiledSource(kept);
  AttributeSource source = Compile(context);
  if (memo.Mark(data, name_) && !context.failed() && WillCompileTheSame(data, source)) {
    const AttributeSource* kept = memo.Keep(data, name_, source);
    if (kept != nullptr) return CompiledSource(kept);
  }
  return CompiledSource(std::move(source));
}

Value Attribute::Get(RequestContext& context, TimeCode time) const {
  if (time.is_default()) return Get(context, CompileDefault(context), time);
  return Get(context, *Source(context), time);
}

Value Attribute::Get(RequestContext& context, const AttributeSource& source, TimeCode time) const {
  return Get(context, source, time, prim_.stage().interpolation());
}

Value Attribute::Get(RequestContext& context, const AttributeSource& source, TimeCode time,
                     Interpolation interpolation) const {
  Value value = source.ValueAt(context, time, interpolation);
  // Asset paths of clips are relative to the clip layers.
  if (source.clip_attribute() && value.type() == ValueType::kAssetPath) {
    const ClipAssetSite site = FindClipAssetSite(context, *this, source, time);
    if (!site.layer) return value;
    return FieldResolver(prim_.stage(), prim_.index())
        .ResolveAssets(context, std::move(value), *site.layer, *site.stack);
  }
  if (!source.opinion()) return value;
  if (const PathExpressionValue* expression = value.Get<PathExpressionValue>()) {
    // TimeCode samples do not compose with weaker opinions, as in OpenUSD.
    const PropertyOpinion& opinion = *source.opinion();
    const PathExpression tree =
        source.kind() == ResolveInfoSource::kTimeSamples && !time.is_default()
            ? MapPathExpression(context, prim_, opinion, expression->text)
                  .ComposeOver(PathExpression())
            : ComposePathExpression(context, prim_, name_, opinion, expression->text);
    return Value(PathExpressionValue{tree.ToText()});
  }
  if (value.type() == ValueType::kPathExpression && value.is_array()) {
    return MapExpressions(context, prim_, *source.opinion(), value);
  }
  if (value.type() != ValueType::kAssetPath) return value;
  const PrimSpecHandle& site = prim_.index().index->prim_stack()[source.opinion()->site];
  return FieldResolver(prim_.stage(), prim_.index()).ResolveAssets(context, std::move(value), site);
}

std::vector<Path> Attribute::Connections(RequestContext& context) const {
  return ComposeTargets(context, prim_, name_, Fields().connectionPaths);
}

std::vector<Path> Relationship::Targets(RequestContext& context) const {
  return ComposeTargets(context, prim_, name_, Fields().targetPaths);
}

std::vector<Path> Relationship::Targets() const {
  RequestContext unbounded;
  return Targets(unbounded);
}

std::vector<Path> Relationship::ForwardedTargets(RequestContext& context) const {
  // Depth first with an explicit stack, because chains of relationships may be long or cyclic (Core
  // Specification 12.4, get_forwarded_relationship_target_paths).
  std::vector<Path> result;
  std::unordered_set<Path> seen = {path()};
  std::vector<Path> todo = Targets(context);
  std::reverse(todo.begin(), todo.end());
  Pacer pacer(context);
  while (!todo.empty() && pacer.Go(kStepsPerTarget)) {
    const Path target = todo.back();
    todo.pop_back();
    if (!seen.insert(target).second) continue;
    const Property property = target.IsProperty() ? prim_.stage().FindProperty(target) : Property();
    if (!property.valid() || property.is_attribute()) {
      result.push_back(target);
      continue;
    }
    std::vector<Path> next = Relationship(property).Targets(context);
    if (!pacer.Go(static_cast<int64_t>(next.size()))) break;
    todo.insert(todo.end(), next.rbegin(), next.rend());
  }
  return result;
}

}  // namespace stagedoor

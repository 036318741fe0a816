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
#include "scene/stage/stage_data.h"
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
bool WillCompileTheSame(const Prim& prim, const AttributeSource& source) {
  if (source.IsLarge()) return false;  // too large to keep
  const ClipSources* const clips = prim.clips();
  if (!clips || clips->empty()) return true;
  return clips->size() == 1 && source.kind() == ResolveInfoSource::kValueClips;
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

Property FindProperty(const StageData& stage, Path path) {
  if (path.kind() != Path::Kind::kProperty) return Property();
  const Prim prim(stage, stage.Find(path.Parent()));
  return prim.valid() ? prim.GetProperty(path.name()) : Property();
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
                      FieldResolver(prim_));
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
                          builtin ? &builtin->metadata : nullptr, FieldResolver(prim_));
}

// The members of Prim that return properties or resolve values are here, so that Prim does not
// depend on these.
Value Prim::Metadata(RequestContext& context, Token field) const {
  const Value* fallback = data_->definition ? data_->definition->FindMetadata(field) : nullptr;
  return ComposeField(context, PrimSpecHandles(*index().index, IsPseudoRoot()), field, fallback,
                      FieldResolver(*this));
}

std::vector<MetadataField> Prim::AllMetadata(RequestContext& context) const {
  const auto sites = PrimSpecHandles(*index().index, IsPseudoRoot());
  return ComposeAllFields(context, sites,
                          data_->definition ? &data_->definition->metadata() : nullptr,
                          FieldResolver(*this));
}

Property Prim::GetProperty(Token name) const {
  const PropertyDefinition* builtin =
      data_->definition ? data_->definition->FindProperty(name) : nullptr;
  // The schema decides whether it is an attribute, else the strongest spec.
  if (builtin) return Property(*this, name, builtin->is_attribute());
  Property found;
  WalkProperty(*index().index, name, [&](const PropertyOpinion& opinion) {
    const bool attribute = opinion.layer->tree().type(opinion.spec) == SpecType::kAttribute;
    found = Property(*this, name, attribute);
    return false;
  });
  return found;
}

Attribute Prim::GetAttribute(Token name) const {
  const Property property = GetProperty(name);
  return property.valid() && property.is_attribute() ? Attribute(property) : Attribute();
}

Relationship Prim::GetRelationship(Token name) const {
  const Property property = GetProperty(name);
  return property.valid() && !property.is_attribute() ? Relationship(property) : Relationship();
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
          .clips = prim_.clips(),
          .definition = prim_.definition(),
          .in_prototype = prim_.data().Has(kPrimInPrototype)};
}

AttributeSource Attribute::Compile(RequestContext& context) const {
  return AttributeSource::Compile(context, Site(), /*numeric=*/true);
}

AttributeSource Attribute::CompileDefault(RequestContext& context) const {
  return AttributeSource::Compile(context, Site(), /*numeric=*/false);
}

const AttributeSource* Attribute::KeptSource() const {
  return prim_.stage_data().sources->Find(prim_.data(), name_);
}

template <typename Read>
auto Attribute::ReadSource(RequestContext& context, const Read& read) const {
  const AttributeSourceTable& table = *prim_.stage_data().sources;
  const PrimData& data = prim_.data();
  if (const AttributeSource* kept = table.Find(data, name_)) return read(*kept);
  AttributeSource source = Compile(context);
  if (table.Mark(data, name_) && !context.failed() && WillCompileTheSame(prim_, source)) {
    if (const AttributeSource* kept = table.Keep(data, name_, source)) return read(*kept);
  }
  return read(source);
}

Value Attribute::Get(RequestContext& context, TimeCode time) const {
  if (time.is_default()) return Get(context, CompileDefault(context), time);
  return ReadSource(context,
                    [&](const AttributeSource& source) { return Get(context, source, time); });
}

ResolveInfoSource Attribute::SourceKind(RequestContext& context) const {
  return ReadSource(context, [](const AttributeSource& source) { return source.kind(); });
}

bool Attribute::HasAuthoredValue(RequestContext& context) const {
  if (!valid()) return false;
  return ReadSource(context,
                    [](const AttributeSource& source) { return source.HasAuthoredValue(); });
}

Array<double> Attribute::SampleTimes(RequestContext& context) const {
  return ReadSource(context,
                    [&](const AttributeSource& source) { return source.SampleTimes(context); });
}

size_t Attribute::SampleCount(RequestContext& context) const {
  return ReadSource(context,
                    [&](const AttributeSource& source) { return source.SampleCount(context); });
}

std::optional<std::pair<double, double>> Attribute::Bracketing(RequestContext& context,
                                                               double time) const {
  return ReadSource(
      context, [&](const AttributeSource& source) { return source.Bracketing(context, time); });
}

Value Attribute::Get(RequestContext& context, const AttributeSource& source, TimeCode time) const {
  return Get(context, source, time, prim_.stage_data().options.interpolation);
}

Value Attribute::Get(RequestContext& context, const AttributeSource& source, TimeCode time,
                     Interpolation interpolation) const {
  return Resolved(context, source, source.ValueAt(context, time, interpolation), time);
}

Value Attribute::Get(RequestContext& context, const AttributeSource& source,
                     const AttributeSample& sample, Interpolation interpolation) const {
  return Resolved(context, source, source.ValueAt(context, sample, interpolation), sample.code());
}

Value Attribute::Resolved(RequestContext& context, const AttributeSource& source, Value value,
                          TimeCode time) const {
  // Asset paths of clips are relative to the clip layers.
  if (source.clip_attribute() && value.type() == ValueType::kAssetPath) {
    const ClipAssetSite site = FindClipAssetSite(context, prim_, name_, source, time);
    if (!site.layer) return value;
    return FieldResolver(prim_).ResolveAssets(context, std::move(value), *site.layer, *site.stack);
  }
  if (value.type() == ValueType::kPathExpression) {
    return ResolvePathExpressions(context, prim_, name_, source, std::move(value), time);
  }
  if (!source.opinion()) return value;
  if (value.type() != ValueType::kAssetPath) return value;
  const PrimSpecHandle& site = prim_.index().index->prim_stack()[source.opinion()->site];
  return FieldResolver(prim_).ResolveAssets(context, std::move(value), site);
}

std::vector<Path> Attribute::Connections(RequestContext& context) const {
  return ComposeTargets(context, prim_, name_, Fields().connectionPaths).paths;
}

std::vector<Path> Relationship::Targets(RequestContext& context) const {
  return ComposeTargets(context, prim_, name_, Fields().targetPaths).paths;
}

std::optional<std::vector<Path>> Relationship::CompleteTargets(RequestContext& context) const {
  ComposedTargets targets = ComposeTargets(context, prim_, name_, Fields().targetPaths);
  if (targets.dropped) return std::nullopt;
  return std::move(targets.paths);
}

std::vector<Path> Relationship::Targets() const {
  RequestContext unbounded;
  return Targets(unbounded);
}

std::vector<Path> Relationship::ForwardedTargets(RequestContext& context) const {
  return AuthoredForwardedTargets(context).value_or(std::vector<Path>());
}

std::optional<std::vector<Path>> Relationship::AuthoredForwardedTargets(
    RequestContext& context) const {
  // A single prim, as most relationships of renderers have, needs no search.
  std::vector<Path> own = Targets(context);
  if (own.size() == 1 && own[0].IsPrim()) return own;
  // Depth first with an explicit stack, because chains of relationships may be long or cyclic (Core
  // Specification 12.4, get_forwarded_relationship_target_paths).
  std::vector<Path> result;
  bool authored = false;
  // A circle that leads back to this relationship runs through its targets once more, as in
  // OpenUSD.
  std::unordered_set<Path> seen;
  std::vector<Path> todo;
  Pacer pacer(context);
  // Queues the targets of a relationship. Only one that lists none is an opinion itself.
  const auto follow = [&](const Relationship& relationship, const std::vector<Path>& next) {
    authored |= next.empty() && relationship.HasAuthoredMetadata(Fields().targetPaths);
    if (!pacer.Go(static_cast<int64_t>(next.size()))) return;
    todo.insert(todo.end(), next.rbegin(), next.rend());
  };
  follow(*this, own);
  while (!todo.empty() && pacer.Go(kStepsPerTarget)) {
    const Path target = todo.back();
    todo.pop_back();
    if (!seen.insert(target).second) continue;
    const Property property = FindProperty(prim_.stage_data(), target);
    if (property.valid() && !property.is_attribute()) {
      const Relationship forwarding(property);
      follow(forwarding, forwarding.Targets(context));
    } else {
      result.push_back(target);
    }
  }
  if (result.empty() && !authored) return std::nullopt;
  return result;
}

}  // namespace stagedoor

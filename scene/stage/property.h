#ifndef STAGEDOOR_SCENE_STAGE_PROPERTY_H_
#define STAGEDOOR_SCENE_STAGE_PROPERTY_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/property_walk.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Property, Attribute, Relationship: handles to the properties of a Prim. Correspond to OpenUSD's
// UsdProperty, UsdAttribute and UsdRelationship.
//
// Valid as long as the stage snapshot. Thread-safe.
class Property {
 public:
  Property() = default;
  Property(Prim prim, Token name, bool is_attribute)
      : prim_(prim), name_(name), is_attribute_(is_attribute) {}

  bool valid() const { return prim_.valid(); }
  const Prim& prim() const { return prim_; }
  Token name() const { return name_; }
  Path path() const { return prim_.path().AppendProperty(name_); }
  bool is_attribute() const { return is_attribute_; }

  // True if any opinion is custom; false for properties of the prim's schemas (Core Specification
  // 12.2.4).
  bool IsCustom() const;
  // True if some layer has a spec for it; false if only a schema declares it.
  bool IsAuthored() const;
  // As the methods of Prim with these names.
  Value Metadata(RequestContext& context, Token field) const;
  bool HasAuthoredMetadata(Token field) const;
  std::vector<MetadataField> AllMetadata(RequestContext& context) const;
  // Its specs, strongest first (UsdProperty::GetPropertyStack).
  std::vector<PropertyOpinion> Stack() const;

 protected:
  Prim prim_;
  Token name_;
  bool is_attribute_ = true;
};

class Attribute : public Property {
 public:
  Attribute() = default;
  explicit Attribute(const Property& property) : Property(property) {}

  // The value type name, such as "point3f[]": that of the schema, else the strongest authored one
  // (Core Specification 12.2.2). Empty if the authored name is not a known type; the metadata field
  // typeName returns it even then.
  Token TypeName() const;
  // The schema's variability, else that of the weakest opinion (Core Specification 12.2.3).
  Variability GetVariability() const;

  // Finds where the values come from. AttributeQuery keeps that for reads at many times.
  AttributeSource Compile(RequestContext& context) const;         // numeric times
  AttributeSource CompileDefault(RequestContext& context) const;  // default time

  // As the methods of AttributeSource with these names, for numeric times. Like Get, they compile
  // the sources of frequently queried attributes only once (AttributeSourceTable).
  ResolveInfoSource SourceKind(RequestContext& context) const;
  bool HasAuthoredValue(RequestContext& context) const;  // false for an invalid attribute
  Array<double> SampleTimes(RequestContext& context) const;
  size_t SampleCount(RequestContext& context) const;
  std::optional<std::pair<double, double>> Bracketing(RequestContext& context, double time) const;

  // The source for numeric times, if it is kept for being queried frequently; else null.
  const AttributeSource* KeptSource() const;

  // The value at `time` with the stage's interpolation (Core Specification 12.3, "Attribute
  // Resolution"). Empty if there is no value or it is blocked; Invalid if the data is damaged.
  // Asset paths are evaluated and resolved.
  Value Get(RequestContext& context, TimeCode time) const;
  // The value at a time, with a source from Compile, or from CompileDefault for default time.
  Value Get(RequestContext& context, const AttributeSource& source, TimeCode time) const;
  // The value at a time, with an interpolation other than the stage's.
  Value Get(RequestContext& context, const AttributeSource& source, TimeCode time,
            Interpolation interpolation) const;
  // The value of a sample that the source found.
  Value Get(RequestContext& context, const AttributeSource& source, const AttributeSample& sample,
            Interpolation interpolation) const;

  // The input of value resolution, for PropertyStackAt and Explain.
  AttributeSite Site() const;

  // The composed connection paths in the namespace of the stage (Core Specification 12.4).
  std::vector<Path> Connections(RequestContext& context) const;

 private:
  // `value` with path expressions mapped to the stage and asset paths resolved.
  Value Resolved(RequestContext& context, const AttributeSource& source, Value value,
                 TimeCode time) const;
  // Calls read(source) with the source for numeric times.
  template <typename Read>
  auto ReadSource(RequestContext& context, const Read& read) const;
};

class Relationship : public Property {
 public:
  Relationship() = default;
  explicit Relationship(const Property& property) : Property(property) {}

  // The composed targets in the namespace of the stage (Core Specification 12.4). Incomplete once
  // the request is over.
  std::vector<Path> Targets(RequestContext& context) const;
  // The targets, without limits or cancellation, for relationships with few targets.
  std::vector<Path> Targets() const;
  // The targets, or none if one of them has no image in the namespace of the stage and is not among
  // Targets(). Corresponds to the result of UsdRelationship::GetTargets.
  std::optional<std::vector<Path>> CompleteTargets(RequestContext& context) const;
  // The targets, with each target that is a relationship recursively replaced by its own targets,
  // without duplicates. Incomplete once the request is over.
  std::vector<Path> ForwardedTargets(RequestContext& context) const;
  // The forwarded targets, or none if neither this relationship nor those it forwards to authors a
  // target or an empty list of targets. Corresponds to the result of
  // UsdRelationship::GetForwardedTargets.
  std::optional<std::vector<Path>> AuthoredForwardedTargets(RequestContext& context) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PROPERTY_H_

// Property, Attribute, Relationship: handles to the properties of a Prim.
//
// Valid as long as the stage snapshot. Thread-safe.
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
#include "scene/value_resolution/time.h"

namespace stagedoor {

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

  bool IsCustom() const;
  // Has an opinion in some layer; false for what only the schema declares.
  bool IsAuthored() const;
  // As Prim's.
  Value Metadata(RequestContext& context, Token field) const;
  bool HasAuthoredMetadata(Token field) const;
  std::vector<MetadataField> AllMetadata(RequestContext& context) const;
  std::vector<PropertyOpinion> Stack() const;

 protected:
  Prim prim_;
  Token name_;
  bool is_attribute_ = true;
};

// A compiled source: the one the snapshot keeps, or one of its own.
class CompiledSource {
 public:
  explicit CompiledSource(const AttributeSource* kept) : kept_(kept) {}
  explicit CompiledSource(AttributeSource own) : own_(std::move(own)) {}

  const AttributeSource& operator*() const { return kept_ ? *kept_ : *own_; }
  const AttributeSource* operator->() const { return &**this; }

 private:
  const AttributeSource* kept_ = nullptr;
  std::optional<AttributeSource> own_;
};

class Attribute : public Property {
 public:
  Attribute() = default;
  explicit Attribute(const Property& property) : Property(property) {}

  // By the schema, else as authored: "point3f[]". Empty where nobody knows the authored word; the
  // metadata typeName has that too.
  Token TypeName() const;
  Variability GetVariability() const;

  // Values. Compile() once and ask the source for many times.
  AttributeSource Compile(RequestContext& context) const;         // numeric times
  AttributeSource CompileDefault(RequestContext& context) const;  // default time
  // For numeric times; compiled once for attributes that are asked for often (SourceMemo). Valid as
  // long as the snapshot.
  CompiledSource Source(RequestContext& context) const;
  // Empty for no value or a block; Invalid for damaged data. Asset paths are evaluated and
  // resolved.
  Value Get(RequestContext& context, Time time) const;
  // The same through a source compiled before (by Compile, or CompileDefault for default time).
  Value Get(RequestContext& context, const AttributeSource& source, Time time) const;
  // With another interpolation than the stage's.
  Value Get(RequestContext& context, const AttributeSource& source, Time time,
            Interpolation interpolation) const;

  // What resolution needs of it, for PropertyStackAt and Explain.
  AttributeSite Site() const;

  // Targets of connections, composed and translated to the stage.
  std::vector<Path> Connections(RequestContext& context) const;
};

class Relationship : public Property {
 public:
  Relationship() = default;
  explicit Relationship(const Property& property) : Property(property) {}

  // Both incomplete once the context has ended.
  std::vector<Path> Targets(RequestContext& context) const;
  // Of few targets: nothing stops it.
  std::vector<Path> Targets() const;
  // Targets that are relationships replaced by theirs, recursively; each once.
  std::vector<Path> ForwardedTargets(RequestContext& context) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PROPERTY_H_

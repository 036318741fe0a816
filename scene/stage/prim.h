#ifndef STAGEDOOR_SCENE_STAGE_PRIM_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/metadata.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/prim_flags.h"
#include "scene/values/dictionary.h"
#include "scene/values/value.h"

namespace stagedoor {

class Attribute;
class Property;
class Relationship;
class Stage;
struct PrimLocation;
struct StageData;

struct VariantSetInfo {
  std::string name;
  std::string selection;             // empty if none is made
  std::vector<std::string> choices;  // sorted
};

// A handle to a prim of a stage snapshot, which may be an instance proxy. Corresponds to OpenUSD's
// UsdPrim.
//
// Cheap to copy. Valid as long as the Stage. Thread-safe, because a snapshot never changes.
class Prim {
 public:
  Prim() = default;
  // Invalid if nothing was found there.
  Prim(const StageData& stage, const PrimLocation& location);

  bool valid() const { return data_ != nullptr; }
  const Stage& stage() const;
  // Internal to scene/stage.
  const StageData& stage_data() const { return *stage_; }
  const PrimData& data() const { return *data_; }

  // Path in the namespace of the stage; for an instance proxy, the path below its instance.
  Path path() const;
  // The text of path(). Does not intern the path, so that walks over instance proxies do not grow
  // the path table.
  std::string PathText() const;
  Token name() const { return data_->name(); }
  Token type_name() const { return data_->type_name; }
  Specifier specifier() const { return data_->specifier; }
  // Null if neither its type nor an applied schema is registered.
  const PrimDefinition* definition() const { return data_->definition; }

  bool IsPseudoRoot() const { return data_->Has(kPrimPseudoRoot); }
  // The flags of Core Specification 11.5, "Stage Queries".
  bool IsActive() const { return data_->Has(kPrimActive); }
  bool IsLoaded() const { return data_->Has(kPrimLoaded); }
  bool IsModel() const { return data_->Has(kPrimModel); }
  bool IsGroup() const { return data_->Has(kPrimGroup); }
  bool IsComponent() const { return data_->Has(kPrimComponent); }
  bool IsAbstract() const { return data_->Has(kPrimAbstract); }
  bool IsDefined() const { return data_->Has(kPrimDefined); }
  bool IsInstance() const { return data_->Has(kPrimInstance); }
  bool IsInstanceProxy() const { return !instance_path_.empty(); }
  bool HasPayload() const { return data_->Has(kPrimHasPayload); }
  // The composed metadata field `instanceable`, whether or not the prim is an instance.
  bool IsInstanceable() const;
  // `type` is a schema type name ("Mesh", "Imageable"). False if the prim has no known type.
  bool IsA(Token type) const;
  // `schema` is a single-apply schema, a multiple-apply schema to match any of its instances
  // ("CollectionAPI"), or one instance of it ("CollectionAPI:lights").
  bool HasApi(Token schema) const;
  Token kind() const;
  // The composed apiSchemas, with the built-in schemas of the type and of applied schemas.
  std::vector<Token> AppliedSchemas() const;

  Prim parent() const;
  // `from` and `to` are two instances that share a prototype, or the same prim below each of them.
  // If this prim is below from's instance, returns its counterpart below to's instance, else
  // itself.
  Prim SeenFrom(const Prim& from, const Prim& to) const;
  // Path of the innermost instance above this instance proxy; empty for other prims.
  Path instance_path() const { return instance_path_; }
  // The children that pass `predicate`; those of an instance only if it visits instance proxies, or
  // this is one.
  std::vector<Prim> Children(PrimFlagsPredicate predicate) const;

  // Names in property order (Core Specification 11.3.2, "Ordered Property Children"): in OpenUSD's
  // dictionary order, then reordered by propertyOrder.
  std::vector<Token> PropertyNames() const;          // built-in and authored
  std::vector<Token> AuthoredPropertyNames() const;  // with an opinion in some layer
  // Invalid if there is no such property, attribute or relationship.
  Property GetProperty(Token name) const;
  Attribute GetAttribute(Token name) const;
  Relationship GetRelationship(Token name) const;

  // The composed value of a field or the schema's fallback; empty if there is neither. Merging the
  // opinions of many layers costs steps of the request; once it is over, the result is unspecified.
  Value Metadata(RequestContext& context, Token field) const;
  bool HasAuthoredMetadata(Token field) const;
  // All composed fields except structural ones (IsStructuralField), sorted by name. Incomplete once
  // the request is over.
  std::vector<MetadataField> AllMetadata(RequestContext& context) const;

  // Incomplete once the request is over.
  std::vector<VariantSetInfo> VariantSets(RequestContext& context) const;

  const PrimIndexRef& index() const { return opinions().index; }
  // The clip sets that affect the prim, strongest first; null if there are none.
  const ClipSources* clips() const { return opinions().clips.get(); }
  // Translates a path from the namespace of a node of the index to that of the stage as this handle
  // sees it: an instance proxy sees its own instance. Empty if the path has no image there.
  Path MapToStage(uint32_t node, Path path) const;
  // As MapToStage, for the target of a relationship or connection, mapped arc by arc: a path that a
  // relocate on the way removes has no image, which the composed mapping of all arcs does not know.
  Path MapTargetToStage(uint32_t node, Path target) const;

  friend bool operator==(const Prim& a, const Prim& b) {
    return a.data_ == b.data_ && a.instance_path_ == b.instance_path_;
  }
  size_t hash() const { return HashCombine(instance_path_.hash(), data_); }

 private:
  const PrimOpinions& opinions() const;
  // Path of this prim if it is an instance, else of the instance above it; empty for other prims.
  Path InstanceScope() const { return data_->prototype ? path() : instance_path_; }
  // Translates a path from the prototype's source instance to the instance of this proxy.
  Path FromPrototype(Path path) const;
  friend class PrimRange;
  Prim(const StageData* stage, const PrimData* data, const Prototype* within, Path instance_path)
      : stage_(stage), data_(data), within_(within), instance_path_(instance_path) {}
  Value PlainMetadata(Token field) const;
  std::vector<Token> ApplyPropertyOrder(std::vector<Token> names) const;
  std::vector<std::string> VariantSetNames(Pacer& pacer) const;

  const StageData* stage_ = nullptr;
  const PrimData* data_ = nullptr;
  const Prototype* within_ = nullptr;  // the prototype that holds data_; null outside prototypes
  Path instance_path_;                 // see instance_path()
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_H_

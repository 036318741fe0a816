// Prim: a handle to a prim of a stage snapshot, an instance proxy included.
//
// Cheap to copy, valid as long as the Stage. Thread-safe. All answers are those of the snapshot.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

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

struct VariantSetInfo {
  std::string name;
  std::string selection;
  std::vector<std::string> choices;  // sorted
};

class Prim {
 public:
  Prim() = default;

  bool valid() const { return data_ != nullptr; }
  const Stage& stage() const { return *stage_; }
  const PrimData& data() const { return *data_; }

  // In the stage's namespace; of an instance proxy the path below the instance.
  Path path() const;
  // The text of path(). Interns nothing, so that walks over instance proxies leave nothing behind.
  std::string PathText() const;
  Token name() const { return data_->name(); }
  Token type_name() const { return data_->type_name; }
  Specifier specifier() const { return data_->specifier; }
  // Null without a schema.
  const PrimDefinition* definition() const { return data_->definition; }

  bool IsPseudoRoot() const { return data_->Has(kPrimPseudoRoot); }
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
  // The composed metadata of that name.
  bool IsInstanceable() const;
  // By schema type name ("Mesh", "Imageable"); false without a schema.
  bool IsA(Token type) const;
  // Applied single-apply schema, or any instance of a multiple-apply one ("CollectionAPI"), or one
  // instance ("CollectionAPI:lights").
  bool HasApi(Token schema) const;
  Token kind() const;
  // As authored and composed, with the built-in ones of the type and of applied schemas.
  std::vector<Token> AppliedSchemas() const;

  Prim parent() const;
  // `from` and `to` are two instances of one prototype, or one prim below them: this prim as it is
  // met below to's instance, if it is below from's; else itself.
  Prim SeenFrom(const Prim& from, const Prim& to) const;
  // Of the innermost instance that this proxy is below; empty for others.
  Path instance_path() const { return instance_path_; }
  // Children that pass; below an instance only with instance_proxies.
  std::vector<Prim> Children(PrimPredicate predicate) const;

  // Names in property order: sorted as OpenUSD's dictionary order, then propertyOrder.
  std::vector<Token> PropertyNames() const;          // builtin and authored
  std::vector<Token> AuthoredPropertyNames() const;  // with an opinion in some layer
  Property GetProperty(Token name) const;            // invalid when there is none
  Attribute GetAttribute(Token name) const;
  Relationship GetRelationship(Token name) const;

  // Composed value of a field, the schema's fallback included; empty when there is none. Merging
  // what many layers say is work of the request; anything once the context has ended.
  Value Metadata(RequestContext& context, Token field) const;
  bool HasAuthoredMetadata(Token field) const;
  // Every composed field but those that only state the namespace, by name. Incomplete once the
  // context has ended.
  std::vector<MetadataField> AllMetadata(RequestContext& context) const;

  // Incomplete once the context has ended.
  std::vector<VariantSetInfo> VariantSets(RequestContext& context) const;

  const PrimIndexRef& index() const { return data_->index; }
  // Translates a path at a site of the index to the stage as this handle sees it (instance proxies
  // see their own namespace). Empty when it has no image.
  Path MapToStage(uint32_t node, Path path) const;
  // The same for a relationship's target, arc by arc: what a relocation on the way takes away stays
  // away, which the composed mapping of all arcs may forget.
  Path MapTargetToStage(uint32_t node, Path target) const;

  friend bool operator==(const Prim& a, const Prim& b) {
    return a.data_ == b.data_ && a.instance_path_ == b.instance_path_;
  }
  size_t hash() const {
    return (reinterpret_cast<uintptr_t>(data_) ^ (instance_path_.hash() << 1)) *
           size_t{0x9e3779b97f4a7c15ULL};
  }

 private:
  // Of the instance whose prototype is met from here: this one, or that which it is below.
  Path InstanceScope() const { return data_->prototype ? path() : instance_path_; }
  // A path in the prototype's source as the instance has it.
  Path FromPrototype(Path path) const;
  friend class Stage;
  friend class PrimRange;
  Prim(const Stage* stage, const PrimData* data, const Prototype* within, Path instance_path)
      : stage_(stage), data_(data), within_(within), instance_path_(instance_path) {}
  Value PlainMetadata(Token field) const;
  std::vector<Token> ApplyPropertyOrder(std::vector<Token> names) const;
  std::vector<std::string> VariantSetNames(Pacer& pacer) const;

  const Stage* stage_ = nullptr;
  const PrimData* data_ = nullptr;
  const Prototype* within_ = nullptr;  // the prototype that holds data_; null outside
  Path instance_path_;                 // of the innermost instance this proxy is below
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_H_

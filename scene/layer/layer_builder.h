#ifndef STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "scene/layer/layer.h"
#include "scene/layer/spec_tree.h"

namespace stagedoor {

// A layer under construction. Has the role of the editing methods of OpenUSD's SdfLayer and
// SdfSpec.
//
// Readers, flattening, stitching and session edits fill it and then Build() an immutable Layer. A
// builder that starts from a Layer shares the values of that layer; only its namespace is copied.
// Not thread-safe.
//
// Specs have provisional ids, which are valid until Build(). `kRootSpec` is the pseudo-root.
class LayerBuilder {
 public:
  using Field = std::pair<Token, Value>;

  LayerBuilder();
  // A copy of `layer` to edit.
  explicit LayerBuilder(const Layer& layer);

  // Finds a child spec, or adds it after its siblings. If the child exists with another type, such
  // as an attribute instead of a relationship, its type is changed and its fields are kept.
  SpecId FindOrAdd(SpecId parent, SpecType type, Token name);
  // kNoSpec if there is none.
  SpecId Find(SpecId parent, SpecType type, Token name) const;
  SpecId Find(Path path) const;
  // Finds or adds the spec at an absolute path to a prim, a variant or a variant set (with an empty
  // variant). Prims that have to be added are overs. kNoSpec for other paths.
  SpecId EnsurePrim(Path path);
  // Finds or adds the property at an absolute property path, and its prim like EnsurePrim. kNoSpec
  // for other paths.
  SpecId EnsureProperty(Path path, SpecType type);
  // Removes a spec and its descendants.
  void Remove(SpecId spec);
  // Reorders the children of the given type (properties, variants or prims): those that `order`
  // names come first, in this order.
  void OrderChildren(SpecId parent, SpecType type, const std::vector<Token>& order);

  // The number of provisional ids, which start with 0 for the pseudo-root. Includes removed specs.
  size_t size() const { return specs_.size(); }
  SpecType type(SpecId spec) const { return specs_[spec].type; }
  Token name(SpecId spec) const { return specs_[spec].name; }
  SpecId parent(SpecId spec) const { return specs_[spec].parent; }
  const std::vector<SpecId>& properties(SpecId spec) const { return specs_[spec].properties; }
  const std::vector<SpecId>& variants(SpecId spec) const { return specs_[spec].variants; }
  const std::vector<SpecId>& prims(SpecId spec) const { return specs_[spec].prims; }

  // Sets a field; an empty value removes it.
  void Set(SpecId spec, Token field, Value value);
  // Null if the field is absent. Valid until the fields of the spec change.
  const Value* Get(SpecId spec, Token field) const;
  const std::vector<Field>& fields(SpecId spec) const { return specs_[spec].fields; }

  // Builds the layer; the builder must not be used afterwards.
  std::shared_ptr<const Layer> Build(Layer::Info info) &&;

 private:
  struct Spec {
    Token name;
    SpecId parent = kNoSpec;
    SpecType type = SpecType::kPseudoRoot;
    std::vector<SpecId> properties;
    std::vector<SpecId> variants;
    std::vector<SpecId> prims;
    std::vector<Field> fields;
  };
  enum class ChildKind : uint8_t { kProperty, kVariant, kPrim };
  struct ChildKey {
    SpecId parent;
    ChildKind kind;
    Token name;
    friend bool operator==(const ChildKey&, const ChildKey&) = default;
  };
  struct ChildHash {
    size_t operator()(const ChildKey& k) const {
      return HashCombine(k.name.hash(), uint64_t{k.parent} << 8 | static_cast<uint64_t>(k.kind));
    }
  };
  static ChildKind ChildKindOf(SpecType type);
  std::vector<SpecId>& Siblings(SpecId parent, ChildKind kind);
  void CopyFrom(const Layer& layer, SpecId from, SpecId to);

  std::vector<Spec> specs_;
  std::unordered_map<ChildKey, SpecId, ChildHash> children_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_

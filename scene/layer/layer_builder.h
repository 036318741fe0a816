// LayerBuilder: a layer under construction or edit.
//
// Readers, the flattener, the stitcher and session edits fill it and Build() an immutable Layer.
// Starting from a Layer shares that layer's values; only the namespace is copied. Not thread-safe.
//
// Specs are named by provisional ids, which stay valid until Build(). `kRootSpec` is the
// pseudo-root.
#ifndef STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/layer/spec_tree.h"

namespace stagedoor {

class LayerBuilder {
 public:
  using Field = std::pair<Token, Value>;

  LayerBuilder();
  // A copy of `layer` to edit.
  explicit LayerBuilder(const Layer& layer);

  // The child spec; made behind its siblings when there is none. When one of another type exists
  // (an attribute where a relationship is asked for …), its type changes and its fields stay.
  SpecId FindOrAdd(SpecId parent, SpecType type, Token name);
  // kNoSpec when there is none.
  SpecId Find(SpecId parent, SpecType type, Token name) const;
  SpecId Find(Path path) const;
  // Prims made on the way are overs. The last element may be a prim, a variant or a variant set
  // (with an empty variant); kNoSpec for other paths.
  SpecId EnsurePrim(Path path);
  // A property of EnsurePrim(path's prim); kNoSpec unless `path` is a property path.
  SpecId EnsureProperty(Path path, SpecType type);
  // Removes a spec and all below it.
  void Remove(SpecId spec);
  // Puts named children of the spec's properties or prims first, in this order.
  void OrderChildren(SpecId parent, SpecType type, const std::vector<Token>& order);

  // Provisional ids run from 0 (the pseudo-root) to size(), removed specs among them.
  size_t size() const { return specs_.size(); }
  SpecType type(SpecId spec) const { return specs_[spec].type; }
  Token name(SpecId spec) const { return specs_[spec].name; }
  SpecId parent(SpecId spec) const { return specs_[spec].parent; }
  const std::vector<SpecId>& properties(SpecId spec) const { return specs_[spec].properties; }
  const std::vector<SpecId>& variants(SpecId spec) const { return specs_[spec].variants; }
  const std::vector<SpecId>& prims(SpecId spec) const { return specs_[spec].prims; }

  // Replaces the field; an empty value removes it.
  void Set(SpecId spec, Token field, Value value);
  // Null when absent; valid until the spec's fields change.
  const Value* Get(SpecId spec, Token field) const;
  const std::vector<Field>& fields(SpecId spec) const { return specs_[spec].fields; }

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
  enum class Sort : uint8_t { kProperty, kVariant, kPrim };
  struct ChildKey {
    SpecId parent;
    Sort sort;
    Token name;
    friend bool operator==(const ChildKey&, const ChildKey&) = default;
  };
  struct ChildHash {
    size_t operator()(const ChildKey& k) const {
      return k.name.hash() ^ (k.parent * 0x9e3779b97f4a7c15ULL) ^ static_cast<size_t>(k.sort);
    }
  };
  static Sort SortOf(SpecType type);
  std::vector<SpecId>& Siblings(SpecId parent, Sort sort);
  void CopyFrom(const Layer& layer, SpecId from, SpecId to);

  std::vector<Spec> specs_;
  std::unordered_map<ChildKey, SpecId, ChildHash> children_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_BUILDER_H_

#ifndef STAGEDOOR_SCENE_USDA_LAYER_ASSEMBLER_H_
#define STAGEDOOR_SCENE_USDA_LAYER_ASSEMBLER_H_

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scene/layer/compact_field_store.h"
#include "scene/layer/layer.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/usda/list_op_fields.h"
#include "scene/usda/text_cursor.h"

namespace stagedoor::usda {

// Children of one spec by name: a linear scan while there are few, a hash table once there are
// many.
class NameIndex {
 public:
  // kNoSpec if there is no such child.
  SpecId Find(Token name) const;
  // The name must not be present yet.
  void Add(Token name, SpecId id);
  size_t size() const { return items_.size(); }
  // The names in the order in which they were added, starting with number `first`.
  std::vector<Token> NamesFrom(size_t first) const;
  void Clear();

 private:
  struct Item {
    Token name;
    SpecId id;
  };
  void Rehash();

  std::vector<Item> items_;
  std::vector<uint32_t> table_;  // indices of items_ plus 1; empty while few
};

// A prim, a variant or the layer itself whose contents are being read.
struct OpenSpec {
  // The variants of one set.
  using VariantMap = std::unordered_map<Token, std::unique_ptr<OpenSpec>>;

  SpecId spec = kRootSpec;
  // The parent and `name` give the prim's path without variant selections, which `path` caches.
  const OpenSpec* parent = nullptr;
  Token name;  // empty for variants, whose anchor is the prim's path
  mutable Path path;
  NameIndex properties;
  NameIndex prims;
  NameIndex variant_sets;
  // The variants of the sets read so far: a repeated statement of a set adds to them.
  std::unordered_map<Token, VariantMap> stated_sets;

  // The path that relative paths in the contents start from.
  Path AnchorPath() const;
  // Prepares the object for reuse with another spec.
  void Reset(SpecId new_spec, const OpenSpec* new_parent, Token new_name);
};

// Collects specs and their fields in the order of the text and builds the layer. Used for one
// parse, by one thread.
class LayerAssembler {
 public:
  SpecId Add(SpecId parent, SpecType type, Token name) { return tree_.Add(parent, type, name); }
  // Makes `names`, in this order, the only children of their type that `parent` has in the layer;
  // the others are removed. `type` selects properties, variants or prims.
  void Restate(SpecId parent, SpecType type, std::vector<Token> names) {
    restated_[{parent, type}] = std::move(names);
  }
  void PutFields(SpecId spec, FieldList* fields) { fields_.Put(spec, fields); }
  void GetFields(SpecId spec, FieldList* fields) const { fields_.Get(spec, fields); }
  // Sets one field of a spec whose fields have been put already.
  void SetField(SpecId spec, Token field, Value value);

  // A stack of reusable OpenSpecs, one for each level of nesting.
  OpenSpec* Borrow();
  void Return() { --open_; }

  // The layer gets the warnings of `cursor`, with which the text has been read.
  std::shared_ptr<const Layer> Build(Layer::Info info, const TextCursor& cursor) &&;

 private:
  SpecTreeBuilder tree_;
  CompactFieldStoreBuilder fields_;
  std::map<std::pair<SpecId, SpecType>, std::vector<Token>> restated_;
  std::vector<std::unique_ptr<OpenSpec>> pool_;
  size_t open_ = 0;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_LAYER_ASSEMBLER_H_

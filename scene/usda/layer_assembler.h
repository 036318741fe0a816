// LayerAssembler: gathers specs and their fields in the order of the text and makes the layer.
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

namespace stagedoor::usda {

// Children of one spec by name: scanned while few, hashed when many.
class NameIndex {
 public:
  // kNoSpec when there is none.
  SpecId Find(Token name) const;
  // The caller keeps names unique.
  void Add(Token name, SpecId id);
  size_t size() const { return items_.size(); }
  // The names from the one that was added as number `first` on.
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

// A prim or variant (or the layer) whose contents are being read.
struct OpenSpec {
  // The variants of one set.
  using VariantMap = std::unordered_map<Token, std::unique_ptr<OpenSpec>>;

  SpecId spec = kRootSpec;
  // The prim's own path without variant selections; made when first asked for.
  const OpenSpec* parent = nullptr;
  Token name;  // empty for variants: their path is the prim's
  mutable Path path;
  NameIndex properties;
  NameIndex prims;
  NameIndex variant_sets;
  // Of the sets that have been stated: what is stated again goes on with what there is.
  std::unordered_map<Token, VariantMap> stated_sets;

  Path AnchorPath() const;
  // For another spec.
  void Reset(SpecId new_spec, const OpenSpec* new_parent, Token new_name);
};

class LayerAssembler {
 public:
  SpecId Add(SpecId parent, SpecType type, Token name) { return tree_.Add(parent, type, name); }
  // The children of a sort that a spec has in the end, in this order; of others nothing remains.
  // The sort is that of `type`: properties, variants or prims.
  void Restate(SpecId parent, SpecType type, std::vector<Token> names) {
    restated_[{parent, type}] = std::move(names);
  }
  void PutFields(SpecId spec, FieldList* fields) { fields_.Put(spec, fields); }
  void GetFields(SpecId spec, FieldList* fields) const { fields_.Get(spec, fields); }
  // Sets one field of a spec that has been put already.
  void SetField(SpecId spec, Token field, Value value);

  // OpenSpecs to reuse, by depth.
  OpenSpec* Borrow();
  void Return() { --open_; }

  std::shared_ptr<const Layer> Build(Layer::Info info) &&;

 private:
  SpecTreeBuilder tree_;
  CompactFieldStoreBuilder fields_;
  std::map<std::pair<SpecId, SpecType>, std::vector<Token>> restated_;
  std::vector<std::unique_ptr<OpenSpec>> pool_;
  size_t open_ = 0;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_LAYER_ASSEMBLER_H_

#ifndef STAGEDOOR_SCENE_LAYER_COMPACT_FIELD_STORE_H_
#define STAGEDOOR_SCENE_LAYER_COMPACT_FIELD_STORE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

// CompactFieldStore: a FieldStore for layers held in memory.
//
// The specs of a layer mostly have the same few lists of field names, and the same values of
// custom, variability, specifier and typeName. Such a list, together with these values, is called a
// shape and is stored once. A spec stores its shape and its remaining values, which takes 8 bytes
// and 32 bytes per value. Immutable, hence thread-safe.

// Collects the fields of specs by provisional id. Not thread-safe.
class CompactFieldStoreBuilder {
 public:
  using Field = std::pair<Token, Value>;
  using FieldList = std::vector<Field>;

  CompactFieldStoreBuilder();
  ~CompactFieldStoreBuilder();

  // Replaces the fields of `spec` by `*fields`, whose values are moved from. Efficient for a spec
  // that has no fields yet or was stored last; otherwise the memory of the old values is wasted.
  void Put(SpecId spec, FieldList* fields);
  // Copies the fields of `spec` to `*fields`; empty if it has none.
  void Get(SpecId spec, FieldList* fields) const;

  // Builds the store. final_ids[i] is the final id of the spec with the provisional id i.
  std::unique_ptr<const FieldStore> Build(std::span<const SpecId> final_ids) &&;

 private:
  friend class CompactFieldStore;

  static constexpr uint32_t kNoShape = ~uint32_t{0};
  // The shape of a spec whose fields are stored in `own_`.
  static constexpr uint32_t kOwnShape = kNoShape - 1;
  static constexpr uint32_t kShared = ~uint32_t{0};

  struct Entry {
    Token name;
    uint32_t slot;  // index among the spec's own values, or kShared if the value is `shared`
    Value shared;
  };
  struct Shape {
    uint64_t hash = 0;
    uint32_t slots = 0;
    std::vector<Entry> entries;
  };
  struct Record {
    uint32_t shape = kNoShape;
    uint32_t first = 0;
  };
  using OwnFields = std::unordered_map<SpecId, FieldList>;

  static bool IsShared(const Field& field);
  static uint64_t HashOf(const FieldList& fields);
  static bool Matches(const Shape& shape, const FieldList& fields);
  uint32_t FindOrAddShape(const FieldList& fields);
  void GrowTable();

  std::vector<Shape> shapes_;
  std::vector<uint32_t> table_;  // open addressing over shapes_
  std::vector<Record> records_;
  std::vector<Value> values_;
  OwnFields own_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_COMPACT_FIELD_STORE_H_

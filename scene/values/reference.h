#ifndef STAGEDOOR_SCENE_VALUES_REFERENCE_H_
#define STAGEDOOR_SCENE_VALUES_REFERENCE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "base/hash.h"
#include "scene/paths/path.h"
#include "scene/values/dictionary.h"
#include "scene/values/item_index.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// An arc to a prim of another layer stack or the same one. Corresponds to OpenUSD's SdfReference;
// see the Core Specification, section 7.6.2.3.1 (references). A value type.
struct Reference {
  std::string asset;  // authored asset path; empty for an internal reference
  Path prim_path;     // empty for the default prim
  LayerOffset offset;
  Dictionary custom_data;
  friend bool operator==(const Reference&, const Reference&) = default;
};

// Hashes asset and path only, which differ in practice between unequal items.
template <>
struct ListItemHash<Reference> {
  size_t operator()(const Reference& r) const {
    return HashCombine(r.prim_path.hash(), HashBytes(r.asset));
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REFERENCE_H_

#ifndef STAGEDOOR_SCENE_VALUES_PAYLOAD_H_
#define STAGEDOOR_SCENE_VALUES_PAYLOAD_H_

#include <cstddef>
#include <string>

#include "base/hash.h"
#include "scene/paths/path.h"
#include "scene/values/item_index.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// An arc like a reference, which is composed only if it is loaded. Corresponds to OpenUSD's
// SdfPayload; see the Core Specification, section 7.6.2.3.2 (payload). A value type.
struct Payload {
  std::string asset;
  Path prim_path;
  LayerOffset offset;
  friend bool operator==(const Payload&, const Payload&) = default;
};

// Hashes asset and path only, which differ in practice between unequal items.
template <>
struct ListItemHash<Payload> {
  size_t operator()(const Payload& p) const {
    return HashCombine(p.prim_path.hash(), HashBytes(p.asset));
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_PAYLOAD_H_

// Reference and Payload: arcs to a prim of another (or the same) layer stack.
#ifndef STAGEDOOR_SCENE_VALUES_REFERENCE_H_
#define STAGEDOOR_SCENE_VALUES_REFERENCE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "scene/paths/path.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

struct Reference {
  std::string asset;  // authored asset path; empty for an internal reference
  Path prim_path;     // empty: the default prim
  LayerOffset offset;
  Dictionary custom_data;
  friend bool operator==(const Reference&, const Reference&) = default;
};

struct Payload {
  std::string asset;
  Path prim_path;
  LayerOffset offset;
  friend bool operator==(const Payload&, const Payload&) = default;
};

// The value of a metadata field that no schema registers: kept, not interpreted. Holds a string
// (the text as written), a Dictionary or ListOp<UnregisteredValue>.
struct UnregisteredValue {
  Value held;
  friend bool operator==(const UnregisteredValue&, const UnregisteredValue&) = default;
};

// Equal items hash alike; what tells them apart in practice is asset and path.
template <>
struct ListItemHash<Reference> {
  size_t operator()(const Reference& r) const {
    return std::hash<std::string>()(r.asset) * 31 + r.prim_path.hash();
  }
};
template <>
struct ListItemHash<Payload> {
  size_t operator()(const Payload& p) const {
    return std::hash<std::string>()(p.asset) * 31 + p.prim_path.hash();
  }
};
template <>
struct ListItemHash<UnregisteredValue> {
  size_t operator()(const UnregisteredValue& v) const {
    const std::string* text = v.held.Get<std::string>();
    return text ? std::hash<std::string>()(*text) : 0;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REFERENCE_H_

// Reference and Payload: arcs to a prim of another layer stack or the same one. Correspond to
// OpenUSD's SdfReference and SdfPayload; see the Core Specification, sections 7.6.2.3.1
// (references) and 7.6.2.3.2 (payload). Value types.
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
  Path prim_path;     // empty for the default prim
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

// The value of a metadata field that is not registered, kept without being interpreted (section
// 7.4.7 Extension Metadata Fields). Holds a string (the text as written), a Dictionary or a
// ListOp<UnregisteredValue>. Corresponds to OpenUSD's SdfUnregisteredValue.
struct UnregisteredValue {
  Value held;
  friend bool operator==(const UnregisteredValue&, const UnregisteredValue&) = default;
};

// Hash asset and path only, which differ in practice between unequal items.
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

#ifndef STAGEDOOR_SCENE_PATHS_PATH_NODE_H_
#define STAGEDOOR_SCENE_PATHS_PATH_NODE_H_

#include <atomic>
#include <cstdint>

#include "scene/paths/token.h"

namespace stagedoor {

// The kind of the last element of a path.
enum class PathKind : uint8_t {
  kRoot,              // "/" or "."
  kPrim,              // name; ".." in relative paths
  kVariantSelection,  // {set=variant}; an empty variant denotes the variant set
  kProperty,          // .name
  kTarget,            // [path]
  kRelationalAttribute,
  kMapper,      // .mapper[path]
  kMapperArg,   // .name below a mapper
  kExpression,  // .expression
};

struct PathNode;

// The last element of a path, with the rest of the path as its parent.
struct PathElement {
  // No element has both.
  union Second {
    constexpr Second() : target(nullptr) {}
    Token variant;
    const PathNode* target;
  };

  // The variant of a selection; empty for other kinds.
  Token variant() const { return kind == PathKind::kVariantSelection ? second.variant : Token(); }
  // The path in brackets of a target or mapper; null for other kinds.
  const PathNode* target() const {
    return kind == PathKind::kTarget || kind == PathKind::kMapper ? second.target : nullptr;
  }

  uint64_t hash;
  const PathNode* parent;
  Token name;
  Second second;
  uint32_t depth;
  PathKind kind;
  bool absolute;
  bool has_variant;
  bool has_target;
};

// An entry of the intern table of paths, of 48 bytes. Path is a handle to it.
struct PathNode : PathElement {
  explicit PathNode(const PathElement& element) : PathElement(element) {}
  // The number of scopes, child nodes and target elements that hold this node, and flags; see
  // PathTable.
  mutable std::atomic<uint32_t> pins{0};
  // The id of the PathScope that lists this node as its own; 0 if there is none.
  mutable std::atomic<uint32_t> holder{0};
};
static_assert(sizeof(PathNode) == 48);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_NODE_H_

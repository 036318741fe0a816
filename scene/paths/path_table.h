#ifndef STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_
#define STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "base/heap_costs.h"
#include "scene/paths/intern_shard.h"
#include "scene/paths/path_node.h"

namespace stagedoor {

// The intern table of all path nodes. Used only by Path and PathScope.
//
// A node lives as long as something pins it (a scope, a child node, or a node that has it as its
// target), or for the life of the process. Dropping the last pin marks the node as gone and removes
// it from the table; until it is marked, a thread that finds it may pin it again. Thread-safe.
class PathTable {
 public:
  using Element = PathElement;
  using Node = PathNode;
  using Kind = PathKind;

  // Memory of a node, including its heap block and its slot in the table.
  static constexpr size_t kNodeMemoryBytes = sizeof(Node) + kHeapBlockBytes + 16;

  static PathTable& Get();

  const Node* absolute_root() const { return &absolute_root_; }
  const Node* relative_root() const { return &relative_root_; }

  // Finds or creates the node and holds it for the current scope of the thread, or for the life of
  // the process if there is none.
  const Node* FindOrMake(Element element);

  static Element MakeElement(const Node* parent, Kind kind, Token name, Token variant,
                             const Node* target);

  // Both must be called within an EpochGuard. Pin returns false if the node is gone, in which case
  // another node may have taken its place; `*first` receives whether the node had no other pin.
  static bool Pin(const Node* node, bool* first = nullptr);
  void Unpin(const Node* node);

  InternStats Stats() const;

 private:
  using Shard = InternShard<Node, /*kRemoves=*/true>;
  static constexpr size_t kShards = 64;
  // Flag bits of Node::pins; the other bits count the pins.
  static constexpr uint32_t kForever = uint32_t{1} << 31;
  static constexpr uint32_t kGone = uint32_t{1} << 30;

  struct Equals {
    const Element& element;
    bool operator()(const Node& n) const {
      return n.parent == element.parent && n.kind == element.kind && n.name == element.name &&
             n.variant() == element.variant() && n.target() == element.target() && !IsGone(n);
    }
  };

  PathTable();
  static bool IsGone(const Node& node) {
    return (node.pins.load(std::memory_order_acquire) & kGone) != 0;
  }
  // Holds a node for the current scope of the thread, or forever. False if the node is gone.
  static bool Hold(const Node* node);
  // The part of Hold that needs the scope; defined with PathScope.
  static bool HoldInScope(const Node* node);
  static bool KeepForever(const Node* node);
  // Like Hold, but if memory runs out, removes a node that nothing else pins and rethrows.
  bool HoldOrRemove(const Node* node);
  // A new node that pins its parent and target; null if one of these is gone.
  static const Node* Make(const Element& element);
  // The node itself, or an equal living node if it is gone.
  const Node* Living(const Node* node);
  Shard& ShardOf(const Element& element) { return shards_[element.hash >> 58]; }

  Node absolute_root_;
  Node relative_root_;
  Shard shards_[kShards];
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_

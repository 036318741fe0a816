// PathTable: the nodes of all paths; behind Path and PathScope only.
#ifndef STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_
#define STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "base/memory_account.h"
#include "scene/paths/intern_shard.h"
#include "scene/paths/path.h"

namespace stagedoor {

// A node lives as long as something pins it (a scope, a child node, or a node that has it as its
// target), or for the life of the process. Dropping the last pin takes it out of the table; until
// it is marked as gone, whoever finds it may pin it again. Thread-safe.
class PathTable {
 public:
  using Element = Path::Element;
  using Node = Path::Node;
  using Kind = Path::Kind;

  // What a node takes, its heap block and its slot in the table included.
  static constexpr size_t kNodeMemoryBytes = sizeof(Node) + kHeapBlockBytes + 16;

  static PathTable& Get();

  const Node* absolute_root() const { return &absolute_root_; }
  const Node* relative_root() const { return &relative_root_; }

  // The node, held by the scope that the thread works for, without one for ever.
  const Node* FindOrMake(Element element);

  static Element MakeElement(const Node* parent, Kind kind, Token name, Token variant,
                             const Node* target);

  // Both within an EpochGuard. False: the node is gone, and another may take its place. `*first`
  // says whether nothing else pins it.
  static bool Pin(const Node* node, bool* first = nullptr);
  void Unpin(const Node* node);

  InternStats Stats() const;

 private:
  using Shard = InternShard<Node, /*kRemoves=*/true>;
  static constexpr size_t kShards = 64;
  // Bits of Node::pins beside the number.
  static constexpr uint32_t kForever = uint32_t{1} << 31;
  static constexpr uint32_t kGone = uint32_t{1} << 30;

  struct Equals {
    const Element& element;
    bool operator()(const Node& n) const {
      return n.parent == element.parent && n.kind == element.kind && n.name == element.name &&
             n.variant == element.variant && n.target == element.target && !IsGone(n);
    }
  };

  PathTable();
  static bool IsGone(const Node& node) {
    return (node.pins.load(std::memory_order_acquire) & kGone) != 0;
  }
  // For the scope that the thread works for, or for ever. False as of Pin.
  static bool Hold(const Node* node);
  static bool KeepForever(const Node* node);
  // As Hold; where there is no memory for that, leaves nothing behind and throws on.
  bool HoldOrRemove(const Node* node);
  // A new node, its parent and target pinned; null where one of those is gone.
  static const Node* Make(const Element& element);
  // The node, or the one that has taken its place.
  const Node* Living(const Node* node);
  Shard& ShardOf(const Element& element) { return shards_[element.hash >> 58]; }

  Node absolute_root_;
  Node relative_root_;
  Shard shards_[kShards];
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_PATH_TABLE_H_

// SiteIndex: which sites the nodes of a large PrimGraph have, by look-up instead of a walk.
//
// Filled in as it is asked; the graph drops it when all sites move. Not thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"

namespace stagedoor {

using NodeId = int32_t;

// A path in a layer stack.
struct Site {
  const LayerStack* stack = nullptr;
  Path path;
  friend bool operator==(const Site&, const Site&) = default;
};

class SiteIndex {
 public:
  // Adds the next node: nodes are added in the order of their numbers.
  void Add(const Site& site);
  size_t size() const { return size_; }

  // The nodes of a site.
  std::span<const NodeId> At(const Site& site) const;
  // False when no node's path is a prefix of the site's, in the same stack, or the other way
  // around. May be true without reason for very deep paths.
  bool MayShareNamespace(const Site& site) const;

 private:
  // Deeper paths are not taken apart: the time and memory would grow with their depth.
  static constexpr size_t kMaxDepth = 32;
  struct Hash {
    size_t operator()(const Site& site) const {
      return site.path.hash() ^ (reinterpret_cast<uintptr_t>(site.stack) >> 4) * 0x9e3779b97f4a7c15;
    }
  };
  struct Entry {
    std::vector<NodeId> nodes;
    bool has_below = false;  // some node's path is longer
  };
  std::unordered_map<Site, Entry, Hash> entries_;
  size_t size_ = 0;
  bool too_deep_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_

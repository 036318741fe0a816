#ifndef STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_
#define STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"

namespace stagedoor {

using NodeId = int32_t;

// A path in a layer stack. Corresponds to PcpLayerStackSite.
struct Site {
  const LayerStack* stack = nullptr;
  Path path;
  friend bool operator==(const Site&, const Site&) = default;
};

// Finds the nodes of a large PrimIndexGraph by their sites, in place of a walk over all nodes.
//
// The graph adds its nodes when it searches, and drops the index when all sites move to a child.
// Not thread-safe.
class SiteIndex {
 public:
  // Adds the next node; nodes are added in the order of their numbers.
  void Add(const Site& site);
  size_t size() const { return size_; }

  // The nodes of a site.
  std::span<const NodeId> At(const Site& site) const;
  // False if no node in the same stack has a path that is a prefix of the site's path or has it as
  // a prefix. May also be true without such a node if paths are very deep.
  bool MayShareNamespace(const Site& site) const;

 private:
  // Ancestors of deeper paths are not indexed, since time and memory would grow with the depth.
  static constexpr size_t kMaxDepth = 32;
  struct Hash {
    size_t operator()(const Site& site) const { return HashCombine(site.path.hash(), site.stack); }
  };
  struct Entry {
    std::vector<NodeId> nodes;
    bool has_below = false;  // the path of some node is below this one
  };
  std::unordered_map<Site, Entry, Hash> entries_;
  size_t size_ = 0;
  bool too_deep_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SITE_INDEX_H_

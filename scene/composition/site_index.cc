#include "scene/composition/site_index.h"

namespace stagedoor {

void SiteIndex::Add(const Site& site) {
  entries_[site].nodes.push_back(static_cast<NodeId>(size_++));
  if (site.path.depth() > kMaxDepth) {
    // From now on, MayShareNamespace cannot rule out anything.
    too_deep_ = true;
    return;
  }
  for (Path path = site.path.Parent(); !path.empty(); path = path.Parent()) {
    Entry& entry = entries_[{site.stack, path}];
    if (entry.has_below) return;  // so have those above it
    entry.has_below = true;
  }
}

std::span<const NodeId> SiteIndex::At(const Site& site) const {
  const auto it = entries_.find(site);
  return it == entries_.end() ? std::span<const NodeId>() : std::span(it->second.nodes);
}

bool SiteIndex::MayShareNamespace(const Site& site) const {
  if (too_deep_ || site.path.depth() > kMaxDepth) return true;
  const auto self = entries_.find(site);
  // An entry without nodes was made by a node below the site.
  if (self != entries_.end()) return true;
  // Entries of ancestors may have nodes of other branches below them, so only nodes count.
  for (Path path = site.path.Parent(); !path.empty(); path = path.Parent()) {
    const auto it = entries_.find({site.stack, path});
    if (it != entries_.end() && !it->second.nodes.empty()) return true;
  }
  return false;
}

}  // namespace stagedoor

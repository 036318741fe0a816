#include "scene/composition/prim_index.h"

#include <cmath>

#include "base/strings.h"

namespace stagedoor {

std::string PrimIndex::Dump() const {
  std::string text;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const PrimIndexNode& node = nodes_[i];
    int depth = 0;
    for (int32_t p = node.parent; p >= 0; p = nodes_[static_cast<size_t>(p)].parent) ++depth;
    text.append(static_cast<size_t>(2 * depth), ' ');
    text += Concat(ArcName(node.arc), " ", node.layer_stack->root_layer().identifier(), " ",
                   node.path.ToString());
    if (node.inert) text += node.culled ? " culled" : " inert";
    if (node.due_to_ancestor) text += " ancestral";
    if (node.origin != node.parent) text += Concat(" origin=", node.origin);
    if (!node.map_to_root.IsIdentity()) text += Concat(" [", node.map_to_root.ToString(), "]");
    text += '\n';
    for (const PrimSite& site : sites_) {
      if (site.node != i) continue;
      text.append(static_cast<size_t>(2 * depth + 4), ' ');
      text += Concat(site.layer->identifier(), "\n");
    }
  }
  return text;
}

std::string PrimIndex::InstanceKey(const LayerOffset& outer) const {
  constexpr double kDigits = 1e9;  // what rounding leaves equal is equal
  std::string key;
  for (const InstanceArc& arc : instance_arcs_) {
    const LayerOffset offset = outer * arc.offset;
    key += Concat(arc.site, " ", std::round(offset.offset * kDigits), " ",
                  std::round(offset.scale * kDigits), "\n");
  }
  for (const auto& [set, variant] : instance_selections_) key += Concat(set, "=", variant, "\n");
  return key;
}

size_t PrimIndex::byte_size() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(PrimIndexNode) +
         sites_.capacity() * sizeof(PrimSite) + specs_.capacity() * sizeof(StackSpec) +
         (child_names_.capacity() + property_names_.capacity()) * sizeof(Token);
}

}  // namespace stagedoor

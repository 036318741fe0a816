#include "scene/composition/sharing_constraints.h"

#include <algorithm>

namespace stagedoor {
namespace {

// The root prim above a path. A layer stack without specs for it has none for any class below.
Path TopOf(Path path) {
  while (path.depth() > 1) path = path.Parent();
  return path;
}

// The classes in the tree's own layer stack that arcs of the prim, not of an ancestor, bring in,
// with the classes of these. Each of them would be implied along the arc path; those of ancestors
// were checked when the ancestors were shared.
std::vector<NodeId> NewClasses(const PrimIndexGraph& graph) {
  std::vector<NodeId> classes;
  const auto add = [&](NodeId parent) {
    for (const NodeId child : graph.Children(parent)) {
      const GraphNode& node = graph[child];
      const bool old = parent == 0 && node.due_to_ancestor;
      if (IsClassBasedArc(node.arc) && !old && node.stack == graph.root().stack) {
        classes.push_back(child);
      }
    }
  };
  add(0);
  for (size_t i = 0; i < classes.size(); ++i) add(classes[i]);
  return classes;
}

}  // namespace

bool SharingConstraints::FixedConstraintsMetBy(const ArcPath& arc_path) const {
  if (unshareable) return false;
  // An arc from the tree to a prim of the chain, or to an ancestor or descendant, is a cycle for
  // this place (see PrimIndexer::MakesCycle), and a class there would be this place's own prim.
  for (const PrimIndexNode& node : arc_path.chain) {
    for (const Site& arc : arcs) {
      if (arc.stack == node.layer_stack &&
          (arc.path.HasPrefix(node.path) || node.path.HasPrefix(arc.path))) {
        return false;
      }
    }
    for (const Path path : classes) {
      if (node.path.HasPrefix(TopOf(path))) return false;
    }
  }
  // A class is global only as long as no arc of the arc path maps it to another path, which then
  // would have the opinions.
  const auto moves = [&](const PrimIndexNode& node) {
    const MapFunction map = node.map_to_parent.WithRootIdentity();
    return std::any_of(classes.begin(), classes.end(),
                       [&](Path path) { return map.MapSourceToTarget(path) != path; });
  };
  return classes.empty() || (!moves(arc_path.target) &&
                             std::none_of(arc_path.chain.begin(), arc_path.chain.end(), moves));
}

std::vector<const LayerStack*> SharingConstraints::OpinionsOf(const ArcPath& arc_path) const {
  std::vector<const LayerStack*> opinions;
  for (const PrimIndexNode& node : arc_path.chain) {
    // The whole root prim of a class counts, because its descendants may be implied as well.
    const bool any = std::any_of(classes.begin(), classes.end(), [&](Path path) {
      return !FindSpecs(*node.layer_stack, TopOf(path)).empty();
    });
    opinions.push_back(any ? node.layer_stack : nullptr);
  }
  return opinions;
}

bool SharingConstraints::AreStageOnly(const std::vector<const LayerStack*>& opinions) {
  return std::none_of(opinions.begin() + (opinions.empty() ? 0 : 1), opinions.end(),
                      [](const auto* stack) { return stack != nullptr; });
}

bool SharingConstraints::OpinionsMetBy(const ArcPath& arc_path) const {
  if (classes.empty()) return true;
  const std::vector<const LayerStack*> found = OpinionsOf(arc_path);
  // For a proxy, the same stacks must have opinions; otherwise none may.
  if (!opinions.empty()) return found == opinions;
  return std::all_of(found.begin(), found.end(), [](const auto* stack) { return !stack; });
}

SharingConstraints SharingConstraintsOf(const PrimIndexOutputs& output, Path root_path,
                                        const OuterContext* proxy) {
  SharingConstraints constraints;
  // Load rules are by stage path, and a selection above the tree is the stage's to make.
  constraints.unshareable = output.asked_above_tree;
  const PrimIndexGraph& graph = output.graph;
  // Only new arcs: the site has got this far, so older ones met its constraints.
  for (const NewArc& arc : output.new_arcs) {
    if (arc.type != ArcType::kVariant) constraints.arcs.push_back(arc.target);
  }
  for (const NodeId id : NewClasses(graph)) {
    const Path path = graph[id].path;
    // A class below the tree's root maps to a path below the site, where the chain has no specs.
    if (path.HasPrefix(root_path)) continue;
    if (proxy && path.HasPrefix(proxy->proxy_path())) {
      constraints.unshareable = true;  // a real place may have opinions at this path
    } else {
      constraints.classes.push_back(path);
    }
  }
  if (proxy) {
    constraints.opinions = constraints.OpinionsOf(proxy->arc_path());
    constraints.unshareable |= !SharingConstraints::AreStageOnly(constraints.opinions);
  }
  return constraints;
}

}  // namespace stagedoor

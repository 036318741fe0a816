#include "scene/composition/prim_index_graph.h"

#include <algorithm>

namespace stagedoor {

StackSpecs FindSpecs(const LayerStack& stack, Path path) {
  StackSpecs specs;
  for (uint32_t i = 0; i < stack.layers().size(); ++i) {
    const SpecId spec = stack.layers()[i].layer->tree().Find(path);
    if (spec != kNoSpec) specs.push_back({i, spec});
  }
  return specs;
}

StackSpecs FindChildSpecs(const LayerStack& stack, const StackSpecs& parent, Token name) {
  StackSpecs specs;
  for (const StackSpec& p : parent) {
    const SpecId spec = stack.layers()[p.layer].layer->tree().FindPrim(p.spec, name);
    if (spec != kNoSpec) specs.push_back({p.layer, spec});
  }
  return specs;
}

StackSpecs FindVariantSpecs(const LayerStack& stack, const StackSpecs& parent, Token set,
                            Token variant) {
  StackSpecs specs;
  for (const StackSpec& p : parent) {
    const SpecTree& tree = stack.layers()[p.layer].layer->tree();
    const SpecId set_spec = tree.FindVariant(p.spec, set);
    if (set_spec == kNoSpec) continue;
    const SpecId spec = tree.FindVariant(set_spec, variant);
    if (spec != kNoSpec) specs.push_back({p.layer, spec});
  }
  return specs;
}

// A variant selection is an element of a path but not a level of namespace, just another storage.
int NamespaceDepth(Path path) {
  int depth = static_cast<int>(path.depth());
  for (Path p = path; p.ContainsVariantSelection(); p = p.Parent()) {
    if (p.IsVariantSelection()) --depth;
  }
  return depth;
}

void PrimIndexGraph::AddRoot(const Site& site) {
  GraphNode& node = nodes_.emplace_back();
  node.stack = site.stack;
  node.path = site.path;
  node.to_parent = node.to_root = MapFunction::Identity();
  node.specs = FindSpecs(*site.stack, site.path);
}

NodeId PrimIndexGraph::InsertChild(const Site& site, const Arc& arc) {
  // Nodes of a finished index have 16-bit numbers.
  if (nodes_.size() >= kMaxNodes) return kNoNode;
  GraphNode node;
  node.arc = arc.type;
  node.parent = arc.parent;
  node.origin = arc.origin;
  node.sibling = arc.sibling;
  node.depth = arc.depth;
  node.stack = site.stack;
  node.path = site.path;
  node.to_parent = arc.to_parent;
  const GraphNode& parent = (*this)[arc.parent];
  node.to_root = parent.to_root.Compose(arc.to_parent);
  // A variant's specs are found below the parent's, which saves a look-up by path in every layer.
  const bool variant_of_parent = arc.type == ArcType::kVariant && site.path.IsVariantSelection() &&
                                 site.path.Parent() == parent.path;
  node.specs = variant_of_parent ? FindVariantSpecs(*site.stack, parent.specs, site.path.name(),
                                                    site.path.variant())
                                 : FindSpecs(*site.stack, site.path);
  nodes_.push_back(std::move(node));
  return Link(static_cast<NodeId>(nodes_.size() - 1));
}

NodeId PrimIndexGraph::InsertSubgraph(PrimIndexGraph other, const Arc& arc) {
  if (nodes_.size() + other.size() > kMaxNodes) return kNoNode;
  const NodeId base = static_cast<NodeId>(nodes_.size());
  const auto shift = [base](NodeId* id) {
    if (*id != kNoNode) *id += base;
  };
  // Node numbers move up by the size of this graph; mappings to the root go on through the new
  // arc. The siblings of `other` stay in order, since strength among them does not depend on what
  // is above.
  const MapFunction to_root = (*this)[arc.parent].to_root.Compose(arc.to_parent);
  for (GraphNode& node : other.nodes_) {
    for (NodeId* id : {&node.parent, &node.origin, &node.first_child, &node.last_child, &node.next,
                       &node.previous}) {
      shift(id);
    }
    node.to_root = to_root.Compose(node.to_root);
    nodes_.push_back(std::move(node));
  }
  GraphNode& top = (*this)[base];
  top.arc = arc.type;
  top.parent = arc.parent;
  top.origin = arc.origin;
  top.sibling = arc.sibling;
  top.depth = arc.depth;
  top.to_parent = arc.to_parent;
  top.to_root = to_root;
  return Link(base);
}

void PrimIndexGraph::AddFinished(GraphNode node) {
  const NodeId id = static_cast<NodeId>(nodes_.size());
  // Nodes come in strength order, so each is the last of its siblings so far.
  if (node.parent != kNoNode) {
    GraphNode& parent = (*this)[node.parent];
    node.previous = parent.last_child;
    (node.previous == kNoNode ? parent.first_child : (*this)[node.previous].next) = id;
    parent.last_child = id;
  }
  nodes_.push_back(std::move(node));
}

// Strength is not always transitive among specializes arcs, so the result depends on the order of
// the comparisons, which is that of OpenUSD's _InsertChildInStrengthOrder: with the first child,
// with the last, then from the first on.
NodeId PrimIndexGraph::PlaceAmongSiblings(NodeId child) const {
  const GraphNode& parent = (*this)[(*this)[child].parent];
  if (parent.first_child == kNoNode) return kNoNode;
  if (CompareSiblings(child, parent.first_child) < 0) return kNoNode;
  if (CompareSiblings(child, parent.last_child) >= 0) return parent.last_child;
  for (NodeId n = parent.first_child; n != kNoNode; n = (*this)[n].next) {
    ++scanned_;
    if (CompareSiblings(child, n) < 0) return (*this)[n].previous;
  }
  return parent.last_child;
}

NodeId PrimIndexGraph::Link(NodeId child) {
  const NodeId after = PlaceAmongSiblings(child);
  GraphNode& node = (*this)[child];
  GraphNode& parent = (*this)[node.parent];
  node.previous = after;
  node.next = after == kNoNode ? parent.first_child : (*this)[after].next;
  (after == kNoNode ? parent.first_child : (*this)[after].next) = child;
  (node.next == kNoNode ? parent.last_child : (*this)[node.next].previous) = child;
  return child;
}

void PrimIndexGraph::AppendChildName(Path parent_path, Path child_path) {
  const Token name = child_path.name();
  // All paths change, so the index starts again.
  sites_ = SiteIndex();
  for (GraphNode& node : nodes_) {
    // Without specs for a prim, a layer has none for its children: they need not be looked for.
    if (!node.specs.empty()) node.specs = FindChildSpecs(*node.stack, node.specs, name);
    node.path = node.path == parent_path ? child_path : node.path.AppendChild(name);
  }
}

NodeList PrimIndexGraph::Children(NodeId id) const {
  NodeList children;
  for (NodeId c = (*this)[id].first_child; c != kNoNode; c = (*this)[c].next) children.push_back(c);
  return children;
}

void PrimIndexGraph::RecordRestriction(NodeId id, bool certain) {
  GraphNode& node = (*this)[id];
  // A node that stops contributing here still does so for paths above, such as for the variant
  // sets of ancestors; one that contributes again is unrestricted.
  node.restricted_depth = certain || !node.contributes() ? node.path.depth() : 0;
}

void PrimIndexGraph::SetInert(NodeId id, bool inert) {
  if ((*this)[id].inert == inert) return;
  (*this)[id].inert = inert;
  RecordRestriction(id, inert);
}

void PrimIndexGraph::SetCulled(NodeId id, bool culled) {
  if ((*this)[id].culled == culled) return;
  (*this)[id].culled = culled;
  RecordRestriction(id, culled);
}

void PrimIndexGraph::SetInertBelow(NodeId id) {
  SetInert(id, true);
  ++scanned_;
  for (NodeId c = (*this)[id].first_child; c != kNoNode; c = (*this)[c].next) SetInertBelow(c);
}

const SiteIndex& PrimIndexGraph::Sites() const {
  // Nodes are indexed when a search needs them, so that small graphs never pay for it.
  scanned_ += nodes_.size() - sites_.size();
  while (sites_.size() < nodes_.size()) sites_.Add(nodes_[sites_.size()].site());
  return sites_;
}

// Inert and culled nodes are skipped: their opinions do not count, so another node is no
// duplicate.
NodeId PrimIndexGraph::FindUsing(const Site& site) const {
  if (nodes_.size() > kFewNodes) {
    const auto nodes = Sites().At(site);
    scanned_ += nodes.size();
    const auto it = std::find_if(nodes.begin(), nodes.end(),
                                 [this](NodeId id) { return (*this)[id].contributes(); });
    return it == nodes.end() ? kNoNode : *it;
  }
  scanned_ += nodes_.size();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const GraphNode& node = nodes_[i];
    if (node.path == site.path && node.stack == site.stack && node.contributes()) {
      return static_cast<NodeId>(i);
    }
  }
  return kNoNode;
}

NodeId PrimIndexGraph::FindChild(NodeId parent, const Site& site) const {
  for (NodeId c = (*this)[parent].first_child; c != kNoNode; c = (*this)[c].next) {
    ++scanned_;
    if ((*this)[c].site() == site) return c;
  }
  return kNoNode;
}

bool PrimIndexGraph::SharesNamespaceAbove(NodeId id, const Site& site) const {
  size_t looked = 0;
  for (NodeId n = id; n != kNoNode; n = (*this)[n].parent) {
    ++scanned_;
    // On a long way to the root, the index can rule out most sites at once.
    if (++looked == kFewNodes && !Sites().MayShareNamespace(site)) return false;
    const GraphNode& node = (*this)[n];
    if (node.stack != site.stack) continue;
    if (node.path.HasPrefix(site.path) || site.path.HasPrefix(node.path)) return true;
  }
  return false;
}

int PrimIndexGraph::DepthBelowIntroduction(NodeId id) const {
  // The parent's site has moved down with the prim since the arc was introduced at it.
  const GraphNode& node = (*this)[id];
  return node.parent == kNoNode ? 0 : NamespaceDepth((*this)[node.parent].path) - node.depth;
}

Path PrimIndexGraph::PathAtIntroduction(NodeId id) const {
  Path path = (*this)[id].path;
  for (int i = DepthBelowIntroduction(id); i > 0; --i) {
    // Selections at the end of the path go with the prim that has them.
    while (path.IsVariantSelection()) path = path.Parent();
    path = path.Parent();
  }
  return path;
}

bool PrimIndexGraph::IsAncestor(NodeId ancestor, NodeId id) const {
  for (NodeId n = id; n != kNoNode; n = (*this)[n].parent) {
    ++scanned_;
    if (n == ancestor) return true;
  }
  return false;
}

bool PrimIndexGraph::IsPropagatedSpecializes(NodeId id) const {
  const GraphNode& node = (*this)[id];
  // The copy is at the site of its origin, the placeholder. An implied specializes arc below the
  // root has another site than its origin, an authored one has the root as its origin.
  return node.arc == ArcType::kSpecialize && node.parent == 0 && node.origin != 0 &&
         node.origin != kNoNode && node.site() == (*this)[node.origin].site();
}

NodeId PrimIndexGraph::OriginRoot(NodeId id, int* steps) const {
  NodeId root = id;
  while ((*this)[root].origin != kNoNode && (*this)[root].origin != (*this)[root].parent) {
    ++scanned_;
    root = (*this)[root].origin;
    if (steps) ++*steps;
  }
  return root;
}

std::pair<NodeId, NodeId> PrimIndexGraph::StartOfClassHierarchy(NodeId id) const {
  // From the copy of a specializes arc, the hierarchy continues where the arc is.
  const auto place = [this](NodeId n) {
    return IsPropagatedSpecializes(n) ? (*this)[n].origin : n;
  };
  NodeId instance = place(id);
  NodeId first_class = kNoNode;
  const int depth = DepthBelowIntroduction(instance);
  // Classes of one hierarchy were introduced at the same level; a class arc of another level
  // belongs to an ancestor.
  while (IsClassBasedArc((*this)[instance].arc) && DepthBelowIntroduction(instance) == depth) {
    ++scanned_;
    first_class = instance;
    instance = place((*this)[instance].parent);
  }
  return {instance, first_class};
}

NodeList PrimIndexGraph::StrengthOrder() const {
  // Depth-first: a site is stronger than all that its arcs bring in (10.4, "local" and "remote"
  // opinions). Without recursion, because chains of arcs can be tens of thousands of nodes long.
  NodeList order;
  order.reserve(nodes_.size());
  NodeId n = 0;
  while (n != kNoNode) {
    order.push_back(n);
    if ((*this)[n].first_child != kNoNode) {
      n = (*this)[n].first_child;
      continue;
    }
    while (n != kNoNode && (*this)[n].next == kNoNode) n = (*this)[n].parent;
    if (n != kNoNode) n = (*this)[n].next;
  }
  return order;
}

}  // namespace stagedoor

#include "scene/composition/prim_index_builder.h"

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "scene/composition/compose_site.h"
#include "scene/composition/variable_expression.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

std::shared_ptr<const PrimIndex> PrimIndexBuilder::Finish(
    RequestContext& context, PrimIndexOutputs output, std::vector<Path> instances,
    const LayerStack& root_stack, const PrimIndex* parent, SharedParts& shared) {
  // Culling comes first, so that nothing below looks at nodes without opinions.
  CullGraph(&output.graph, root_stack);
  PrimIndexBuilder builder(context, &output, shared);
  builder.order_ = output.graph.StrengthOrder();
  PrimIndex& index = *builder.index_;
  index.instanceable_ = IsInstance(output.graph);
  index.has_payloads_ = output.has_payloads;
  index.payload_loaded_ = output.payload_included;
  builder.rare_.errors = std::move(output.errors);
  builder.rare_.instances = std::move(instances);
  builder.AddNodes();
  builder.AddSites();
  builder.KeepStacks(parent);
  index.names_ = shared.Share(builder.ChildNames(), builder.PropertyNames());
  if (index.instanceable_) builder.AddInstanceKey(context);
  index.rare_ = shared.Share(std::move(builder.rare_));
  index.Pack(std::move(builder.parts_));
  return std::move(builder.index_);
}

// Culled nodes are dropped, except those that are the parents or origins of kept nodes: strength
// comparisons among the arcs of descendants follow origins (10.4). OpenUSD's Finalize keeps them
// for the same reason.
PrimIndexBuilder::NodeFlags PrimIndexBuilder::KeptNodes() const {
  NodeFlags keep(graph_.size());
  NodeList open;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!graph_[static_cast<NodeId>(i)].culled) open.push_back(static_cast<NodeId>(i));
  }
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id == kNoNode || keep[static_cast<size_t>(id)]) continue;
    keep[static_cast<size_t>(id)] = true;
    open.push_back(graph_[id].parent);
    open.push_back(graph_[id].origin);
  }
  return keep;
}

void PrimIndexBuilder::AddNodes() {
  // Nodes of the index are numbered in strength order, unlike those of the graph.
  const NodeFlags keep = KeptNodes();
  NodeList number(graph_.size(), kNoNode);
  NodeList kept;
  for (const NodeId id : order_) {
    if (!keep[static_cast<size_t>(id)]) continue;
    number[static_cast<size_t>(id)] = static_cast<int32_t>(kept.size());
    kept.push_back(id);
  }
  order_ = std::move(kept);
  parts_.nodes.reserve(order_.size());
  const auto renumber = [&](NodeId id) {
    return static_cast<int16_t>(id == kNoNode ? kNoNode : number[static_cast<size_t>(id)]);
  };
  for (const NodeId id : order_) {
    const GraphNode& from = graph_[id];
    PrimIndexNode& node = parts_.nodes.emplace_back();
    node.arc = from.arc;
    node.inert = !from.contributes();
    node.culled = from.culled;
    node.due_to_ancestor = from.due_to_ancestor;
    node.has_clips = from.has_clips;
    node.direct = from.direct;
    node.parent = renumber(from.parent);
    node.origin = renumber(from.origin);
    node.layer_stack = from.stack;
    node.path = from.path;
    node.map_to_root = shared_.Share(from.to_root);
    node.map_to_parent = shared_.Share(from.to_parent);
    node.sibling = static_cast<uint16_t>(std::min(from.sibling, 0xffff));
    // Only hostile files have deeper namespaces; clamping may then misorder their arcs.
    constexpr int kMaxDepth = PrimIndexNode::kMaxDepth;
    node.depth = static_cast<uint32_t>(std::clamp(from.depth, 0, kMaxDepth)) & kMaxDepth;
    node.restricted_depth =
        static_cast<uint32_t>(std::min<size_t>(from.restricted_depth, kMaxDepth)) & kMaxDepth;
  }
}

void PrimIndexBuilder::AddSites() {
  size_t count = 0;
  for (const NodeId id : order_) {
    if (graph_[id].contributes()) count += graph_[id].specs.size();
  }
  parts_.sites.reserve(count);
  for (size_t i = 0; i < order_.size(); ++i) {
    PrimIndexNode& node = parts_.nodes[i];
    const StackSpecs& own = graph_[order_[i]].specs;
    std::vector<PrimSpecHandle>& sites = node.inert ? parts_.inert_sites : parts_.sites;
    node.first_site = static_cast<uint32_t>(sites.size());
    node.site_count = static_cast<uint16_t>(own.size());
    for (const StackSpec& s : own) {
      sites.push_back({node.layer_stack->layers()[s.layer].layer.get(), s.spec,
                       static_cast<uint16_t>(i), static_cast<uint16_t>(s.layer)});
    }
  }
}

void PrimIndexBuilder::KeepStacks(const PrimIndex* parent) {
  const auto& nodes = parts_.nodes;
  const auto kept_above = [&](const PrimIndexNode& node) {
    return std::any_of(parent->stacks_->begin(), parent->stacks_->end(),
                       [&](const auto& stack) { return stack.get() == node.layer_stack; });
  };
  // Most prims use the layer stacks of their parents. The set may then hold more stacks than the
  // index uses, which keeps these alive for a little longer.
  if (parent && std::all_of(nodes.begin(), nodes.end(), kept_above)) {
    index_->stacks_ = parent->stacks_;
    return;
  }
  std::vector<const LayerStack*> stacks;
  for (const PrimIndexNode& node : nodes) {
    const bool known = std::find(stacks.begin(), stacks.end(), node.layer_stack) != stacks.end();
    if (!known) stacks.push_back(node.layer_stack);
  }
  index_->stacks_ = shared_.Share(stacks);
}

// 11.3.1: relocates that rename a child keep its position, those that remove or rename it prohibit
// the old name for stronger layer stacks, and those that add children add them in order. The
// relocates of a layer stack apply to the names of weaker ones, before its own specs are added. The
// authored steps are used (incremental), as for the arcs. Corresponds to
// _ComposePrimChildNamesAtNode.
void PrimIndexBuilder::ApplyRelocates(const GraphNode& node, NameList* names,
                                      std::unordered_set<Token>* prohibited) {
  std::unordered_map<Token, Token> renamed;  // from the old name; to the empty token if removed
  const RelocatesMap& forward = node.stack->incremental_source_to_target();
  for (auto it = forward.lower_bound(node.path);
       it != forward.end() && it->first.HasPrefix(node.path); ++it) {
    if (!pacer_.Go()) return;
    const auto [source, target] = *it;
    if (source.Parent() != node.path) continue;
    const bool rename = !target.empty() && target.Parent() == node.path;
    renamed[source.name()] = rename ? target.name() : Token();
    prohibited->insert(source.name());
  }
  std::vector<Token> added;
  const RelocatesMap& backward = node.stack->incremental_target_to_source();
  for (auto it = backward.lower_bound(node.path);
       it != backward.end() && it->first.HasPrefix(node.path); ++it) {
    if (!pacer_.Go()) return;
    const auto [target, source] = *it;
    if (target.Parent() != node.path || source.Parent() == node.path) continue;
    if (!names->Contains(target.name())) added.push_back(target.name());
  }
  if (!renamed.empty()) {
    NameList retained;
    const std::vector<Token>& present = names->names();
    std::unordered_map<Token, size_t> last;
    for (size_t i = 0; i < present.size(); ++i) last[present[i]] = i;
    for (size_t i = 0; i < present.size() && pacer_.Go(); ++i) {
      const auto it = renamed.find(present[i]);
      if (it == renamed.end()) {
        retained.Add(present[i]);
        continue;
      }
      // If the new name exists, here or further on, that child was replaced and keeps its position.
      const auto at = last.find(it->second);
      const bool there = at != last.end() && at->second > i;
      if (!it->second.empty() && !there) retained.Add(it->second);
    }
    *names = std::move(retained);
  }
  // Relocated children have no order of their own, so 11.3.1 sorts them.
  std::sort(added.begin(), added.end());
  for (const Token name : added) names->Add(name);
}

// An arc that a culled node of an ancestor got below it, such as an implied class, brings in
// opinions about the prim and its descendants, but no children: as in OpenUSD, whose
// _ComposePrimChildNames stops at culled nodes.
PrimIndexBuilder::NodeFlags PrimIndexBuilder::NodesWithinCulled() const {
  NodeFlags within(graph_.size());
  for (const NodeId id : order_) {  // parents before their children
    const GraphNode& node = graph_[id];
    within[static_cast<size_t>(id)] =
        node.culled || (node.parent != kNoNode && within[static_cast<size_t>(node.parent)]);
  }
  return within;
}

std::vector<Token> PrimIndexBuilder::ChildNames() {
  const NodeFlags within_culled = NodesWithinCulled();
  NameList names;
  std::unordered_set<Token> prohibited;
  // From the weakest to the strongest, as 11.3.1 specifies: later names go behind, and each
  // layer's primOrder reorders what is there.
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const GraphNode& node = graph_[*it];
    if (!node.contributes() || within_culled[static_cast<size_t>(*it)]) continue;
    if (!pacer_.Go(1 + static_cast<int64_t>(node.specs.size()))) return {};
    // 11.3.3: local opinions about the children of an instance are discarded.
    if (index_->instanceable_ && (*it == 0 || !IsInstanceableNode(node))) continue;
    if (node.stack->has_relocates()) ApplyRelocates(node, &names, &prohibited);
    ComposeSiteChildNames(*node.stack, node.specs, &names, pacer_);
  }
  std::vector<Token> result = std::move(names).Take();
  // Only at the end, because stronger layers may have added the old names again.
  if (!prohibited.empty()) {
    std::erase_if(result, [&](Token name) { return prohibited.count(name) > 0; });
  }
  return result;
}

std::vector<Token> PrimIndexBuilder::PropertyNames() {
  // propertyOrder is left to readers, who also have the properties of the prim definition to merge
  // (11.3.2).
  NameList names;
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const GraphNode& node = graph_[*it];
    if (!node.contributes()) continue;
    if (!pacer_.Go()) break;
    ComposeSitePropertyNames(*node.stack, node.specs, &names, pacer_);
  }
  return std::move(names).Take();
}

namespace {

using Selections = std::unordered_map<Token, Token>;

// Adds the selections authored in the specs of a node for sets without one. False once the request
// has ended. Selections that no variant set uses are part of the key too, as in PcpInstanceKey.
bool AddSelections(RequestContext& context, Pacer& pacer, const GraphNode& node, Selections* all) {
  for (const StackSpec& s : node.specs) {
    const Value value = node.stack->layers()[s.layer].layer->Get(s.spec, Fields().variantSelection);
    const auto* selections = value.Get<VariantSelections>();
    if (!pacer.Go(1)) return false;
    if (!selections) continue;
    for (const auto& [set, authored] : *selections) {
      if (!pacer.Go(1)) return false;
      const Token name(set);
      if (all->count(name) > 0) continue;
      if (!IsVariableExpression(authored)) {
        all->emplace(name, Token(authored));
        continue;
      }
      const StringExpressionResult result =
          EvaluateStringVariableExpression(context, authored, node.stack->expression_variables());
      if (result.errors.empty()) all->emplace(name, Token(result.value));
    }
  }
  return true;
}

}  // namespace

// 11.3.3: instances with the same arcs, offsets and selections share a prototype. The key has the
// arcs that bring in shared opinions, and the selections, since they choose among what the arcs
// bring in.
void PrimIndexBuilder::AddInstanceKey(RequestContext& context) {
  // Whether a node is at or below a shared arc; order_ has parents before their children.
  std::vector<bool> shared(graph_.size());
  for (const NodeId id : order_) {
    const GraphNode& node = graph_[id];
    const bool below = node.parent != kNoNode && shared[static_cast<size_t>(node.parent)];
    shared[static_cast<size_t>(id)] = below;
    if (id == 0 || !IsInstanceableNode(node)) continue;
    // Arcs below a shared arc follow from it, unless load rules exclude payloads there.
    if (!index_->has_payloads_ && below) continue;
    shared[static_cast<size_t>(id)] = true;
    rare_.instance_arcs.push_back({node.arc, node.stack, node.path, node.to_root.offset()});
  }
  Selections selections;
  for (const NodeId id : order_) {
    if (!graph_[id].contributes()) continue;
    if (!AddSelections(context, pacer_, graph_[id], &selections)) return;
  }
  rare_.instance_selections.assign(selections.begin(), selections.end());
  std::sort(rare_.instance_selections.begin(), rare_.instance_selections.end());
}

GraphNode PrimIndexBuilder::NodeOf(const PrimIndexNode& from) {
  GraphNode node;
  node.arc = from.arc;
  // A finished node is inert if it does not contribute for either reason.
  node.inert = from.inert && !from.culled;
  node.culled = from.culled;
  node.due_to_ancestor = from.due_to_ancestor;
  node.direct = from.direct;
  node.has_clips = from.has_clips;
  node.parent = from.parent;
  node.origin = from.origin;
  node.sibling = from.sibling;
  node.depth = from.depth;
  node.restricted_depth = from.restricted_depth;
  node.stack = from.layer_stack;
  node.path = from.path;
  node.to_parent = from.map_to_parent;
  node.to_root = from.map_to_root;
  return node;
}

PrimIndexGraph PrimIndexBuilder::GraphOf(const PrimIndex& index) {
  PrimIndexGraph graph;
  // Room for the arcs that a child usually adds.
  graph.Reserve(index.nodes().size() + 4);
  for (const PrimIndexNode& from : index.nodes()) {
    GraphNode node = NodeOf(from);
    for (const PrimSpecHandle& site : index.SpecsOf(from)) {
      node.specs.push_back({site.stack_index, site.spec});
    }
    graph.AddFinished(std::move(node));
  }
  return graph;
}

std::shared_ptr<const PrimIndex> PrimIndexBuilder::Extract(const PrimIndex& index, size_t first) {
  // Names and sites can be taken as they are, because no node above `first` has any.
  const auto copy = [](auto list) { return std::vector(list.begin(), list.end()); };
  const auto shift = static_cast<int16_t>(first);
  PrimIndexParts parts{copy(index.nodes().subspan(first)), copy(index.prim_stack()),
                       copy(index.inert_sites())};
  std::vector<PrimIndexNode>& nodes = parts.nodes;
  for (PrimIndexNode& node : nodes) {
    if (node.inert) node.first_site -= index.site_count_;
  }
  PrimIndexNode& top = nodes.front();
  // The new root is the prim of its own stage: no arc, no ancestors, identity mappings.
  top.arc = ArcType::kRoot;
  top.parent = top.origin = -1;
  top.sibling = top.depth = 0;
  top.due_to_ancestor = false;
  top.map_to_parent = top.map_to_root = MapFunction::Identity();
  for (size_t i = 1; i < nodes.size(); ++i) {
    PrimIndexNode& node = nodes[i];
    node.parent = static_cast<int16_t>(node.parent - shift);
    node.origin = static_cast<int16_t>(node.origin - shift);
    node.map_to_root =
        nodes[static_cast<size_t>(node.parent)].map_to_root.Compose(node.map_to_parent);
  }
  for (std::vector<PrimSpecHandle>* sites : {&parts.sites, &parts.inert_sites}) {
    for (PrimSpecHandle& site : *sites) site.node = static_cast<uint16_t>(site.node - first);
  }
  auto part = std::make_shared<PrimIndex>(index.memory());
  part->Pack(std::move(parts));
  part->names_ = index.names_;
  part->stacks_ = index.stacks_;
  part->has_payloads_ = index.has_payloads_;
  part->payload_loaded_ = index.payload_loaded_;
  part->instanceable_ = index.instanceable_;
  if (index.rare_) {
    auto rare = std::make_shared<PrimIndex::Rare>(*index.rare_);
    // They are paths of the place; the way remembers them.
    rare->instances.clear();
    // Times in the part are relative to its root, so the offset of the arc above is taken out.
    const LayerOffset back = index.nodes()[first].map_to_root.offset().Inverse();
    for (PrimIndex::InstanceArc& arc : rare->instance_arcs) arc.offset = back * arc.offset;
    part->rare_ = std::move(rare);
  }
  return part;
}

}  // namespace stagedoor

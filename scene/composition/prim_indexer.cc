#include "scene/composition/prim_indexer.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"

namespace stagedoor {
namespace {

// The most levels of nested indexers, each of which takes stack space.
constexpr int kMaxIndexNesting = 400;

// The cost of finding a spec, in visits of a node.
constexpr size_t kItemsPerSpec = 16;

// 11.3.3: the local opinions of an instance about its descendants are discarded. The walk stops at
// arcs that instances share, since everything below them is shared. Corresponds to
// Pcp_DisableNonInstanceableNodesVisitor.
void DisableUninstanceable(PrimIndexGraph* graph, NodeId id) {
  const GraphNode& node = (*graph)[id];
  if (node.culled || (id != 0 && IsInstanceableNode(node))) return;
  graph->SetInert(id, true);
  for (const NodeId child : graph->Children(id)) DisableUninstanceable(graph, child);
}

}  // namespace

PrimIndexOutputs BuildPrimIndexGraph(PrimIndexInputs& environment, RequestContext& context,
                                     const PrimIndexRequest& request) {
  PrimIndexOutputs output;
  IndexBudget budget(context);
  PrimIndexer(environment, context, budget, request, &output).Run();
  if (budget.exhausted()) {
    // Not AddCompositionError, which might drop this error as one too many.
    output.errors.push_back(
        {CompositionErrorType::kIndexCapacityExceeded, request.root_site.path,
         "composing the prim takes too many steps, because its arcs multiply; use fewer arcs"});
  }
  return output;
}

PrimIndexOutputs PrimIndexer::BuildInner(const PrimIndexRequest& request) {
  PrimIndexOutputs output;
  budget_.Spend();
  PrimIndexer(env_, context_, budget_, request, &output).Run();
  return output;
}

void PrimIndexer::Run() {
  if (!Start()) return;
  AddRootTasks();
  while (!tasks_.empty() && budget_.Spend() && SpendScanned()) Evaluate(PopTask());
}

// The checks for cycles and duplicates of a nested index search the outer graphs as well.
bool PrimIndexer::SpendScanned() {
  size_t scanned = graph_.TakeScanned();
  for (const PrimIndexStackFrame* f = request_.frame; f; f = f->previous) {
    scanned += f->graph->TakeScanned() + 1;
  }
  return budget_.SpendOnScan(scanned);
}

// The pseudo-root has no parent and no arcs. A variant selection starts from its own site only,
// since the opinions of its ancestors are those of the prim that has the variant.
bool PrimIndexer::Start() {
  const Path path = request_.site.path;
  if (path.IsAbsoluteRoot() || path.IsVariantSelection() || request_.nesting > kMaxIndexNesting) {
    graph_.AddRoot(request_.site);
    if (request_.nesting > kMaxIndexNesting) {
      AddError(CompositionErrorType::kIndexCapacityExceeded,
               "composition arcs are nested too deeply; the deepest ones are ignored");
      graph_.SetInert(0, true);
      return false;
    }
    if (!request_.root_contributes) graph_.SetInert(0, true);
    return !path.IsAbsoluteRoot();
  }
  StartFromParent(path.Parent());
  return !ElideIfProhibited();
}

// 10.2.1: ancestral opinions come first. Whatever the arcs of the ancestors bring in for them, they
// bring in for this prim too, so the graph keeps its arcs and only its sites change.
void PrimIndexer::StartFromParent(Path parent_path) {
  bool is_instance = request_.parent_is_instance;
  if (request_.parent) {
    graph_ = std::move(*request_.parent);
  } else {
    PrimIndexRequest up = request_;
    up.site.path = parent_path;
    // Only the target itself is a placeholder, not its ancestors.
    up.root_contributes = true;
    up.nesting = request_.nesting + 1;
    out_ = BuildInner(up);
    const bool above_root = request_.instances && request_.site.stack == &env_.root_stack() &&
                            request_.root_site.stack == &env_.root_stack() &&
                            request_.root_site.path.HasPrefix(parent_path) &&
                            request_.root_site.path != parent_path;
    // For an ancestor of the prim on the stage, its own index has decided whether it is an
    // instance.
    is_instance = above_root ? std::find(request_.instances->begin(), request_.instances->end(),
                                         parent_path) != request_.instances->end()
                             : IsInstance(graph_);
  }
  if (is_instance) DisableUninstanceable(&graph_, 0);
  size_t specs = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.size()); ++id) {
    specs += graph_[id].specs.size();
  }
  budget_.SpendOnScan(kItemsPerSpec * specs + graph_.size());
  graph_.AppendChildName(parent_path, request_.site.path);
  // These are about payloads of the prim itself, not of its parent.
  out_.has_payloads = out_.payload_included = false;
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.size()); ++id) {
    GraphNode& node = graph_[id];
    if (!node.inert && node.has_specs() && !node.has_clips) {
      node.has_clips = HasClips(*node.stack, node.specs);
    }
    if (id == 0) continue;
    // From here on, all arcs are those of an ancestor.
    node.due_to_ancestor = true;
    node.direct = false;
  }
  if (!request_.root_contributes) graph_.SetInert(0, true);
}

// 10.3.2.6: opinions at the source of a relocate are ignored, which holds for every index that
// would bring them in. As OpenUSD puts it, the source is a prohibited child of its parent.
bool PrimIndexer::ElideIfProhibited() {
  const auto is_source = [](const GraphNode& node) {
    return !node.inert && node.stack->has_relocates() &&
           node.stack->incremental_source_to_target().count(node.path) > 0;
  };
  NodeList open = {0};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const GraphNode& node = graph_[id];
    if (node.culled) continue;
    if (!is_source(node)) {
      for (const NodeId child : graph_.Children(id)) open.push_back(child);
      continue;
    }
    // Only an arc to the prim is an error; on the stage, the prim just does not exist.
    if (request_.frame) {
      AddError(CompositionErrorType::kArcToProhibitedChild,
               Concat("cannot target <", node.path.ToString(), "> in ",
                      node.stack->root_layer().identifier(),
                      ": the prim was relocated; target its new path"));
    }
    graph_.SetInert(0, true);
    for (const NodeId child : graph_.Children(0)) ElideBelow(child);
    return true;
  }
  return false;
}

void PrimIndexer::AddError(CompositionErrorType type, std::string message,
                           std::vector<std::string> places) {
  AddErrors({{type, request_.root_site.path, std::move(message), std::move(places)}});
}

void PrimIndexer::AddErrors(CompositionErrors errors) {
  for (CompositionError& error : errors) AddCompositionError(std::move(error), &out_.errors);
}

bool PrimIndexer::IsLowerImplied(NodeId a, NodeId b) const {
  // Descendants first: what they imply may have to be implied further by the node above. Then the
  // stronger one, whose classes others may find already present.
  if (b > a && graph_.IsAncestor(a, b)) return true;
  if (a > b && graph_.IsAncestor(b, a)) return false;
  return graph_.Compare(a, b) > 0;
}

bool PrimIndexer::IsLower(const TaskItem& a, const TaskItem& b) const {
  // Node strength is costly to compare, so only tasks whose result depends on the order do it.
  if (a.type != b.type) return a.type > b.type;
  switch (a.type) {
    case kAncestralVariantAuthored:
    case kAncestralVariantFallback:
    case kVariantAuthored:
    case kVariantFallback:
      // A selection applies to all sites with the set (10.3.2.5.1), so the strongest must choose
      // first.
      if (a.node != b.node) return graph_.Compare(a.node, b.node) > 0;
      return std::tie(b.variant_path, b.variant_number) <
             std::tie(a.variant_path, a.variant_number);
    case kImpliedClasses:
      return a.node != b.node && IsLowerImplied(a.node, b.node);
    default:
      return a.node > b.node;
  }
}

void PrimIndexer::AddTask(TaskItem item) {
  // Every class arc of a hierarchy asks for the implied classes of the same node.
  if (item.type & kOncePerNode) {
    uint32_t& waiting = WaitingTasks(item.node);
    if (waiting & item.type) return;
    waiting |= item.type;
  }
  tasks_.push_back(std::move(item));
  std::push_heap(tasks_.begin(), tasks_.end(),
                 [this](const TaskItem& a, const TaskItem& b) { return IsLower(a, b); });
}

uint32_t& PrimIndexer::WaitingTasks(NodeId node) {
  if (waiting_.size() < graph_.size()) waiting_.resize(graph_.size() + graph_.size() / 2);
  return waiting_[static_cast<size_t>(node)];
}

PrimIndexer::TaskItem PrimIndexer::PopTask() {
  std::pop_heap(tasks_.begin(), tasks_.end(),
                [this](const TaskItem& a, const TaskItem& b) { return IsLower(a, b); });
  TaskItem item = std::move(tasks_.back());
  tasks_.pop_back();
  if (item.type & kOncePerNode) WaitingTasks(item.node) &= ~uint32_t{item.type};
  return item;
}

// A new variant may select others, or bring in sites that do. Sets that were given up or left to a
// fallback then look for an authored selection again.
void PrimIndexer::RetryVariants() {
  budget_.SpendOnScan(tasks_.size());
  for (TaskItem& item : tasks_) {
    if (item.type == kVariantFallback || item.type == kVariantNone) item.type = kVariantAuthored;
    if (item.type == kAncestralVariantFallback || item.type == kAncestralVariantNone) {
      item.type = kAncestralVariantAuthored;
    }
  }
  // The changed tasks have moved up, any number of them.
  std::make_heap(tasks_.begin(), tasks_.end(),
                 [this](const TaskItem& a, const TaskItem& b) { return IsLower(a, b); });
}

uint32_t PrimIndexer::PossibleTasks(NodeId id) const {
  uint32_t tasks = kAllTasks & ~(kExpressedArcs | kVariantSets);
  const GraphNode& node = graph_[id];
  if (!node.contributes()) return tasks;
  if (node.stack->has_relocates()) tasks |= kRelocations;
  if (!node.has_specs()) return tasks;
  // Most sites author no arcs. A look at the fields of their specs saves adding and evaluating
  // tasks that find nothing.
  const uint32_t arcs = ScanArcs(*node.stack, node.specs);
  if (arcs & kHasInherits) tasks |= kInherits;
  if (arcs & kHasVariantSets) tasks |= kVariantSets;
  if (arcs & kHasReferences) tasks |= kReferences;
  if (arcs & kHasPayloads) tasks |= kPayloads;
  if (arcs & kHasSpecializes) tasks |= kSpecializes;
  return tasks;
}

uint32_t PrimIndexer::PossibleAncestralTasks(NodeId id) const {
  const GraphNode& node = graph_[id];
  // Only in the node's own layer stack; what arcs of the ancestors bring in are nodes of their own.
  for (Path path = node.path.Parent(); !path.empty() && !path.IsAbsoluteRoot();
       path = path.Parent()) {
    if (!CanContributeAt(id, path)) continue;
    budget_.SpendOnScan(kItemsPerSpec * node.stack->layers().size());
    if (ScanArcs(*node.stack, FindSpecs(*node.stack, path)) & kHasVariantSets) return kAllTasks;
  }
  return kAllTasks & ~kAncestralVariantSets;
}

void PrimIndexer::AddRootTasks() {
  // Ancestral variants and targets of ancestral arcs were taken care of at the ancestors.
  uint32_t tasks = kAllTasks & ~(kAncestralVariantSets | kUnresolvedTarget);
  if (!request_.evaluate_variants) tasks &= ~kVariantSets;
  AddTasksBelow(0, tasks);
}

void PrimIndexer::AddNodeTasks(NodeId id, uint32_t tasks) {
  if (tasks & kImpliedClasses) {
    // A new class is implied with its whole hierarchy. A subtree with classes continues to imply
    // them in the graph that it has become part of.
    if (IsClassBasedArc(graph_[id].arc)) {
      AddTask({kImpliedClasses, StartOfImpliedClasses(id), Path(), {}});
    } else if (HasClassChild(id)) {
      AddTask({kImpliedClasses, id, Path(), {}});
    }
  }
  if ((tasks & kImpliedSpecializes) && request_.evaluate_specializes) {
    // One task for the new subtree, if it has a specializes arc anywhere.
    std::vector<NodeId> open = {id};
    while (!open.empty() && budget_.SpendOnScan(1)) {
      const NodeId n = open.back();
      open.pop_back();
      bool found = false;
      for (const NodeId child : graph_.Children(n)) {
        found = found || graph_[child].arc == ArcType::kSpecialize;
        open.push_back(child);
      }
      if (!found && !(n == id && graph_[n].arc == ArcType::kSpecialize)) continue;
      AddTask({kImpliedSpecializes, id, Path(), {}});
      break;
    }
  }
  if (!request_.evaluate_variants) tasks &= ~kVariantSets;
  // The outer index may bring in specs for the target that this one does not know.
  if (request_.frame) tasks &= ~kUnresolvedTarget;
  AddTasksBelow(id, tasks);
}

void PrimIndexer::AddTasksBelow(NodeId id, uint32_t tasks) {
  for (const NodeId child : graph_.Children(id)) AddTasksBelow(child, tasks);
  const ArcType arc = graph_[id].arc;
  // 10.3.2.3 makes it an error if the target of an authored class arc has no specs. OpenUSD does
  // not report that, and neither does this.
  if (arc != ArcType::kReference && arc != ArcType::kPayload) tasks &= ~kUnresolvedTarget;
  if (arc != ArcType::kRelocate) tasks &= ~kImpliedRelocations;
  tasks &= PossibleTasks(id);
  if (tasks & kAncestralVariantSets) tasks &= PossibleAncestralTasks(id);
  for (const Task type : {kUnresolvedTarget, kVariantSets, kAncestralVariantSets, kSpecializes,
                          kInherits, kPayloads, kReferences, kRelocations, kImpliedRelocations}) {
    if (tasks & type) AddTask({type, id, Path(), {}});
  }
}

void PrimIndexer::Evaluate(const TaskItem& item) {
  switch (item.type) {
    case kRelocations:
      return EvaluateRelocations(item.node);
    case kImpliedRelocations:
      return EvaluateImpliedRelocation(item.node);
    case kReferences:
      return EvaluateReferences(item.node);
    case kPayloads:
      return EvaluatePayloads(item.node);
    case kInherits:
      return EvaluateClasses(item.node, ArcType::kInherit);
    case kSpecializes:
      return EvaluateClasses(item.node, ArcType::kSpecialize);
    case kImpliedSpecializes:
      if (item.node != 0) PropagateSpecializesBelow(item.node);
      return;
    case kImpliedClasses:
      return EvaluateImpliedClasses(item.node);
    case kAncestralVariantSets:
      return EvaluateAncestralVariantSets(item.node);
    case kVariantSets:
      if (graph_[item.node].contributes()) {
        EvaluateVariantSets(item.node, graph_[item.node].path, false);
      }
      return;
    case kAncestralVariantAuthored:
    case kVariantAuthored:
      return EvaluateAuthoredVariant(item);
    case kAncestralVariantFallback:
    case kVariantFallback:
      return EvaluateFallbackVariant(item);
    case kUnresolvedTarget:
      return CheckTarget(item.node);
    case kAncestralVariantNone:
    case kVariantNone:
      return;  // waited for RetryVariants; no selection has turned up
  }
}

bool IsInstanceableNode(const GraphNode& node) {
  return node.direct && node.contributes() && node.has_specs();
}

// The search for an arc that can be shared comes first, because it reads no fields.
bool IsInstance(const PrimIndexGraph& graph) {
  bool shares = false;
  for (NodeId id = 1; id < static_cast<NodeId>(graph.size()); ++id) {
    shares = shares || IsInstanceableNode(graph[id]);
  }
  if (!shares) return false;
  for (const NodeId id : graph.StrengthOrder()) {
    const GraphNode& node = graph[id];
    if (!node.contributes()) continue;
    for (const StackSpec& s : node.specs) {
      const Layer& layer = *node.stack->layers()[s.layer].layer;
      if (const auto value = layer.GetAs<bool>(s.spec, Fields().instanceable)) return *value;
    }
  }
  return false;
}

namespace {

// Whether a node can be culled: nothing in its subtree has opinions, and its arc is ancestral, so
// that the arcs of a prim itself always show. Corresponds to _NodeCanBeCulled.
bool CanCull(const PrimIndexGraph& graph, NodeId id, const LayerStack& root_stack) {
  const GraphNode& node = graph[id];
  if (node.culled) return true;
  if (graph.DepthBelowIntroduction(id) == 0 || node.has_clips) return false;
  if (node.arc == ArcType::kInherit && node.stack == &root_stack) {
    // Clients list the classes of a prim. A class that is not a root prim is on the stage through
    // the arcs of an ancestor, even if it has no opinions here, so OpenUSD keeps its node.
    const NodeId origin = node.origin == node.parent ? id : graph.OriginRoot(id);
    if (graph.PathAtIntroduction(origin).depth() != 1) return false;
  }
  for (NodeId c = node.first_child; c != kNoNode; c = graph[c].next) {
    if (!graph[c].culled) return false;
  }
  return !(node.has_specs() && node.contributes());
}

void CullBelow(PrimIndexGraph* graph, NodeId id, const LayerStack& root_stack) {
  for (const NodeId child : graph->Children(id)) CullBelow(graph, child, root_stack);
  if (id != 0 && CanCull(*graph, id, root_stack)) graph->SetCulled(id, true);
}

}  // namespace

void CullGraph(PrimIndexGraph* graph, const LayerStack& root_stack) {
  CullBelow(graph, 0, root_stack);
}

}  // namespace stagedoor

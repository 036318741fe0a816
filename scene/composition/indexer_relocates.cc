// PrimIndexer: relocations.
#include "base/strings.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

void PrimIndexer::ElideBelow(NodeId node) {
  graph_.SetCulled(node, true);
  graph_[node].restricted_depth = 1;  // neither its ancestors' variants count
  for (const NodeId child : graph_.Children(node)) ElideBelow(child);
}

// A prim that was moved here: its opinions come from the source; those that arcs of the new parent
// bring for a prim of that name do not count, except a variant's.
void PrimIndexer::EvaluateRelocations(NodeId node) {
  if (!graph_[node].contributes()) return;
  const LayerStack* stack = graph_[node].stack;
  const auto it = stack->incremental_target_to_source().find(graph_[node].path);
  if (it == stack->incremental_target_to_source().end()) return;
  for (const NodeId child : graph_.Children(node)) {
    if (graph_[child].arc != Arc::kVariant) ElideBelow(child);
  }
  ArcOptions options;
  options.contributes = false;
  options.ancestral = true;
  // The mapping is part of the arcs whose targets are relocated, so here it is the identity.
  const NodeId source =
      AddArc(Arc::kRelocate, node, node, {stack, it->second}, MapFunction::Identity(), 0, options);
  if (source == kNoNode) return;
  for (const StackSpec& s : graph_[source].specs) {
    AddError(CompositionErrorType::kOpinionAtRelocationSource,
             Concat(stack->layers()[s.layer].layer->identifier(), ": opinions at <",
                    it->second.ToString(), "> are ignored, because it was relocated to <",
                    it->first.ToString(), ">"));
  }
}

void PrimIndexer::EvaluateImpliedRelocation(NodeId node) {
  const GraphNode& n = graph_[node];
  if (n.arc != Arc::kRelocate || n.due_to_ancestor || n.parent == kNoNode) return;
  const NodeId grandparent = graph_[n.parent].parent;
  if (grandparent == kNoNode) return;
  const Path source = graph_[n.parent].to_parent.MapSourceToTarget(n.path.StripVariantSelections());
  if (source.empty()) return;
  for (const NodeId child : graph_.Children(grandparent)) {
    if (graph_[child].arc == Arc::kRelocate && graph_[child].path == source) return;
  }
  ArcOptions options;
  options.contributes = false;
  AddArc(Arc::kRelocate, grandparent, node, {graph_[grandparent].stack, source},
         MapFunction::Identity(), 0, options);
}

}  // namespace stagedoor

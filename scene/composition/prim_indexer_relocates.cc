// PrimIndexer: relocates (Core Specification, 10.3.2.6).
#include "base/strings.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

void PrimIndexer::ElideBelow(NodeId node) {
  graph_.SetCulled(node, true);
  graph_[node].restricted_depth = 1;  // ancestral variants of the site do not count either
  for (const NodeId child : graph_.Children(node)) ElideBelow(child);
}

// The opinions of a relocated prim come from its source. 10.3.2.6: ancestral opinions at the target
// are removed, except those of variants. The relocates are taken one step at a time (incremental):
// nested ones lead through intermediate sites, whose opinions count too.
void PrimIndexer::EvaluateRelocations(NodeId node) {
  if (!graph_[node].contributes()) return;
  const LayerStack* stack = graph_[node].stack;
  const auto it = stack->incremental_target_to_source().find(graph_[node].path);
  if (it == stack->incremental_target_to_source().end()) return;
  for (const NodeId child : graph_.Children(node)) {
    if (graph_[child].arc != ArcType::kVariant) ElideBelow(child);
  }
  ArcOptions options;
  // Opinions at the source itself are errors; those that arcs of the source's ancestors bring
  // there are what was relocated.
  options.contributes = false;
  options.ancestral = true;
  // 10.3.2.6.1 puts the mapping into the arcs that bring in the relocated prims (see MapOfArc).
  // Here it would be applied twice.
  const NodeId source = AddArc(ArcType::kRelocate, node, node, {stack, it->second},
                               MapFunction::Identity(), 0, options);
  if (source == kNoNode) return;
  for (const StackSpec& s : graph_[source].specs) {
    AddError(CompositionErrorType::kOpinionAtRelocationSource,
             Concat(stack->layers()[s.layer].layer->identifier(), ": opinions at <",
                    it->second.ToString(), "> are ignored because the prim was relocated to <",
                    it->first.ToString(), ">; move them there"));
  }
}

void PrimIndexer::EvaluateImpliedRelocation(NodeId node) {
  const GraphNode& n = graph_[node];
  if (n.arc != ArcType::kRelocate || n.due_to_ancestor || n.parent == kNoNode) return;
  const NodeId grandparent = graph_[n.parent].parent;
  if (grandparent == kNoNode) return;
  const Path source = graph_[n.parent].to_parent.MapSourceToTarget(n.path.StripVariantSelections());
  // A sub-root reference to the relocated prim need not map its source; then nothing is implied.
  if (source.empty()) return;
  for (const NodeId child : graph_.Children(grandparent)) {
    if (graph_[child].arc == ArcType::kRelocate && graph_[child].path == source) return;
  }
  ArcOptions options;
  options.contributes = false;
  AddArc(ArcType::kRelocate, grandparent, node, {graph_[grandparent].stack, source},
         MapFunction::Identity(), 0, options);
}

}  // namespace stagedoor

// PrimIndexer: variant sets (Core Specification, 10.3.2.5).
#include <algorithm>

#include "base/strings.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/variable_expression.h"

namespace stagedoor {
namespace {

// The cost of mapping a path to a node, in visits of a node.
constexpr size_t kScansPerSelection = 16;

}  // namespace

bool PrimIndexer::CanContributeAt(NodeId node, Path path) const {
  const size_t restricted = graph_[node].restricted_depth;
  return restricted == 0 || restricted > path.depth();
}

StackSpecs PrimIndexer::SpecsAt(NodeId node, Path path) const {
  const GraphNode& n = graph_[node];
  return path == n.path ? n.specs : FindSpecs(*n.stack, path);
}

void PrimIndexer::EvaluateVariantSets(NodeId node, Path path, bool ancestral) {
  size_t items = 0;
  const std::vector<std::string> sets =
      ComposeSiteVariantSets(*graph_[node].stack, SpecsAt(node, path), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  const Task type = ancestral ? kAncestralVariantAuthored : kVariantAuthored;
  // One task a set: the selection of one variant may be what selects those of others.
  for (size_t i = 0; i < sets.size(); ++i) {
    AddTask({type, node, path, sets[i], static_cast<int>(i)});
  }
}

void PrimIndexer::EvaluateAncestralVariantSets(NodeId node) {
  for (Path path = graph_[node].path.Parent(); !path.empty() && !path.IsAbsoluteRoot();
       path = path.Parent()) {
    if (!CanContributeAt(node, path)) continue;
    EvaluateVariantSets(node, path, true);
    if (path.IsVariantSelection()) break;  // the sets above it led to this variant
  }
}

void PrimIndexer::EvaluateAuthoredVariant(const TaskItem& item) {
  if (!CanContributeAt(item.node, item.variant_path)) return;
  const bool ancestral = item.type == kAncestralVariantAuthored;
  const std::string variant =
      FindSelection(item.node, item.variant_path.StripVariantSelections(), item.variant_set);
  if (!variant.empty()) return AddVariant(item, variant, ancestral);
  // Fallbacks are weaker than any selection, so they are tried only when no authored one is left
  // to find.
  TaskItem fallback = item;
  fallback.type = ancestral ? kAncestralVariantFallback : kVariantFallback;
  AddTask(std::move(fallback));
}

void PrimIndexer::EvaluateFallbackVariant(const TaskItem& item) {
  if (!CanContributeAt(item.node, item.variant_path)) return;
  const bool ancestral = item.type == kAncestralVariantFallback;
  if (const std::vector<std::string>* fallbacks = env_.VariantFallbacks(item.variant_set)) {
    const LayerStack& stack = *graph_[item.node].stack;
    const StackSpecs specs = SpecsAt(item.node, item.variant_path);
    for (const std::string& fallback : *fallbacks) {
      if (!budget_.SpendOnScan(kItemsPerListItem + specs.size())) return;
      const std::optional<Token> variant = Token::Find(fallback);
      if (fallback.empty() || !variant) continue;
      if (FindVariantSpecs(stack, specs, Token(item.variant_set), *variant).empty()) continue;
      return AddVariant(item, fallback, ancestral);
    }
  }
  // The task stays in the heap, in case a variant added later brings a selection; see
  // RetryVariants.
  TaskItem none = item;
  none.type = ancestral ? kAncestralVariantNone : kVariantNone;
  AddTask(std::move(none));
}

// The nested index below a class arc skips duplicates; a variant added to it later must do so too.
bool PrimIndexer::SelectsInClassSubtree(NodeId node) const {
  for (NodeId n = node; graph_[n].parent != kNoNode; n = graph_[n].parent) {
    if (IsClassBasedArc(graph_[n].arc) && graph_.DepthBelowIntroduction(n) == 0 &&
        !graph_[n].inert && !graph_[n].culled) {
      return true;
    }
  }
  return false;
}

void PrimIndexer::AddVariant(const TaskItem& item, const std::string& variant, bool ancestral) {
  const Site at = graph_[item.node].site();
  const Path selected =
      item.variant_path.AppendVariantSelection(Token(item.variant_set), Token(variant));
  ArcOptions options;
  Path path = selected;
  if (ancestral) {
    // The opinions of an ancestor's variant about this prim, with the arcs that the ancestors have
    // there.
    path = at.path.ReplacePrefix(item.variant_path, selected);
    options.ancestral = true;
    options.depth = NamespaceDepth(item.variant_path);
    options.skip_duplicates = SelectsInClassSubtree(item.node);
  }
  const NodeId node = AddArc(ArcType::kVariant, item.node, item.node, {at.stack, path},
                             MapFunction::Identity(), item.variant_number, options);
  if (node == kNoNode) return;
  // Selections may be authored in the variant or in anything that its arcs bring in.
  constexpr uint32_t kSelecting =
      kHasVariantSelection | kHasReferences | kHasInherits | kHasSpecializes | kHasPayloads;
  if (ScanArcs(*at.stack, SpecsAt(node, selected)) & kSelecting) RetryVariants();
}

std::string PrimIndexer::FindSelection(NodeId node, Path path, const std::string& set) {
  // The search starts as near to the root as the prim has a path, since stronger sites select
  // first.
  NodeId start = 0;
  Path start_path = graph_[node].to_root.MapSourceToTarget(path);
  if (start_path.empty()) {
    start = node;
    start_path = path;
    while (graph_[start].parent != kNoNode) {
      const Path up = graph_[start].to_parent.MapSourceToTarget(start_path);
      if (up.empty()) break;
      start_path = up;
      start = graph_[start].parent;
    }
  }
  // The prim is an ancestor of the shared root. The stage may select a variant for it that the
  // tree does not know.
  if (start == 0 && !start_path.HasPrefix(request_.tree_root) && !request_.tree_root.empty()) {
    out_.asked_above_tree = true;
  }
  std::string variant;
  budget_.SpendOnScan(kScansPerSelection * graph_.size());
  // 10.3.2.5.1: a selection already made for the set must be used, even if a stronger one has been
  // found since.
  if (FindPriorSelection(start, start_path, Token(set), &variant)) return variant;
  FindAuthoredSelection(start, start_path, set, &variant);
  return variant;
}

// The prim must be the same: others may have a set of that name. Paths are mapped down arc by arc,
// because a path that leaves the domain of one arc cannot come back.
bool PrimIndexer::FindPriorSelection(NodeId node, Path path, Token set,
                                     std::string* variant) const {
  if (graph_[node].arc == ArcType::kVariant) {
    const Path introduced = graph_.PathAtIntroduction(node);
    Path prim = introduced;
    while (prim.IsVariantSelection()) prim = prim.Parent();
    if (introduced.IsVariantSelection() && introduced.name() == set && prim == path) {
      *variant = introduced.variant().str();
      return true;
    }
  }
  for (const NodeId child : graph_.Children(node)) {
    const Path below = graph_[child].to_parent.MapTargetToSource(path);
    if (!below.empty() && FindPriorSelection(child, below, set, variant)) return true;
  }
  return false;
}

bool PrimIndexer::FindAuthoredSelection(NodeId node, Path path, const std::string& set,
                                        std::string* variant) {
  if (CanContributeAt(node, path)) {
    Path site = path;
    if (graph_[node].arc == ArcType::kVariant) {
      const Path introduced = graph_.PathAtIntroduction(node);
      // `path` is in namespace; the opinions of a variant are in its storage.
      site = path.ReplacePrefix(introduced.StripVariantSelections(), introduced);
    }
    if (SelectionAt(node, site, set, variant)) return true;
  }
  for (const NodeId child : graph_.Children(node)) {
    const Path below = graph_[child].to_parent.MapTargetToSource(path);
    if (!below.empty() && FindAuthoredSelection(child, below, set, variant)) return true;
  }
  return false;
}

// An empty selection counts as one: it hides weaker ones and so selects no variant. A selection
// whose expression fails does not.
bool PrimIndexer::SelectionAt(NodeId node, Path path, const std::string& set,
                              std::string* variant) {
  const LayerStack& stack = *graph_[node].stack;
  for (const StackSpec& s : SpecsAt(node, path)) {
    const Layer& layer = *stack.layers()[s.layer].layer;
    const Value value = layer.Get(s.spec, Fields().variantSelection);
    const auto* selections = value.Get<VariantSelections>();
    if (!selections) continue;
    budget_.SpendOnScan(selections->size());
    const auto it = std::find_if(selections->begin(), selections->end(),
                                 [&](const auto& item) { return item.first == set; });
    if (it == selections->end()) continue;
    if (!IsVariableExpression(it->second)) {
      *variant = it->second;
      return true;
    }
    StringExpressionResult result =
        EvaluateStringVariableExpression(context_, it->second, stack.expression_variables());
    if (result.errors.empty()) {
      *variant = std::move(result.value);
      return true;
    }
    AddError(
        CompositionErrorType::kVariableExpressionError,
        Concat(layer.identifier(), " <", path.ToString(), ">: cannot evaluate variant selection ",
               it->second, ": ", Join(result.errors, "; ")));
  }
  return false;
}

}  // namespace stagedoor

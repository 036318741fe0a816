#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/composition/compose_site.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/index_budget.h"
#include "scene/composition/prim_index_graph.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// The inputs of prim indexing that the stage provides. Corresponds to PcpPrimIndexInputs.
// Thread-safe; outlives the indexer.
class PrimIndexInputs {
 public:
  virtual ~PrimIndexInputs() = default;

  // The identifier of an asset path authored in `layer`.
  virtual std::string Identify(RequestContext& context, const Layer& layer,
                               const std::string& asset_path) = 0;
  virtual bool IsMuted(const std::string& identifier) const = 0;
  // The stack of a referenced layer, kept alive by the environment. `variables` are the expression
  // variables of the referencing stack. Corresponds to PcpCache::ComputeLayerStack.
  virtual absl::StatusOr<const LayerStack*> OpenStack(
      RequestContext& context, const std::string& identifier,
      const std::shared_ptr<const Dictionary>& variables) = 0;
  // The variants of a set to try, in order, where none is selected; null if there are none.
  virtual const std::vector<std::string>* VariantFallbacks(const std::string& set) const = 0;
  // Whether the payloads of the prim at a stage path are included; null if all of them are.
  virtual const std::function<bool(Path)>& include_payload() const = 0;
  virtual const LayerStack& root_stack() const = 0;
};

// An arc that was added at this prim, rather than taken over from its namespace parent.
struct NewArc {
  ArcType type;
  Site target;
};

// The result of indexing. Corresponds to PcpPrimIndexOutputs.
struct PrimIndexOutputs {
  PrimIndexGraph graph;
  CompositionErrors errors;
  bool has_payloads = false;
  bool payload_included = false;
  // Whether a variant selection or load rule may matter that a shared tree does not know.
  bool asked_above_tree = false;
  std::vector<NewArc> new_arcs;  // in this graph and in the nested ones
};

// Joins the graph of a nested index to the node of the outer graph below which it will be inserted.
// Corresponds to PcpPrimIndex_StackFrame.
struct PrimIndexStackFrame {
  Site requested;                         // the target for which the nested index is built
  const PrimIndexGraph* graph = nullptr;  // the outer graph
  NodeId parent = kNoNode;                // the node of the outer graph that holds the arc
  const Arc* arc = nullptr;               // the arc to the nested index
  const PrimIndexStackFrame* previous = nullptr;
  bool skip_duplicates = false;  // holds for all arcs of the nested index
};

// The arguments of Pcp_BuildPrimIndex.
struct PrimIndexRequest {
  Site site;                         // the site to index
  Site root_site;                    // the site of the prim on the stage, for errors
  bool evaluate_specializes = true;  // whether specializes are propagated to the root
  bool evaluate_variants = true;
  bool root_contributes = true;  // whether the opinions of the site itself count
  const PrimIndexStackFrame* frame = nullptr;
  int nesting = 0;  // depth of nested indexes
  // The graph of the namespace parent, which is moved from; null if it has to be built.
  PrimIndexGraph* parent = nullptr;
  bool parent_is_instance = false;
  // Root of the shared tree that the index is composed for; empty if it is composed for the stage.
  Path tree_root;
  // The namespace ancestors of the root site that are instances. May be null, in which case each
  // nested index finds out for itself.
  const std::vector<Path>* instances = nullptr;
};

// Builds the graph of a prim. Incomplete once the request has ended; incomplete and with an error
// if the prim exceeds its IndexBudget. Corresponds to Pcp_BuildPrimIndex.
PrimIndexOutputs BuildPrimIndexGraph(PrimIndexInputs& environment, RequestContext& context,
                                     const PrimIndexRequest& request);

// Whether the prim is an instance: the strongest opinion about `instanceable` is true, and there is
// an arc that instances can share (11.3.3). Corresponds to Pcp_PrimIndexIsInstanceable.
bool IsInstance(const PrimIndexGraph& graph);
// Whether a node of an instance keeps its opinions about the prims below. Corresponds to
// Pcp_ChildNodeIsInstanceable.
bool IsInstanceableNode(const GraphNode& node);
// Marks the nodes that have no opinions about this prim and its descendants as culled. Corresponds
// to _CullSubtreesWithNoOpinions.
void CullGraph(PrimIndexGraph* graph, const LayerStack& root_stack);

// Builds the graph of one prim index, task by task. This is compose_helper of the Core
// Specification, 10.2.1 Outline, for the operators of 10.3.2 Composition Arcs.
//
// Corresponds to OpenUSD's Pcp_PrimIndexer and the functions around it in
// pxr/usd/pcp/primIndex.cpp; the methods below name theirs. As there:
//
// - Tasks are evaluated in an order in which each sees all opinions that it depends on: relocates,
//   references, payloads, classes, then variants. A task may add nodes whose tasks come first
//   again.
// - The graph starts as that of the namespace parent, moved down by the prim's name (ancestral
//   opinions).
// - A target that is not a root prim (a sub-root target) brings the arcs of its namespace
//   ancestors. Its index is built by a nested indexer, from the ancestors down; a
//   PrimIndexStackFrame joins the two graphs. Nested indexers leave variants and the propagation of
//   specializes to the outer one, which alone sees all opinions.
//
// Dynamic file formats (PcpDynamicFileFormatInterface) and permissions are not supported.
//
// Builds the graph of one site. Used once, on one thread.
class PrimIndexer {
 public:
  // All arguments outlive the indexer. `budget` is shared with the nested indexers.
  PrimIndexer(PrimIndexInputs& environment, RequestContext& context, IndexBudget& budget,
              const PrimIndexRequest& request, PrimIndexOutputs* output)
      : env_(environment),
        context_(context),
        budget_(budget),
        request_(request),
        out_(*output),
        graph_(output->graph) {}

  // Builds the graph into the output; the loop of Pcp_BuildPrimIndex.
  void Run();

 private:
  // The tasks, in the order of evaluation; Task::Type in OpenUSD, where they begin with "Eval".
  enum Task : uint32_t {
    kRelocations = 1 << 0,
    kImpliedRelocations = 1 << 1,
    kReferences = 1 << 2,
    kPayloads = 1 << 3,
    kInherits = 1 << 4,
    kSpecializes = 1 << 5,
    kImpliedSpecializes = 1 << 6,
    kImpliedClasses = 1 << 7,
    kAncestralVariantSets = 1 << 8,
    kAncestralVariantAuthored = 1 << 9,
    kAncestralVariantFallback = 1 << 10,
    kAncestralVariantNone = 1 << 11,
    kVariantSets = 1 << 12,
    kVariantAuthored = 1 << 13,
    kVariantFallback = 1 << 14,
    kVariantNone = 1 << 15,
    kUnresolvedTarget = 1 << 16,
  };
  static constexpr uint32_t kAllTasks = ~0u;
  // Tasks of a node that are not added again while one is waiting.
  static constexpr uint32_t kOncePerNode = kImpliedSpecializes | kImpliedClasses;
  // Tasks for arcs that are authored at a site. A nested index has them behind it when it is
  // inserted.
  static constexpr uint32_t kExpressedArcs =
      kRelocations | kReferences | kPayloads | kInherits | kSpecializes;

  struct TaskItem {
    Task type;
    NodeId node;
    // For variant tasks: the storage path of the prim that has the set, the set, and its number in
    // the list of sets.
    Path variant_path;
    std::string variant_set;
    int variant_number = 0;
    friend bool operator==(const TaskItem&, const TaskItem&) = default;
  };

  // The cost of composing a list item, in visits of a node.
  static constexpr size_t kItemsPerListItem = 32;

  // Corresponds to _ArcOptions.
  struct ArcOptions {
    bool contributes = true;  // the target's own opinions count (directNodeShouldContributeSpecs)
    bool ancestral = false;   // brings the arcs of the target's namespace ancestors too
    bool skip_duplicates = false;     // adds nothing if the site is in the graph already
    bool copy_ancestor_flag = false;  // due_to_ancestor and direct are those of the origin
    uint32_t tasks = kAllTasks;       // tasks to add for the new nodes
    int depth = -1;                   // namespace depth of introduction; -1 for that of the parent
  };

  // Start, tasks and errors.

  // Initializes the graph. False if there is nothing more to do.
  bool Start();
  // Runs a nested indexer.
  PrimIndexOutputs BuildInner(const PrimIndexRequest& request);
  // Initializes the graph with that of the namespace parent, moved down by the prim's name.
  // Corresponds to _BuildInitialPrimIndexFromAncestor and _ConvertNodeForChild.
  void StartFromParent(Path parent_path);
  // Removes all opinions if the prim is the source of a relocate; true if it is. Corresponds to
  // _ElidePrimIndexIfProhibited.
  bool ElideIfProhibited();
  // Charges the visits of nodes since the last call to the budget; false if it is used up.
  bool SpendScanned();
  // Adds a task to the heap. Corresponds to AddTask.
  void AddTask(TaskItem item);
  // The kOncePerNode tasks of a node that are in the heap.
  uint32_t& WaitingTasks(NodeId node);
  // Removes the task to evaluate next. Corresponds to PopTask.
  TaskItem PopTask();
  // Whether `a` is evaluated after `b`. Corresponds to Task::PriorityOrder.
  bool IsLower(const TaskItem& a, const TaskItem& b) const;
  // As IsLower, for tasks for implied classes at two nodes.
  bool IsLowerImplied(NodeId a, NodeId b) const;
  // Adds the tasks of the initial graph. Corresponds to AddTasksForRootNode.
  void AddRootTasks();
  // Adds those of `tasks` that a new node and its subtree need. Corresponds to AddTasksForNode.
  void AddNodeTasks(NodeId node, uint32_t tasks);
  // The part of AddNodeTasks that visits the subtree. Corresponds to _AddTasksForNodeRecursively.
  void AddTasksBelow(NodeId node, uint32_t tasks);
  // The tasks that have something to do at a node, judged by its specs. Corresponds to _ScanArcs.
  uint32_t PossibleTasks(NodeId node) const;
  // All tasks, without those for ancestral variant sets if no ancestor of the site has variant
  // sets. Corresponds to _ScanAncestralArcs.
  uint32_t PossibleAncestralTasks(NodeId node) const;
  // Performs a task; the switch of Pcp_BuildPrimIndex.
  void Evaluate(const TaskItem& item);
  // Lets all variant sets without an authored selection look for one again. Corresponds to
  // RetryVariantTasks.
  void RetryVariants();
  // Reports an error of the prim. Corresponds to RecordError.
  void AddError(CompositionErrorType type, std::string message,
                std::vector<std::string> places = {});
  void AddErrors(CompositionErrors errors);

  // Arcs (10.3.2).

  // Adds an arc from `parent` to `site`, with the tasks of the new nodes. kNoNode if the arc forms
  // a cycle, is a duplicate to skip, or finds the graph full. Corresponds to _AddArc.
  NodeId AddArc(ArcType type, NodeId parent, NodeId origin, const Site& site,
                const MapFunction& map, int sibling, const ArcOptions& options);
  // Inserts the single node of a site; the branch of _AddArc without includeAncestralOpinions.
  NodeId InsertSite(const Site& site, const Arc& arc, bool contributes);
  // Inserts the nested index of a site; the branch of _AddArc with includeAncestralOpinions.
  NodeId InsertIndex(const Site& site, const Arc& arc, const ArcOptions& options);
  // Sets due_to_ancestor and direct of a new node and its subtree.
  void MarkDependencies(NodeId node, NodeId origin, const ArcOptions& options);
  // Whether `site` is an ancestor or descendant of a site above, through all outer graphs.
  // Corresponds to _CheckForCycle.
  bool MakesCycle(NodeId parent, NodeId origin, ArcType type, const Site& site) const;
  // Whether this graph or an outer one has a contributing node for `site`; the search of _AddArc
  // for skipDuplicateNodes.
  bool IsDuplicate(NodeId parent, const Site& site) const;
  // The arc type that a node will have in the outermost graph; the root of a nested graph has the
  // frame's. Corresponds to PcpPrimIndex_StackFrameIterator::GetArcType.
  ArcType OuterArc(NodeId node) const;
  // The namespace mapping of an arc at `target` to `source`, with the relocates of `stack` composed
  // over it (10.3.2.6.1). Corresponds to _CreateMapExpressionForArc.
  MapFunction MapOfArc(Path source, Path target, const LayerStack& stack,
                       const LayerOffset& offset) const;

  // References and payloads (10.3.2.1, 10.3.2.2).

  // Adds the references authored at a node. Corresponds to _EvalNodeReferences.
  void EvaluateReferences(NodeId node);
  // Adds the payloads authored at a node, if they are included. Corresponds to _EvalNodePayloads.
  void EvaluatePayloads(NodeId node);
  // Whether load rules include the payloads of a node.
  bool IncludesPayload(NodeId node);
  // The stage path whose load rule governs the payloads of a node; empty if it has none.
  Path PayloadPath(NodeId node) const;
  // A function that evaluates and anchors the asset paths in `stack`; `what` is for errors.
  AnchorAsset Anchor(const LayerStack& stack, std::string_view what);
  // Add composed references or payloads; `number` is the index of an arc in their list. Correspond
  // to _EvalRefOrPayloadArcs.
  void AddAssetArcs(NodeId node, ArcType type, const std::vector<AssetArc>& arcs);
  void AddAssetArc(NodeId node, ArcType type, const AssetArc& arc, int number);
  // The layer stack of an external arc; null, with an error reported, if the arc is left out.
  const LayerStack* OpenTarget(NodeId node, const AssetArc& arc);
  // Reports a reference or payload whose target has no specs. Corresponds to
  // _EvalUnresolvedPrimPathError.
  void CheckTarget(NodeId node);

  // Relocates (10.3.2.6).

  // Adds the arc from a relocated prim to its source. Corresponds to _EvalNodeRelocations.
  void EvaluateRelocations(NodeId node);
  // Adds a placeholder for a relocate to the layer stack that brings it in, so that classes can be
  // implied past it. Corresponds to _EvalImpliedRelocations.
  void EvaluateImpliedRelocation(NodeId node);
  // Removes the opinions of a subtree. Corresponds to _ElideSubtree.
  void ElideBelow(NodeId node);

  // Inherits and specializes (10.3.2.3, 10.3.2.4, 10.4.1).

  // Adds the inherits or specializes authored at a node. Corresponds to _EvalNodeInherits and
  // _EvalNodeSpecializes.
  void EvaluateClasses(NodeId node, ArcType type);
  // Adds a class arc below `parent`, or returns the node that is there already. The opinions of the
  // class do not count if its site is `ignored`. Corresponds to _AddClassBasedArc.
  NodeId AddClassBasedArc(Path path, ArcType type, NodeId parent, NodeId origin,
                          const MapFunction& map, int number, const Site& ignored);
  // The child of `parent` that already represents a class arc. Corresponds to _FindMatchingChild.
  NodeId FindClassChild(NodeId parent, const Site& site, ArcType type, NodeId origin,
                        const MapFunction& map) const;
  // Adds an inert node where a specializes arc is, and its copy below the root. Returns the copy,
  // or the placeholder if nothing is copied yet.
  NodeId AddSpecializesPlaceholder(ArcType type, NodeId parent, NodeId origin, const Site& site,
                                   const MapFunction& map, int number);
  // The node from which a class hierarchy is implied. Corresponds to
  // _FindStartingNodeForImpliedClasses; the first form remembers its results.
  NodeId StartOfImpliedClasses(NodeId node);
  NodeId FindStartOfImpliedClasses(NodeId node) const;
  // The copy of a specializes node below the root, or kNoNode.
  NodeId PropagatedSpecializes(NodeId node) const;
  // Whether a node, or its copy below the root, has class arcs. Corresponds to _HasClassBasedChild.
  bool HasClassChild(NodeId node) const;
  // Implies the classes of a node in the layer stack of its parent. Corresponds to
  // _EvalImpliedClasses.
  void EvaluateImpliedClasses(NodeId node);
  // Adds the classes below `source` to `target`, recursively. `transfer` maps the namespace of
  // `source` to that of `target`; `start` at the top of the recursion. Corresponds to
  // _EvalImpliedClassTree.
  void ImplyClasses(NodeId target, NodeId source, const MapFunction& transfer, bool start);
  // The child of `target` that is implied by `origin`, or kNoNode.
  NodeId FindImplied(NodeId target, NodeId origin) const;
  // Copies a specializes node below the root, or returns the copy. Corresponds to
  // _PropagateNodeToRoot.
  NodeId PropagateToRoot(NodeId node);
  // Whether a node is implied below a relocate only so that it can be implied further. Corresponds
  // to _IsRelocatesPlaceholderImpliedArc.
  bool IsRelocatePlaceholder(NodeId node) const;
  // Copies all specializes nodes of a subtree below the root. Corresponds to
  // _EvalImpliedSpecializes.
  void PropagateSpecializesBelow(NodeId node);

  // Variants (10.3.2.5). `path` is a storage path: that of a node's site, or of an ancestor of it.

  // Adds a task for each variant set at `path` in the node's layer stack. Corresponds to
  // _EvalNodeVariantSets and _EvalVariantSetsAtSite.
  void EvaluateVariantSets(NodeId node, Path path, bool ancestral);
  // As EvaluateVariantSets, for all namespace ancestors of a sub-root target. Corresponds to
  // _EvalNodeAncestralVariantSets.
  void EvaluateAncestralVariantSets(NodeId node);
  // Adds the selected variant, or a task to try fallbacks. Corresponds to _EvalNodeAuthoredVariant.
  void EvaluateAuthoredVariant(const TaskItem& item);
  // Adds the first fallback that exists, or a task that waits for RetryVariants. Corresponds to
  // _EvalNodeFallbackVariant.
  void EvaluateFallbackVariant(const TaskItem& item);
  // Adds the arc to a variant. Corresponds to _AddVariantArc and _AddAncestralVariantArc.
  void AddVariant(const TaskItem& item, const std::string& variant, bool ancestral);
  // Whether a node is below a class arc that this prim introduced, where sites must not occur
  // twice.
  bool SelectsInClassSubtree(NodeId node) const;
  // Whether the opinions of a node count at `path`, which may be above its site. Corresponds to
  // _NodeCanContributeAncestralOpinions.
  bool CanContributeAt(NodeId node, Path path) const;
  // The specs at `path` in the node's layer stack.
  StackSpecs SpecsAt(NodeId node, Path path) const;
  // The selection for a variant set of a prim (10.3.2.5.1); empty if there is none. Here and in the
  // next two, `path` is the prim's namespace path at the node. Corresponds to
  // _ComposeVariantSelection.
  std::string FindSelection(NodeId node, Path path, const std::string& set);
  // Finds the selection that was already applied for the set, at or below a node. Corresponds to
  // _FindPriorVariantSelection.
  bool FindPriorSelection(NodeId node, Path path, Token set, std::string* variant) const;
  // Finds the strongest authored selection at or below a node. Corresponds to
  // _ComposeVariantSelectionAcrossNodes.
  bool FindAuthoredSelection(NodeId node, Path path, const std::string& set, std::string* variant);
  // Finds the selection authored at `path` in the node's layer stack. Corresponds to
  // _ComposeVariantSelectionForNode and PcpComposeSiteVariantSelection.
  bool SelectionAt(NodeId node, Path path, const std::string& set, std::string* variant);

  PrimIndexInputs& env_;
  RequestContext& context_;
  IndexBudget& budget_;
  const PrimIndexRequest& request_;
  PrimIndexOutputs& out_;
  PrimIndexGraph& graph_;
  std::vector<TaskItem> tasks_;         // a heap by IsLower
  std::vector<uint32_t> waiting_;       // WaitingTasks, by node
  std::vector<NodeId> implied_starts_;  // results of StartOfImpliedClasses, by node
  bool full_ = false;                   // a node did not fit into the graph
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_

// PrimIndexer: grows the graph of one prim index, task by task.
//
// Arcs are evaluated in an order in which each one knows all opinions it depends on: relocations
// before references before payloads before classes, variants last. Targets below root prims bring
// the arcs of their namespace ancestors along: their index is built recursively, from the
// ancestor's down (IndexFrame joins the levels), without variants and specializes, which are
// evaluated once the result is in the outer graph. Used once, on one thread.
#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/index_budget.h"
#include "scene/composition/prim_graph.h"
#include "scene/composition/site_fields.h"

namespace stagedoor {

// What indexing needs to know of the stage. Thread-safe; outlives the indexer.
class IndexEnvironment {
 public:
  virtual ~IndexEnvironment() = default;

  // The identifier of an asset path written in `layer`.
  virtual std::string Identify(RequestContext& context, const Layer& layer,
                               const std::string& asset_path) = 0;
  virtual bool IsMuted(const std::string& identifier) const = 0;
  // The stack of a referenced layer, kept alive by the environment.
  virtual absl::StatusOr<const LayerStack*> OpenStack(
      RequestContext& context, const std::string& identifier,
      const std::shared_ptr<const Dictionary>& variables) = 0;
  // Variants to try where none is selected; null when there are none.
  virtual const std::vector<std::string>* VariantFallbacks(const std::string& set) const = 0;
  // Null: all payloads are included.
  virtual const std::function<bool(Path)>& include_payload() const = 0;
  virtual const LayerStack& root_stack() const = 0;
};

// An arc that was found outside of what its prim's parent knew.
struct NewArc {
  Arc type;
  Site target;
};

struct IndexOutput {
  PrimGraph graph;
  CompositionErrors errors;
  bool has_payloads = false;
  bool payload_included = false;
  bool asked_for_payload = false;  // the result depends on include_payload
  bool asked_above_tree = false;   // a variant selection may come from above the shared tree
  std::vector<NewArc> new_arcs;    // in this graph and in those built for it
};

// Joins the graph of a recursively built index to the node that it will hang below.
struct IndexFrame {
  Site requested;  // of the recursive index
  const PrimGraph* graph = nullptr;
  NodeId parent = kNoNode;
  const ArcInfo* arc = nullptr;
  const IndexFrame* previous = nullptr;
  bool skip_duplicates = false;
};

struct IndexRequest {
  Site site;
  Site root_site;  // of the stage's prim
  bool evaluate_specializes = true;
  bool evaluate_variants = true;
  bool root_contributes = true;
  const IndexFrame* frame = nullptr;
  int nesting = 0;
  // The graph of the namespace parent, when it is known; else it is built.
  const PrimGraph* parent = nullptr;
  bool parent_is_instance = false;
  // Composed in a shared tree with this root, for whoever is below it; empty: for the stage.
  Path tree_root;
  // Paths above the root site that are instances.
  const std::vector<Path>* instances = nullptr;
};

// The graph of a stage prim. Incomplete when the context has ended; when the prim takes more work
// than an IndexBudget, with an error.
IndexOutput BuildIndexGraph(IndexEnvironment& environment, RequestContext& context,
                            const IndexRequest& request);

// Whether instancing can share something of the prim, and the prim asks for it.
bool IsInstance(const PrimGraph& graph);
// Whether a node of an instance may have opinions about the prims below.
bool IsInstanceableNode(const GraphNode& node);
// Marks nodes without specs in their subtrees, which say nothing about prims below.
void CullGraph(PrimGraph* graph, const LayerStack& root_stack);

class PrimIndexer {
 public:
  // `budget` is shared with the indexers of the indexes within this one.
  PrimIndexer(IndexEnvironment& environment, RequestContext& context, IndexBudget& budget,
              const IndexRequest& request, IndexOutput* output)
      : env_(environment),
        context_(context),
        budget_(budget),
        request_(request),
        out_(*output),
        graph_(output->graph) {}

  void Run();

 private:
  // In the order of their evaluation.
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
  // Not added again while they wait.
  static constexpr uint32_t kOncePerNode = kImpliedSpecializes | kImpliedClasses;
  static constexpr uint32_t kExpressedArcs =
      kRelocations | kReferences | kPayloads | kInherits | kSpecializes;

  struct TaskItem {
    Task type;
    NodeId node;
    Path variant_path;  // of the prim that has the variant set
    std::string variant_set;
    int variant_number = 0;
    friend bool operator==(const TaskItem&, const TaskItem&) = default;
  };

  // What composing an item of a list costs, in looks at nodes.
  static constexpr size_t kItemsPerListItem = 32;

  struct ArcOptions {
    bool contributes = true;  // the target itself
    bool ancestral = false;   // with the arcs of the target's namespace ancestors
    bool skip_duplicates = false;
    bool copy_ancestor_flag = false;
    uint32_t tasks = kAllTasks;
    int depth = -1;  // of introduction; -1: the parent's
  };

  // Starting, tasks.
  bool Start();
  IndexOutput BuildInner(const IndexRequest& request);
  void StartFromParent(Path parent_path);
  bool ElideIfProhibited();
  // Charges what the graphs were searched for since the last time; false when that was too much.
  bool SpendScanned();
  void AddTask(TaskItem item);
  uint32_t& WaitingTasks(NodeId node);
  TaskItem PopTask();
  bool IsLower(const TaskItem& a, const TaskItem& b) const;
  bool IsLowerImplied(NodeId a, NodeId b) const;
  void AddRootTasks();
  void AddNodeTasks(NodeId node, uint32_t tasks);
  void AddTasksBelow(NodeId node, uint32_t tasks);
  uint32_t PossibleTasks(NodeId node) const;
  uint32_t PossibleAncestralTasks(NodeId node) const;
  void Evaluate(const TaskItem& item);
  void RetryVariants();
  void AddError(CompositionErrorType type, std::string message);
  void AddErrors(CompositionErrors errors);

  // Arcs.
  NodeId AddArc(Arc type, NodeId parent, NodeId origin, const Site& site, const MapFunction& map,
                int sibling, const ArcOptions& options);
  NodeId InsertSite(const Site& site, const ArcInfo& arc, bool contributes);
  NodeId InsertIndex(const Site& site, const ArcInfo& arc, const ArcOptions& options);
  void MarkDependencies(NodeId node, NodeId origin, const ArcOptions& options);
  bool MakesCycle(NodeId parent, NodeId origin, Arc type, const Site& site) const;
  bool IsDuplicate(NodeId parent, const Site& site) const;
  // The arc type a node will have in the finished graph.
  Arc OuterArc(NodeId node) const;
  MapFunction MapOfArc(Path source, Path target, const LayerStack& stack,
                       const LayerOffset& offset) const;

  // References and payloads.
  void EvaluateReferences(NodeId node);
  void EvaluatePayloads(NodeId node);
  bool IncludesPayload(NodeId node);
  Path PayloadPath(NodeId node) const;
  AnchorAsset Anchor(const LayerStack& stack, std::string_view what);
  void AddAssetArcs(NodeId node, Arc type, const std::vector<AssetArc>& arcs);
  void AddAssetArc(NodeId node, Arc type, const AssetArc& arc, int number);
  const LayerStack* OpenTarget(NodeId node, const AssetArc& arc);
  void CheckTarget(NodeId node);

  // Relocations.
  void EvaluateRelocations(NodeId node);
  void EvaluateImpliedRelocation(NodeId node);
  void ElideBelow(NodeId node);

  // Inherits and specializes.
  void EvaluateClasses(NodeId node, Arc type);
  NodeId AddClassArc(Path path, Arc type, NodeId parent, NodeId origin, const MapFunction& map,
                     int number, const Site& ignored);
  NodeId FindClassChild(NodeId parent, const Site& site, Arc type, NodeId origin,
                        const MapFunction& map) const;
  NodeId AddSpecializesPlaceholder(Arc type, NodeId parent, NodeId origin, const Site& site,
                                   const MapFunction& map, int number);
  NodeId StartOfImpliedClasses(NodeId node);
  NodeId FindStartOfImpliedClasses(NodeId node) const;
  NodeId PropagatedSpecializes(NodeId node) const;
  bool HasClassChild(NodeId node) const;
  void EvaluateImpliedClasses(NodeId node);
  void ImplyClasses(NodeId target, NodeId source, const MapFunction& transfer, bool start);
  NodeId FindImplied(NodeId target, NodeId origin) const;
  NodeId PropagateToRoot(NodeId node);
  bool IsRelocatePlaceholder(NodeId node) const;
  void PropagateSpecializesBelow(NodeId node);

  // Variants.
  void EvaluateVariantSets(NodeId node, Path path, bool ancestral);
  void EvaluateAncestralVariantSets(NodeId node);
  void EvaluateAuthoredVariant(const TaskItem& item);
  void EvaluateFallbackVariant(const TaskItem& item);
  void AddVariant(const TaskItem& item, const std::string& variant, bool ancestral);
  bool SelectsInClassSubtree(NodeId node) const;
  bool CanContributeAt(NodeId node, Path path) const;
  StackSpecs SpecsAt(NodeId node, Path path) const;
  // Empty when nothing selects a variant.
  std::string FindSelection(NodeId node, Path path, const std::string& set);
  bool FindPriorSelection(NodeId node, Path path, Token set, std::string* variant) const;
  bool FindAuthoredSelection(NodeId node, Path path, const std::string& set, std::string* variant);
  bool SelectionAt(NodeId node, Path path, const std::string& set, std::string* variant);

  IndexEnvironment& env_;
  RequestContext& context_;
  IndexBudget& budget_;
  const IndexRequest& request_;
  IndexOutput& out_;
  PrimGraph& graph_;
  std::vector<TaskItem> tasks_;         // a heap
  std::vector<uint32_t> waiting_;       // of kOncePerNode, by node
  std::vector<NodeId> implied_starts_;  // StartOfImpliedClasses of nodes, where it is known
  bool full_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEXER_H_

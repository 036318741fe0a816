#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/shared_parts.h"

namespace stagedoor {

// Turns the finished graph of a prim into an immutable PrimIndex, and back into a graph for
// composing the children.
//
// Corresponds to what PcpComputePrimIndex does after Pcp_BuildPrimIndex: culling,
// PcpPrimIndex_Graph::Finalize, Pcp_RescanForSpecs, and the names of children and properties (Core
// Specification, 11.3.1 and 11.3.2).
//
// Used on one thread; the functions for finished indexes are thread-safe.
class PrimIndexBuilder {
 public:
  // `instances` are the namespace ancestors that are instances. `parent` is the index of the
  // namespace parent, whose set of layer stacks is shared if possible; null for the pseudo-root.
  // Incomplete once the request has ended.
  static std::shared_ptr<const PrimIndex> Finish(RequestContext& context, PrimIndexOutputs output,
                                                 std::vector<Path> instances,
                                                 const LayerStack& root_stack,
                                                 const PrimIndex* parent, SharedParts& shared);
  // The graph of a finished index, from which the indexes of its children start.
  static PrimIndexGraph GraphOf(const PrimIndex& index);
  static GraphNode NodeOf(const PrimIndexNode& node);
  // The nodes from `first` on, all of which are in its subtree, as an index with that root.
  static std::shared_ptr<const PrimIndex> Extract(const PrimIndex& index, size_t first);
  // The `instances` that the index was finished with.
  static std::vector<Path> Instances(const PrimIndex& index) {
    return index.rare_ ? index.rare_->instances : std::vector<Path>();
  }
  static const std::shared_ptr<const LayerStackSet>& Stacks(const PrimIndex& index) {
    return index.stacks_;
  }

 private:
  using NodeFlags = absl::InlinedVector<bool, 16>;  // by number in the graph

  PrimIndexBuilder(RequestContext& context, PrimIndexOutputs* output, SharedParts& shared)
      : pacer_(context),
        output_(*output),
        graph_(output->graph),
        shared_(shared),
        index_(std::make_shared<PrimIndex>(shared.memory())) {}

  // Which nodes the index keeps.
  NodeFlags KeptNodes() const;
  NodeFlags NodesWithinCulled() const;
  void AddNodes();
  // Adds the prim stack and the specs of inert nodes. Corresponds to Pcp_RescanForSpecs.
  void AddSites();
  // Keeps the layer stacks of the nodes alive.
  void KeepStacks(const PrimIndex* parent);
  // Corresponds to PcpPrimIndex::ComputePrimChildNames.
  std::vector<Token> ChildNames();
  // Applies the relocates of the node's layer stack to the names composed so far, and adds the
  // names that stronger nodes must not use.
  void ApplyRelocates(const GraphNode& node, class NameList* names,
                      std::unordered_set<Token>* prohibited);
  // Corresponds to PcpPrimIndex::ComputePrimPropertyNames.
  std::vector<Token> PropertyNames();
  // Corresponds to the constructor of PcpInstanceKey.
  void AddInstanceKey(RequestContext& context);

  Pacer pacer_;
  PrimIndexOutputs& output_;
  PrimIndexGraph& graph_;
  SharedParts& shared_;
  std::shared_ptr<PrimIndex> index_;
  PrimIndex::Rare rare_;
  PrimIndexParts parts_;
  NodeList order_;  // strongest first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

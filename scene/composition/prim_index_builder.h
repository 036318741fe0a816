// PrimIndexBuilder: turns a finished graph into an immutable index, and back for the prims below.
#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/shared_parts.h"

namespace stagedoor {

class PrimIndexBuilder {
 public:
  // `instances`: the prims above that are instances. `parent`: the index of the prim above, which
  // may keep the same layer stacks; null when there is none. Incomplete when the context has ended.
  static std::shared_ptr<const PrimIndex> Finish(RequestContext& context, IndexOutput output,
                                                 std::vector<Path> instances,
                                                 const LayerStack& root_stack,
                                                 const PrimIndex* parent, SharedParts& shared);
  // The graph that the indexes of the prims below start from.
  static PrimGraph GraphOf(const PrimIndex& index);
  static GraphNode NodeOf(const PrimIndexNode& node);
  // The part from node `first` on, all of which hangs below it, as an index of its own.
  static std::shared_ptr<const PrimIndex> Extract(const PrimIndex& index, size_t first);
  static std::vector<Path> Instances(const PrimIndex& index) {
    return index.rare_ ? index.rare_->instances : std::vector<Path>();
  }
  static const std::shared_ptr<const LayerStackSet>& Stacks(const PrimIndex& index) {
    return index.stacks_;
  }

 private:
  PrimIndexBuilder(RequestContext& context, IndexOutput* output, SharedParts& shared)
      : pacer_(context),
        output_(*output),
        graph_(output->graph),
        shared_(shared),
        index_(std::make_shared<PrimIndex>(shared.memory())) {}

  std::vector<bool> KeptNodes() const;
  void AddNodes();
  void AddSites();
  void KeepStacks(const PrimIndex* parent);
  void AddChildNames();
  void ApplyRelocates(const GraphNode& node, class NameList* names,
                      std::unordered_set<Token>* prohibited);
  void AddPropertyNames();
  void AddInstanceKey(RequestContext& context);

  Pacer pacer_;
  IndexOutput& output_;
  PrimGraph& graph_;
  SharedParts& shared_;
  std::shared_ptr<PrimIndex> index_;
  PrimIndex::Rare rare_;
  PrimIndexParts parts_;
  std::vector<NodeId> order_;  // strongest first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

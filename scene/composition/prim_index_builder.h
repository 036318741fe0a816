// PrimIndexBuilder: turns a finished graph into an immutable index, and back for the prims below.
#ifndef STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_
#define STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

#include <memory>
#include <string>
#include <vector>

#include "scene/composition/prim_index.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

class PrimIndexBuilder {
 public:
  // `instances`: the prims above that are instances.
  static std::shared_ptr<const PrimIndex> Finish(IndexOutput output, std::vector<Path> instances,
                                                 const LayerStack& root_stack);
  // The graph that the indexes of the prims below start from.
  static PrimGraph GraphOf(const PrimIndex& index);
  static GraphNode NodeOf(const PrimIndexNode& node);
  // The part from node `first` on, all of which hangs below it, as an index of its own.
  static std::shared_ptr<const PrimIndex> Extract(const PrimIndex& index, size_t first);
  static const std::vector<Path>& Instances(const PrimIndex& index) { return index.instances_; }

 private:
  explicit PrimIndexBuilder(IndexOutput* output)
      : output_(*output), graph_(output->graph), index_(std::make_shared<PrimIndex>()) {}

  std::vector<bool> KeptNodes() const;
  void AddNodes();
  void AddSpecs(NodeId id, PrimIndexNode* node);
  void AddSites();
  void AddChildNames();
  void ApplyRelocates(const GraphNode& node, class NameList* names,
                      std::vector<Token>* prohibited) const;
  void AddPropertyNames();
  void AddVariantSelections();
  void AddInstanceKey();

  IndexOutput& output_;
  PrimGraph& graph_;
  std::shared_ptr<PrimIndex> index_;
  std::vector<NodeId> order_;  // strongest first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_PRIM_INDEX_BUILDER_H_

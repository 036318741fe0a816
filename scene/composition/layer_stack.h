#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/reservation.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/map_function.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// In namespace order: the descendants of a path follow it. Corresponds to SdfRelocatesMap.
using RelocatesMap = std::map<Path, Path>;

// A root layer with its sublayers, strongest first; for a stage, the session layer and its
// sublayers come before it (Core Specification, 10.3.1 Sublayers).
//
// Corresponds to OpenUSD's PcpLayerStack. Built by LayerStackBuilder, immutable from then on, and
// thread-safe. Shared by all indexes that compose from it, each of which keeps it alive.
class LayerStack : public std::enable_shared_from_this<LayerStack> {
 public:
  // `memory`, which may be null, is charged with the memory of the stack, and outlives it.
  explicit LayerStack(MemoryPool* memory = nullptr) : charge_(memory) {}

  struct Entry {
    std::shared_ptr<const Layer> layer;
    // From layer time to the time of the stack: the offsets of all sublayers on the way (10.3.1.1
    // Sublayer Time Offsets) and the ratios of timeCodesPerSecond.
    LayerOffset offset;
    int parent = -1;  // index of the including layer; -1 for the root and session layers
    bool session = false;
    // The offset for values. Where a layer is included more than once, OpenUSD finds the offset by
    // layer, so every occurrence has that of the first.
    LayerOffset value_offset = offset;
  };

  // Whether this is the root layer stack of a stage, rather than that of an arc's target. Prim
  // indexes that a snapshot took over from earlier ones have the root layer stacks of those.
  bool is_stage_root() const { return is_stage_root_; }
  // Strongest first; the root layer is at root_index().
  const std::vector<Entry>& layers() const { return layers_; }
  size_t root_index() const { return root_index_; }
  const Layer& root_layer() const { return *layers_[root_index_].layer; }
  // The prim that the root layer's defaultPrim names (7.6.1.2.3); empty if there is none.
  Path default_prim() const { return default_prim_; }
  // The session layer's rate if it has one of its own, else the root layer's.
  double time_codes_per_second() const { return time_codes_per_second_; }

  // The variables for expressions in this stack, strongest first: those of the referencing stack,
  // the session layer and the root layer. Corresponds to PcpExpressionVariables. A stack that adds
  // no variables shares the object of the referencing stack, so that the address can be part of the
  // key by which LayerStackRegistry finds a stack.
  const Dictionary& expression_variables() const { return *expression_variables_; }
  const std::shared_ptr<const Dictionary>& shared_expression_variables() const {
    return expression_variables_;
  }

  // The relocates of the stack (10.3.2.6), from the path before any relocation to the final one,
  // with nested relocates combined. Corresponds to GetRelocatesSourceToTarget.
  const RelocatesMap& relocates_source_to_target() const { return source_to_target_; }
  // The relocates as authored, one step each; deleted prims have an empty target. Corresponds to
  // GetIncrementalRelocatesSourceToTarget.
  const RelocatesMap& incremental_source_to_target() const { return incremental_source_to_target_; }
  const RelocatesMap& incremental_target_to_source() const { return incremental_target_to_source_; }
  bool has_relocates() const { return !incremental_source_to_target_.empty(); }
  // The namespace mapping of the relocates at and below `path` (10.3.2.6.1); the null function if
  // the stack has no relocates. Corresponds to GetExpressionForRelocatesAtPath.
  MapFunction RelocatesAt(Path path) const;

  // Errors of sublayers and relocates.
  const CompositionErrors& errors() const { return errors_; }

  // The memory of the tables, the errors and variables of its own, without the layers.
  size_t byte_size() const;

 private:
  friend class LayerStackBuilder;
  bool is_stage_root_ = false;
  std::vector<Entry> layers_;
  size_t root_index_ = 0;
  Path default_prim_;
  double time_codes_per_second_ = 24;
  std::shared_ptr<const Dictionary> expression_variables_;
  bool shares_variables_ = false;  // with the referencing stack
  RelocatesMap source_to_target_;
  RelocatesMap incremental_source_to_target_;
  RelocatesMap incremental_target_to_source_;
  CompositionErrors errors_;
  Reservation charge_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

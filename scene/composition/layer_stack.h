// LayerStack: a root layer with its sublayers (and, for a stage, the session layer's above it),
// strongest first. Immutable; shared by all indexes that reference it.
#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_account.h"
#include "scene/composition/composition_error.h"
#include "scene/composition/map_function.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/values/dictionary.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

// In namespace order, so that what is below a path follows it.
using RelocatesMap = std::map<Path, Path>;

class LayerStack : public std::enable_shared_from_this<LayerStack> {
 public:
  // `memory`, which may be null, is charged with what the stack holds and outlives it.
  explicit LayerStack(MemoryAccount* memory = nullptr) : charge_(memory) {}

  struct Entry {
    std::shared_ptr<const Layer> layer;
    // Layer time to the stack's time: sublayer offsets, and the scaling between layers of different
    // timeCodesPerSecond.
    LayerOffset offset;
    int parent = -1;  // index of the including layer
    bool session = false;
    // The offset that values take: of a layer that is in the stack again, that of its first place.
    LayerOffset value_offset = offset;
  };

  // Strongest first; the root layer is at root_index().
  const std::vector<Entry>& layers() const { return layers_; }
  size_t root_index() const { return root_index_; }
  const Layer& root_layer() const { return *layers_[root_index_].layer; }
  // Of the root layer; empty when there is none.
  Path default_prim() const { return default_prim_; }
  // Of the session layer if it says so, else of the root layer.
  double time_codes_per_second() const { return time_codes_per_second_; }

  // The variables of expressions in this stack: those of the stacks that reference it over those of
  // the session layer over those of the root layer. Stacks that add nothing share the object of the
  // referencing one, which thus tells whether two references reach the same stack.
  const Dictionary& expression_variables() const { return *expression_variables_; }
  const std::shared_ptr<const Dictionary>& shared_expression_variables() const {
    return expression_variables_;
  }

  // Relocations of the stack: full source path to full target path and back, each chain followed.
  const RelocatesMap& relocates_source_to_target() const { return source_to_target_; }
  const RelocatesMap& relocates_target_to_source() const { return target_to_source_; }
  // The same one step at a time, as authored; deleted prims have an empty target.
  const RelocatesMap& incremental_source_to_target() const { return incremental_source_to_target_; }
  const RelocatesMap& incremental_target_to_source() const { return incremental_target_to_source_; }
  bool has_relocates() const { return !incremental_source_to_target_.empty(); }
  // What the relocations at and below `path` do to paths; null when there are none in the stack.
  MapFunction RelocatesAt(Path path) const;

  const CompositionErrors& errors() const { return errors_; }

  // What its tables, its errors and variables that no other stack has take; layers do not count.
  size_t byte_size() const;

 private:
  friend class LayerStackBuilder;
  std::vector<Entry> layers_;
  size_t root_index_ = 0;
  Path default_prim_;
  double time_codes_per_second_ = 24;
  std::shared_ptr<const Dictionary> expression_variables_;
  bool shares_variables_ = false;  // with the stack that references it
  RelocatesMap source_to_target_;
  RelocatesMap target_to_source_;
  RelocatesMap incremental_source_to_target_;
  RelocatesMap incremental_target_to_source_;
  CompositionErrors errors_;
  MemoryCharge charge_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

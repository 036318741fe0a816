// LayerStack: a root layer with its sublayers (and, for a stage, the session layer's above it), strongest
// first. Immutable; shared by all indexes that reference it.
#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scene/composition/composition_error.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/values/dictionary.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

class LayerStack {
 public:
  struct Entry {
    std::shared_ptr<const Layer> layer;
    // Layer time to the stack's time: sublayer offsets, and the scaling between layers of different
    // timeCodesPerSecond.
    LayerOffset offset;
    int parent = -1;  // index of the including layer
    bool session = false;
  };

  // Strongest first; the root layer is at root_index().
  const std::vector<Entry>& layers() const { return layers_; }
  size_t root_index() const { return root_index_; }
  const Layer& root_layer() const { return *layers_[root_index_].layer; }
  // Of the session layer if it says so, else of the root layer.
  double time_codes_per_second() const { return time_codes_per_second_; }
  const Dictionary& expression_variables() const { return expression_variables_; }

  // Relocations of the stack: full source path to full target path and back, each chain followed.
  const std::unordered_map<Path, Path>& relocates_source_to_target() const {
    return source_to_target_;
  }
  const std::unordered_map<Path, Path>& relocates_target_to_source() const {
    return target_to_source_;
  }
  bool has_relocates() const { return !source_to_target_.empty(); }

  const CompositionErrors& errors() const { return errors_; }

 private:
  friend class LayerStackBuilder;
  std::vector<Entry> layers_;
  size_t root_index_ = 0;
  double time_codes_per_second_ = 24;
  Dictionary expression_variables_;
  std::unordered_map<Path, Path> source_to_target_;
  std::unordered_map<Path, Path> target_to_source_;
  CompositionErrors errors_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_H_

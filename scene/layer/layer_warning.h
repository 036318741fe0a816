#ifndef STAGEDOOR_SCENE_LAYER_LAYER_WARNING_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_WARNING_H_

#include <cstddef>
#include <string>
#include <vector>

namespace stagedoor {

// Problems in a layer that did not prevent a reader from reading it.
struct LayerWarning {
  size_t line = 0;  // both start at 1; columns are in bytes
  size_t column = 0;
  std::string path;  // of the spec that has the field; text, as the warnings may outlive the layer
  std::string message;
};

struct LayerWarnings {
  // In the order of the text, at most kMaxListed.
  std::vector<LayerWarning> listed;
  // The number of further warnings.
  size_t left_out = 0;

  static constexpr size_t kMaxListed = 100;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_WARNING_H_

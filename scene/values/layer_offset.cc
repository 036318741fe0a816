#include "scene/values/layer_offset.h"

#include <cmath>

namespace stagedoor {

bool LayerOffset::IsValid() const {
  return std::isfinite(offset) && std::isfinite(scale) && scale > 0;
}

}  // namespace stagedoor

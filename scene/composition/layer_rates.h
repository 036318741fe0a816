// How the rates of two layers, timeCodesPerSecond, scale the times that pass between them.
#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_

#include <cmath>

#include "scene/values/scalar_types.h"

namespace stagedoor {

// `offset`, from time in the inner layer to time in the outer one, with the layers' rates taken
// into account. Rates may be negative: times then run backwards. Rates without a finite ratio that
// is not zero (one of them is zero, infinite or nan, or they are too far apart) are as if there
// were none; OpenUSD then goes on for ever or gives no values.
inline LayerOffset Rescaled(LayerOffset offset, double outer_rate, double inner_rate) {
  if (outer_rate == inner_rate) return offset;
  const double scale = offset.scale * outer_rate / inner_rate;  // multiplied first, as in OpenUSD
  if (std::isfinite(scale) && scale != 0 && std::isfinite(1 / scale)) offset.scale = scale;
  return offset;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_

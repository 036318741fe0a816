#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_

#include <cmath>

#include "scene/values/layer_offset.h"

namespace stagedoor {

// Scales times between layers of different timeCodesPerSecond (Core Specification, 7.6.1.4.1). That
// references and sublayers apply the ratio of the rates is OpenUSD's rule.

// `offset`, from the time of the inner layer to that of the outer one, with the ratio of the
// layers' rates (timeCodesPerSecond) applied to its scale. Negative rates are allowed; times then
// run backwards. Rates whose ratio is zero or not finite are ignored, where OpenUSD loops forever
// or yields no values.
inline LayerOffset Rescaled(LayerOffset offset, double outer_rate, double inner_rate) {
  if (outer_rate == inner_rate) return offset;
  const double scale = offset.scale * outer_rate / inner_rate;  // in OpenUSD's order of rounding
  if (std::isfinite(scale) && scale != 0 && std::isfinite(1 / scale)) offset.scale = scale;
  return offset;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_RATES_H_

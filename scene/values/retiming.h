#ifndef STAGEDOOR_SCENE_VALUES_RETIMING_H_
#define STAGEDOOR_SCENE_VALUES_RETIMING_H_

#include "scene/values/layer_offset.h"
#include "scene/values/value.h"

namespace stagedoor {

// Retiming of values that are times, as layer offsets do (Core Specification, section 12.3.2.1
// Layer Offset and Scale). Corresponds to OpenUSD's Usd_ApplyLayerOffsetToValue. Pure functions.

// Maps all times in `value` by `offset`: timecodes are mapped and durations scaled, also in arrays,
// array edits and dictionaries at any depth, and in the values of time samples and splines; so are
// the times of samples and knots. Other values are returned unchanged.
Value Retime(const Value& value, const LayerOffset& offset);
// False if Retime cannot change a value of this kind, so that callers can skip it.
bool HoldsTimes(const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_RETIMING_H_

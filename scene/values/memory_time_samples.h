#ifndef STAGEDOOR_SCENE_VALUES_MEMORY_TIME_SAMPLES_H_
#define STAGEDOOR_SCENE_VALUES_MEMORY_TIME_SAMPLES_H_

#include <utility>
#include <vector>

#include "scene/values/ref_counted.h"
#include "scene/values/time_samples.h"
#include "scene/values/value.h"

namespace stagedoor {

// Creates samples that are held in memory. `samples` may be in any order; the last one at a given
// time wins, and NaN times are dropped.
RefPtr<const TimeSamples> MakeTimeSamples(std::vector<std::pair<double, Value>> samples);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_MEMORY_TIME_SAMPLES_H_

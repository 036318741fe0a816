#ifndef STAGEDOOR_SCENE_LOD_LOD_THRESHOLDS_H_
#define STAGEDOOR_SCENE_LOD_LOD_THRESHOLDS_H_

#include <cstdint>
#include <span>

namespace stagedoor {

// From a distance or a size on the screen to a level of detail. Pure functions.

// How the thresholds are ordered, and so how levels follow from a measure.
enum class LodOrder : uint8_t {
  kAscending,   // distances: a level ends where the distance reaches its threshold
  kDescending,  // sizes: a level ends where the size falls to its threshold
};

// The index of the level for a measure: 1 for what is beyond the first threshold, and so on. From a
// threshold to its blend threshold, if there is one, the index grows linearly between those of two
// levels; a blend threshold does not reach beyond the next threshold. Arrays that are not sorted
// are searched as OpenUSD does. Corresponds to ComputeLOD of UsdLodDistanceHeuristicQuery and
// UsdLodScreenSizeHeuristicQuery.
float LodLevel(double measure, std::span<const float> thresholds, std::span<const float> blends,
               LodOrder order);

// The measure that replaces `measure`, so that levels do not flicker: `previous`, or what is
// closest to it and no further than `hysteresis` from the measure.
double WithHysteresis(double measure, double previous, double hysteresis);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_LOD_THRESHOLDS_H_

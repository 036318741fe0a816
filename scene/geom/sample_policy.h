#ifndef STAGEDOOR_SCENE_GEOM_SAMPLE_POLICY_H_
#define STAGEDOOR_SCENE_GEOM_SAMPLE_POLICY_H_

#include <algorithm>
#include <cstddef>

namespace stagedoor {

// At which times something that moves is computed for a shutter interval around a frame. The API's
// SamplePolicy documents the rule.
struct SamplePolicy {
  // The most samples of one shutter that are found before they are thinned out.
  static constexpr size_t kMostSamples = 4096;

  // In time codes from the frame on; finite, and open <= close.
  double open = 0;
  double close = 0;
  // 0: the authored samples; otherwise the number of equal segments, less than kMostSamples.
  size_t segments = 0;
  // The most authored samples that are kept; from 2 to kMostSamples.
  size_t max_samples = 64;
  // Whether the samples outside of the shutter are replaced by samples at its ends.
  bool at_ends = false;

  double Begin(double frame) const { return frame + open; }
  double End(double frame) const { return frame + close; }
  // The time in the shutter that is closest to the frame.
  double Nearest(double frame) const { return std::clamp(frame, Begin(frame), End(frame)); }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_SAMPLE_POLICY_H_

#ifndef STAGEDOOR_SCENE_VALUES_TIME_CODE_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_TIME_CODE_VALUE_H_

namespace stagedoor {

// A value of type `timecode`, which layer offsets map like the times of samples. Corresponds to
// OpenUSD's SdfTimeCode.
struct TimeCodeValue {
  double value = 0;
  friend bool operator==(TimeCodeValue, TimeCodeValue) = default;
};

// A value of type `duration`, in time codes. Layer offsets scale it, but do not shift it.
struct Duration {
  double value = 0;
  friend bool operator==(Duration, Duration) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_TIME_CODE_VALUE_H_

#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_TIME_CODE_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_TIME_CODE_H_

#include <limits>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace stagedoor {

// The time of a value query. Corresponds to OpenUSD's UsdTimeCode.
//
// The default time (no time at all), a numeric time in time codes of the stage, or the limit just
// before one. The earliest time is the lowest finite number.
class TimeCode {
 public:
  // Default time.
  constexpr TimeCode() = default;
  static constexpr TimeCode Default() { return TimeCode(); }
  static constexpr TimeCode At(double time) { return TimeCode(Kind::kNumeric, time); }
  // The limit from below: held values are those of the earlier sample.
  static constexpr TimeCode PreTime(double time) { return TimeCode(Kind::kPre, time); }
  static constexpr TimeCode Earliest() { return At(std::numeric_limits<double>::lowest()); }

  // Parses "default", "earliest", "2.5" or "pre:2.5". INVALID_ARGUMENT for other texts and nan.
  static absl::StatusOr<TimeCode> Parse(std::string_view text);

  constexpr bool is_default() const { return kind_ == Kind::kDefault; }
  constexpr bool is_pre_time() const { return kind_ == Kind::kPre; }
  constexpr bool is_earliest() const {
    return kind_ == Kind::kNumeric && time_ == std::numeric_limits<double>::lowest();
  }
  constexpr double value() const { return time_; }
  std::string ToString() const;

  friend constexpr bool operator==(TimeCode, TimeCode) = default;

 private:
  enum class Kind : unsigned char { kDefault, kNumeric, kPre };
  constexpr TimeCode(Kind kind, double time) : time_(time), kind_(kind) {}

  double time_ = 0;
  Kind kind_ = Kind::kDefault;
};

// How values between samples are computed (12.5 Interpolation). Corresponds to
// UsdInterpolationType.
enum class Interpolation : unsigned char { kLinear, kHeld };

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_TIME_CODE_H_

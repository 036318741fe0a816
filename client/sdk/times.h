#ifndef STAGEDOOR_CLIENT_SDK_TIMES_H_
#define STAGEDOOR_CLIENT_SDK_TIMES_H_

#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stagedoor/v1/types.pb.h"

namespace stagedoor::sdk {

// The time of a value that has none, such as the default value.
constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

// A time to evaluate at. Corresponds to OpenUSD's UsdTimeCode.
class TimeCode {
 public:
  TimeCode(double time) { time_.set_numeric(time); }  // NOLINT: implicit by design
  // Default values only: no time samples, splines or value clips.
  static TimeCode Default();
  // The time of the earliest sample, or the default if there are no samples.
  static TimeCode Earliest();
  // The limit from the left at `time`.
  static TimeCode PreTime(double time);

  const v1::TimeCode& message() const { return time_; }

 private:
  TimeCode() = default;

  v1::TimeCode time_;
};

// The times of a batch, in order.
class Times {
 public:
  Times(double time) { selection_.add_frames(time); }  // NOLINT: implicit by design
  Times(const TimeCode& time) { *selection_.add_times() = time.message(); }  // NOLINT
  Times(std::initializer_list<double> times) : Times(std::span(times.begin(), times.size())) {}
  Times(std::span<const double> times) {  // NOLINT
    selection_.mutable_frames()->Add(times.begin(), times.end());
  }
  Times(const std::vector<double>& times) : Times(std::span<const double>(times)) {}      // NOLINT
  Times(std::span<const TimeCode> times);                                                 // NOLINT
  Times(const std::vector<TimeCode>& times) : Times(std::span<const TimeCode>(times)) {}  // NOLINT
  // "1:48", "1:48x0.5": both ends belong to the range. See TimeSelection.ranges.
  static Times Range(std::string range);

  const v1::TimeSelection& message() const { return selection_; }

 private:
  Times() = default;

  v1::TimeSelection selection_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_TIMES_H_

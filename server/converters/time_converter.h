#ifndef STAGEDOOR_SERVER_CONVERTERS_TIME_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_TIME_CONVERTER_H_

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/value_resolution/time_code.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

// INVALID_ARGUMENT (INVALID_TIME) if no kind of time is set, and for NaN.
absl::StatusOr<TimeCode> ParseTimeCode(const v1::TimeCode& time);

// All times of a selection, in its order. INVALID_ARGUMENT (INVALID_TIME) if one is malformed or
// there are none; RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for more than `max_times`, which is
// checked before a range is expanded. The memory for the times is reserved in the context.
absl::StatusOr<std::vector<TimeCode>> ParseTimes(RequestContext& context,
                                                 const v1::TimeSelection& selection,
                                                 size_t max_times);

// Appends the times of a frame range "1:100:0.5", or of several separated by commas. Errors: those
// of ParseTimes.
absl::Status AppendFrameRange(RequestContext& context, std::string_view text, size_t max_times,
                              std::vector<TimeCode>* times);

// An interval of times in time codes of the stage. Contains nothing if first > last.
struct TimeRange {
  double first = -std::numeric_limits<double>::infinity();
  double last = std::numeric_limits<double>::infinity();
  // Whether the ends are excluded.
  bool first_open = false;
  bool last_open = false;

  bool Contains(double time) const {
    return (first_open ? time > first : time >= first) && (last_open ? time < last : time <= last);
  }
};

// INVALID_ARGUMENT (INVALID_TIME) if an end is NaN. Ends that are not set are infinite.
absl::StatusOr<TimeRange> ParseInterval(const v1::TimeInterval& interval);

void FillTimeCode(TimeCode time, v1::TimeCode* out);

// The interpolation of a request, or `otherwise` if it is unspecified. Unknown numbers have been
// rejected by ValidateEnums.
Interpolation ParseInterpolation(v1::Interpolation interpolation, Interpolation otherwise);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_TIME_CONVERTER_H_

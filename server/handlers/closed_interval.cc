#include "server/handlers/closed_interval.h"

#include <cmath>
#include <limits>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {

absl::StatusOr<ClosedInterval> ParseClosedInterval(const v1::TimeInterval& interval) {
  if (std::isnan(interval.start()) || std::isnan(interval.end())) {
    return WithReason(InvalidArgumentError("an end of the interval is NaN"), v1::ERROR_REASON_INVALID_TIME);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  ClosedInterval closed{.first = interval.start(), .last = interval.end()};
  if (interval.start_open()) closed.first = std::nextafter(closed.first, infinity);
  if (interval.end_open()) closed.last = std::nextafter(closed.last, -infinity);
  return closed;
}

}  // namespace stagedoor::server

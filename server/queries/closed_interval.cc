#include "server/queries/closed_interval.h"

#include <cmath>
#include <limits>

#include "base/status_macros.h"
#include "server/converters/time_converter.h"

namespace stagedoor::server {

absl::StatusOr<ClosedInterval> ParseClosedInterval(const v1::TimeInterval& interval) {
  SD_ASSIGN_OR_RETURN(const TimeRange range, ParseInterval(interval));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ClosedInterval closed{.first = range.first, .last = range.last};
  if (range.first_open) closed.first = std::nextafter(closed.first, kInfinity);
  if (range.last_open) closed.last = std::nextafter(closed.last, -kInfinity);
  return closed;
}

}  // namespace stagedoor::server

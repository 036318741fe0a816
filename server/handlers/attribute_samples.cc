#include "server/handlers/attribute_samples.h"

#include <cmath>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {

// If there are time samples, a spline or value clips, a time has no value only if it is blocked.
bool EmptyIsBlocked(const AttributeSource& source) {
  return source.blocked() || source.kind() == ResolveInfoSource::kTimeSamples ||
         source.kind() == ResolveInfoSource::kSpline ||
         source.kind() == ResolveInfoSource::kValueClips;
}

Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const v1::TimeInterval* interval) {
  if (interval == nullptr) return source.SampleTimes(context);
  return source.SampleTimesIn(context, interval->start(), interval->end());
}

absl::StatusOr<SampleRange> FindSampleRange(const Array<double>& times,
                                            const v1::TimeInterval* interval) {
  if (interval == nullptr) return SampleRange{0, times.size()};
  if (std::isnan(interval->start()) || std::isnan(interval->end())) {
    return WithReason(InvalidArgumentError("an end of the interval is NaN"),
                      v1::ERROR_REASON_INVALID_TIME);
  }
  const auto contains = [&](double time) {
    return (interval->start_open() ? time > interval->start() : time >= interval->start()) &&
           (interval->end_open() ? time < interval->end() : time <= interval->end());
  };
  SampleRange range{0, times.size()};
  while (range.first < range.last && !contains(times[range.first])) ++range.first;
  while (range.first < range.last && !contains(times[range.last - 1])) --range.last;
  return range;
}

}  // namespace stagedoor::server

#include "server/queries/attribute_samples.h"

namespace stagedoor::server {
Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const TimeRange* interval) {
  if (interval == nullptr) return source.SampleTimes(context);
  return source.SampleTimesIn(context, interval->first, interval->last);
}

SampleRange FindSampleRange(const Array<double>& times, const TimeRange* interval) {
  SampleRange range{0, times.size()};
  if (interval == nullptr) return range;
  while (range.first < range.last && !interval->Contains(times[range.first])) ++range.first;
  while (range.first < range.last && !interval->Contains(times[range.last - 1])) --range.last;
  return range;
}

}  // namespace stagedoor::server

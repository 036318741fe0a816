#ifndef STAGEDOOR_SERVER_QUERIES_ATTRIBUTE_SAMPLES_H_
#define STAGEDOOR_SERVER_QUERIES_ATTRIBUTE_SAMPLES_H_

#include <cstddef>

#include "base/request_context.h"
#include "scene/stage/property.h"
#include "scene/values/array.h"
#include "server/converters/time_converter.h"

namespace stagedoor::server {

// The sample times of a source in `interval`, disregarding whether its ends are open. `interval`
// may be null, in which case all sample times are returned.
Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const TimeRange* interval);

// A range of indices into an array of times.
struct SampleRange {
  size_t first = 0;
  size_t last = 0;  // one past the last index
};
// Finds the part of `times` that is in `interval`, which may be null for all times. `times` are
// those of SampleTimesCovering: they ascend, or descend behind a negative timeCodesPerSecond, and
// only the first and the last may be outside the interval.
SampleRange FindSampleRange(const Array<double>& times, const TimeRange* interval);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_ATTRIBUTE_SAMPLES_H_

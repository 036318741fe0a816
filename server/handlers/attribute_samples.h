#ifndef STAGEDOOR_SERVER_HANDLERS_ATTRIBUTE_SAMPLES_H_
#define STAGEDOOR_SERVER_HANDLERS_ATTRIBUTE_SAMPLES_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/property.h"
#include "scene/values/array.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

// Whether a source that has no value at some time is blocked there, rather than without an opinion.
bool EmptyIsBlocked(const AttributeSource& source);

// The sample times of a source in `interval`, disregarding whether its ends are open. `interval`
// may be null, in which case all sample times are returned.
Array<double> SampleTimesCovering(RequestContext& context, const AttributeSource& source,
                                  const v1::TimeInterval* interval);

// A range of indices into an array of times.
struct SampleRange {
  size_t first = 0;
  size_t last = 0;  // one past the last index
};
// Finds the part of `times` that is in `interval`, which may be null for all times. `times` are
// those of SampleTimesCovering: they ascend, or descend behind a negative timeCodesPerSecond, and
// only the first and the last may be outside the interval. INVALID_ARGUMENT (INVALID_TIME) if an
// end is NaN.
absl::StatusOr<SampleRange> FindSampleRange(const Array<double>& times,
                                            const v1::TimeInterval* interval);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_ATTRIBUTE_SAMPLES_H_

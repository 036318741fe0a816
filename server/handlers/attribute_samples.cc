#include "server/handlers/attribute_samples.h"

namespace stagedoor::server {
namespace {

// Whether a source that has no value at some time is blocked there, rather than without an opinion:
// if there are time samples, a spline or value clips, a time has no value only if it is blocked.
bool EmptyIsBlocked(const AttributeSource& source) {
  return source.blocked() || source.kind() == ResolveInfoSource::kTimeSamples ||
         source.kind() == ResolveInfoSource::kSpline ||
         source.kind() == ResolveInfoSource::kValueClips;
}

}  // namespace

v1::ItemState StateOf(const Value& value, const AttributeSource& source) {
  if (value.is_block()) return v1::ITEM_STATE_BLOCKED;
  if (!value.empty()) return v1::ITEM_STATE_VALUE;
  return EmptyIsBlocked(source) ? v1::ITEM_STATE_BLOCKED : v1::ITEM_STATE_NONE;
}

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

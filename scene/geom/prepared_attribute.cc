#include "scene/geom/prepared_attribute.h"

#include <algorithm>
#include <iterator>

namespace stagedoor {

PreparedAttribute::PreparedAttribute(RequestContext& context, const Attribute& attribute)
    : attribute_(attribute) {
  if (!attribute.valid()) return;
  source_ = attribute.Compile(context);
  const ResolveInfoSource kind = source_.kind();
  authored_ = kind >= ResolveInfoSource::kDefault && !source_.blocked();
  // Clips and splines are taken to vary without opening or evaluating them.
  if (kind == ResolveInfoSource::kValueClips || kind == ResolveInfoSource::kSpline) {
    steady_ = false;
    return;
  }
  const size_t samples = source_.SampleCount(context);
  steady_ = samples <= 1;
  // A blocked default resolves to the fallback at numeric times, but to no value at default time.
  constant_ = samples == 0 && kind != ResolveInfoSource::kTimeSamples && !source_.blocked();
  if (constant_) value_ = attribute.Get(context, source_, TimeCode::At(0));
}

PreparedAttribute::PreparedAttribute(const Attribute& attribute, Value value)
    : attribute_(attribute), value_(std::move(value)), constant_(true), authored_(true) {}

Value PreparedAttribute::Get(RequestContext& context, TimeCode time) const {
  if (constant_) return value_;
  if (!valid()) return Value();
  return time.is_default() ? attribute_.Get(context, time) : attribute_.Get(context, source_, time);
}

Array<double> PreparedAttribute::SampleTimes(RequestContext& context) const {
  if (!valid() || constant_) return {};
  const Array<double> times = source_.SampleTimes(context);
  if (std::is_sorted(times.begin(), times.end())) return times;
  // A negative time scale on the way reverses the order of samples.
  return Array<double>::FromVector(
      {std::make_reverse_iterator(times.end()), std::make_reverse_iterator(times.begin())});
}

}  // namespace stagedoor

#ifndef STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_H_
#define STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "base/request_context.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/value.h"

namespace stagedoor {

// An attribute whose value sources are determined once, to be read at any number of times.
// Corresponds to OpenUSD's UsdAttributeQuery.
//
// Immutable and thread-safe; valid as long as the stage snapshot.
class AttributeQuery {
 public:
  AttributeQuery() = default;  // has no value at any time
  // `attribute` may be invalid. Walks its opinions once, or a second time if default time has
  // another source than numeric times.
  AttributeQuery(RequestContext& context, const Attribute& attribute);
  // For an attribute that is known to have the authored value `value` at all times.
  AttributeQuery(const Attribute& attribute, Value value);

  bool valid() const { return attribute_.valid(); }
  const Attribute& attribute() const { return attribute_; }
  // As Attribute::TypeName.
  Token type_name() const { return type_name_; }

  // The source of the values at numeric times, and at `time`.
  const AttributeSource& numeric() const { return numeric_; }
  const AttributeSource& SourceFor(TimeCode time) const {
    return default_ && time.is_default() ? *default_ : numeric_;
  }
  // True if time samples, a spline, clips or a default supply the value:
  // UsdAttribute::HasAuthoredValue.
  bool HasAuthoredValue() const { return numeric_.HasAuthoredValue(); }
  // True if there is at most one sample, so that the value is the same at all numeric times. Clips
  // and splines are taken to vary without opening or evaluating them.
  bool is_steady() const { return steady_; }

  // As Attribute::Get.
  Value Get(RequestContext& context, TimeCode time) const {
    return valid() ? attribute_.Get(context, SourceFor(time), time) : Value();
  }
  template <typename T>
  std::optional<T> GetAs(RequestContext& context, TimeCode time) const {
    const Value value = Get(context, time);
    const T* held = value.Get<T>();
    return held ? std::optional<T>(*held) : std::nullopt;
  }
  // The value at a time, with an interpolation other than the stage's.
  Value Get(RequestContext& context, TimeCode time, Interpolation interpolation) const {
    return valid() ? attribute_.Get(context, SourceFor(time), time, interpolation) : Value();
  }
  // The value of one of numeric()'s samples.
  Value Get(RequestContext& context, const AttributeSample& sample,
            Interpolation interpolation) const {
    return valid() ? attribute_.Get(context, numeric_, sample, interpolation) : Value();
  }
  // In stage time, ascending, even behind a negative rate.
  Array<double> SampleTimes(RequestContext& context) const;

  size_t byte_size() const;

 private:
  Attribute attribute_;
  Token type_name_;
  AttributeSource numeric_;
  std::shared_ptr<const AttributeSource> default_;  // null if it is the same as numeric_
  bool steady_ = true;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_H_

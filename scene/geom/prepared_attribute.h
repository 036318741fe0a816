// PreparedAttribute: an attribute whose value source is compiled once and evaluated at many times.
// Corresponds to OpenUSD's UsdAttributeQuery.
//
// Immutable and thread-safe; valid as long as the stage snapshot.
#ifndef STAGEDOOR_SCENE_GEOM_PREPARED_ATTRIBUTE_H_
#define STAGEDOOR_SCENE_GEOM_PREPARED_ATTRIBUTE_H_

#include <optional>
#include <utility>

#include "base/request_context.h"
#include "scene/stage/property.h"

namespace stagedoor {

class PreparedAttribute {
 public:
  PreparedAttribute() = default;  // has no value at any time
  // `attribute` may be invalid.
  PreparedAttribute(RequestContext& context, const Attribute& attribute);
  // For an attribute that is known to have the authored value `value` at all times.
  PreparedAttribute(const Attribute& attribute, Value value);

  bool valid() const { return attribute_.valid(); }
  const Attribute& attribute() const { return attribute_; }
  // True if time samples, a spline, clips or a default supply the value:
  // UsdAttribute::HasAuthoredValue.
  bool has_authored_value() const { return authored_; }
  // True if the value is the same at all numeric times.
  bool is_steady() const { return steady_; }
  // As Attribute::Get.
  Value Get(RequestContext& context, TimeCode time) const;
  template <typename T>
  std::optional<T> GetAs(RequestContext& context, TimeCode time) const {
    const Value value = Get(context, time);
    const T* held = value.Get<T>();
    return held ? std::optional<T>(*held) : std::nullopt;
  }
  // In stage time, ascending.
  Array<double> SampleTimes(RequestContext& context) const;

 private:
  Attribute attribute_;
  AttributeSource source_;  // for numeric times; unused if constant_
  Value value_;
  bool constant_ = false;  // the value is value_ at all times, including default time
  bool steady_ = true;
  bool authored_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_PREPARED_ATTRIBUTE_H_

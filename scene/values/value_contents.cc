// The members of Value that need the definitions of the composite types. They are not in value.cc,
// because these types hold values themselves.
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value.h"
#include "scene/values/value_block.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

template <typename T>
bool SameArray(const Value& a, const Value& b) {
  return *a.Get<Array<T>>() == *b.Get<Array<T>>();
}

template <typename T>
bool SameHeld(const Value& a, const Value& b) {
  return *a.Get<T>() == *b.Get<T>();
}

}  // namespace

Value Value::FromSamples(RefPtr<const TimeSamples> samples) {
  Value value;
  value.type_ = ValueType::kTimeSamples;
  value.storage_ = Storage::kShared;
  value.ref_ = samples.release();
  return value;
}

const TimeSamples* Value::samples() const {
  return type_ == ValueType::kTimeSamples ? static_cast<const TimeSamples*>(ref_) : nullptr;
}

bool operator==(const Value& a, const Value& b) {
  if (a.type_ != b.type_ || a.is_array() != b.is_array()) return false;
  if (a.is_array()) {
    switch (a.type_) {
#define X(name, type, text) \
  case ValueType::name:     \
    return SameArray<type>(a, b);
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
      default:
        return false;
    }
  }
  switch (a.type_) {
    case ValueType::kEmpty:
      return true;
    case ValueType::kInvalid:
      return a.invalid_reason() == b.invalid_reason();
    case ValueType::kTimeSamples:
      return *a.samples() == *b.samples();
#define X(name, type, text) \
  case ValueType::name:     \
    return SameHeld<type>(a, b);
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type)   \
  case ValueType::name: \
    return SameHeld<type>(a, b);
      STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
  }
  return false;
}

}  // namespace stagedoor

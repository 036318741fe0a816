#include "scene/values/value.h"

#include <cmath>

#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

struct InvalidReason : RefCounted {
  explicit InvalidReason(std::string t) : text(std::move(t)) {}
  std::string text;
};

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

Value Value::Invalid(std::string reason) {
  const RefCounted* const held = new InvalidReason(std::move(reason));
  Value value;
  value.type_ = ValueType::kInvalid;
  value.storage_ = Storage::kShared;
  value.ref_ = held;
  return value;
}

std::string_view Value::invalid_reason() const {
  return is_invalid() ? static_cast<const InvalidReason*>(ref_)->text : std::string_view();
}

const TimeSamples* Value::samples() const {
  return type_ == ValueType::kTimeSamples ? static_cast<const TimeSamples*>(ref_) : nullptr;
}

void Value::CopyFrom(const Value& other) {
  switch (other.storage_) {
    case Storage::kInline:
      std::copy(other.buffer_, other.buffer_ + kInlineBytes, buffer_);
      break;
    case Storage::kArray:
      new (buffer_) ArrayBase(*other.array());
      break;
    case Storage::kShared:
      ref_ = other.ref_;
      ref_->Ref();
      break;
  }
  type_ = other.type_;
  storage_ = other.storage_;
}

void Value::MoveFrom(Value& other) noexcept {
  // Arrays and boxes are represented by plain pointers, so moving the bytes moves the reference.
  std::copy(other.buffer_, other.buffer_ + kInlineBytes, buffer_);
  type_ = std::exchange(other.type_, ValueType::kEmpty);
  storage_ = std::exchange(other.storage_, Storage::kInline);
}

void Value::DestroyShared() {
  if (storage_ == Storage::kArray) {
    const_cast<ArrayBase*>(array())->~ArrayBase();
  } else {
    ref_->Unref();
  }
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

std::string_view ValueTypeKeyword(ValueType type) {
  switch (type) {
    case ValueType::kEmpty:
      return "no value";
    case ValueType::kInvalid:
      return "invalid";
    case ValueType::kTimeSamples:
      return "timeSamples";
#define X(name, type, text) \
  case ValueType::name:     \
    return text;
      STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type)   \
  case ValueType::name: \
    return std::string_view(#name).substr(1);  // without the leading 'k'
      STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
  }
  return "";
}

bool LayerOffset::IsValid() const {
  return std::isfinite(offset) && std::isfinite(scale) && scale > 0;
}

}  // namespace stagedoor

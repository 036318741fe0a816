#include "scene/values/value.h"

#include <algorithm>

namespace stagedoor {
namespace {

struct InvalidReason : RefCounted {
  explicit InvalidReason(std::string t) : text(std::move(t)) {}
  std::string text;
};

}  // namespace

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

}  // namespace stagedoor

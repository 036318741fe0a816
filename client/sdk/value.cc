#include "client/sdk/value.h"

#include <limits>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/cc/packed_numbers.h"
#include "client/sdk/error.h"
#include "client/sdk/packed_elements.h"

namespace stagedoor::sdk {
namespace {

// Whether bytes of type `have` can be read as `want`.
bool SameNumbers(v1::ComponentType want, v1::ComponentType have) {
  if (want == have) return true;
  if (want == v1::COMPONENT_TYPE_FLOAT64) {
    return have == v1::COMPONENT_TYPE_TIME_CODE || have == v1::COMPONENT_TYPE_DURATION;
  }
  return want == v1::COMPONENT_TYPE_UINT8 && have == v1::COMPONENT_TYPE_BOOL;
}

bool SameElements(const Value::Element& want, const Value::Element& have) {
  return SameNumbers(want.component, have.component) && want.rows == have.rows &&
         want.columns == have.columns;
}

bool IsAligned(const void* bytes, size_t alignment) {
  return reinterpret_cast<uintptr_t>(bytes) % alignment == 0;
}

// The state of a value that an item, a sample or a field may have.
Value::State StateOf(const v1::Value* message) {
  if (message == nullptr || message->kind_case() == v1::Value::KIND_NOT_SET) {
    return Value::State::kNone;
  }
  const bool blocked = message->has_block() || message->has_animation_block();
  return blocked ? Value::State::kBlocked : Value::State::kValue;
}

// The array or tuple in a message, which it keeps in memory; null if there is none, or if the bytes
// are not in the message.
std::shared_ptr<const v1::PackedValues> PackedIn(const std::shared_ptr<const v1::Value>& message) {
  if (message == nullptr) return nullptr;
  const v1::PackedValues* packed = nullptr;
  if (message->has_array_value()) packed = &message->array_value();
  if (message->has_tuple_value()) packed = &message->tuple_value();
  if (packed == nullptr || packed->unchanged()) return nullptr;
  return {message, packed};
}

}  // namespace

size_t ElementBytes(const v1::PackedValues& packed) {
  constexpr uint32_t kMaxSide = 16;  // no type of USD has more than 4
  if (packed.rows() > kMaxSide || packed.columns() > kMaxSide) return 0;
  return size_t{packed.rows()} * packed.columns() *
         ComponentBytes(packed.component_type()).value_or(0);
}

Value::Value(std::string type_name, std::shared_ptr<const v1::Value> message)
    : Value(std::move(type_name), message, PackedIn(message)) {}

Value::Value(std::string type_name, std::shared_ptr<const v1::Value> message,
             std::shared_ptr<const v1::PackedValues> array)
    : state_(StateOf(message.get())),
      type_name_(std::move(type_name)),
      message_(std::move(message)),
      array_(std::move(array)) {}

const v1::Value& Value::message() const {
  return message_ == nullptr ? v1::Value::default_instance() : *message_;
}

absl::Status Value::Missing() const {
  if (state_ == State::kBlocked) {
    return WithReason(NotFoundError("there is no value: a layer blocks it"), kValueBlocked, "");
  }
  return WithReason(NotFoundError("there is no value: nothing is authored"), kNoValue, "");
}

absl::Status Value::WrongType(std::string_view wanted) const {
  if (message().has_invalid_value()) return DataLossError(message().invalid_value());
  return WithReason(
      InvalidArgumentError("the value is of type ", Quoted(type_name_), ", not ", wanted),
      kWrongType, "");
}

absl::StatusOr<Value::Packed> Value::GetPacked() const {
  if (!has_value()) return Missing();
  const bool is_array = message_->has_array_value();
  if (!is_array && !message_->has_tuple_value()) return WrongType("an array or a tuple");
  if (array_ == nullptr) {
    return DataLossError("the daemon left out an array that the client does not have");
  }
  const std::string& data = array_->data();
  const size_t size = ElementBytes(*array_);
  const bool whole = size != 0 && data.size() % size == 0 && data.size() / size == array_->count();
  if (!whole || !IsAligned(data.data(), alignof(double))) {
    return DataLossError("the daemon's reply is inconsistent: an array has ", data.size(),
                         " bytes for ", array_->count(), " elements");
  }
  return Packed{
      {array_->component_type(), array_->rows(), array_->columns(), size}, is_array, data};
}

absl::StatusOr<Value::Bytes> Value::GetArrayBytes(const Element& element) const {
  if (has_value() && !message_->has_array_value()) return WrongType("an array of these elements");
  SD_ASSIGN_OR_RETURN(const Packed packed, GetPacked());
  if (!SameElements(element, packed.element)) return WrongType("an array of these elements");
  return Bytes{packed.bytes, array_};
}

absl::StatusOr<Value::Bytes> Value::GetTupleBytes(const Element& element) const {
  if (has_value() && !message_->has_tuple_value()) return WrongType("a tuple of this size");
  SD_ASSIGN_OR_RETURN(const Packed packed, GetPacked());
  if (!SameElements(element, packed.element) || packed.bytes.size() != element.bytes) {
    return WrongType("a tuple of this size");
  }
  return Bytes{packed.bytes, array_};
}

absl::StatusOr<double> Value::GetNumber() const {
  if (!has_value()) return Missing();
  switch (message_->kind_case()) {
    case v1::Value::kBoolValue:
      return message_->bool_value() ? 1.0 : 0.0;
    case v1::Value::kHalfValue:
      return message_->half_value();
    case v1::Value::kFloatValue:
      return message_->float_value();
    case v1::Value::kDoubleValue:
      return message_->double_value();
    case v1::Value::kTimeCodeValue:
      return message_->time_code_value();
    case v1::Value::kDurationValue:
      return message_->duration_value();
    case v1::Value::kUint64Value:
      return static_cast<double>(message_->uint64_value());
    default:
      break;
  }
  const absl::StatusOr<int64_t> integer = GetInteger();
  if (!integer.ok()) return WrongType("a number");
  return static_cast<double>(*integer);
}

absl::StatusOr<int64_t> Value::GetInteger() const {
  if (!has_value()) return Missing();
  switch (message_->kind_case()) {
    case v1::Value::kUcharValue:
      return message_->uchar_value();
    case v1::Value::kIntValue:
      return message_->int_value();
    case v1::Value::kUintValue:
      return message_->uint_value();
    case v1::Value::kInt64Value:
      return message_->int64_value();
    case v1::Value::kUint64Value:
      if (message_->uint64_value() <= std::numeric_limits<int64_t>::max()) {
        return static_cast<int64_t>(message_->uint64_value());
      }
      return WrongType("an integer of this size");
    default:
      return WrongType("an integer");
  }
}

absl::StatusOr<uint64_t> Value::GetUnsigned() const {
  if (!has_value()) return Missing();
  if (message_->has_uint64_value()) return message_->uint64_value();
  const absl::StatusOr<int64_t> integer = GetInteger();
  if (!integer.ok()) return integer.status();
  if (*integer < 0) return WrongType("an integer of this size");
  return static_cast<uint64_t>(*integer);
}

absl::StatusOr<bool> Value::GetBool() const {
  if (!has_value()) return Missing();
  if (!message_->has_bool_value()) return WrongType("a bool");
  return message_->bool_value();
}

absl::StatusOr<std::string> Value::GetText() const {
  if (!has_value()) return Missing();
  switch (message_->kind_case()) {
    case v1::Value::kStringValue:
      return message_->string_value();
    case v1::Value::kTokenValue:
      return message_->token_value();
    case v1::Value::kPathValue:
      return message_->path_value();
    case v1::Value::kPathExpressionValue:
      return message_->path_expression_value();
    default:
      return WrongType("a string or token");
  }
}

absl::Status Value::GetTexts(const v1::StringArray** texts) const {
  if (!has_value()) return Missing();
  switch (message_->kind_case()) {
    case v1::Value::kStringArray:
      *texts = &message_->string_array();
      return absl::OkStatus();
    case v1::Value::kTokenArray:
      *texts = &message_->token_array();
      return absl::OkStatus();
    case v1::Value::kPathArray:
      *texts = &message_->path_array();
      return absl::OkStatus();
    case v1::Value::kPathExpressionArray:
      *texts = &message_->path_expression_array();
      return absl::OkStatus();
    default:
      return WrongType("an array of strings or tokens");
  }
}

}  // namespace stagedoor::sdk

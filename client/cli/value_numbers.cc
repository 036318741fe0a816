#include "client/cli/value_numbers.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

namespace stagedoor {
namespace {

// All components of `bytes`, of the type T in memory; empty if they are not `count`.
template <typename T>
std::vector<double> Unpacked(const std::string& bytes, size_t count) {
  if (bytes.size() != count * sizeof(T)) return {};
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(number);
  }
  return numbers;
}

std::vector<double> UnpackedHalves(const std::string& bytes, size_t count) {
  if (bytes.size() != count * sizeof(uint16_t)) return {};
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    numbers[i] = HalfToFloat(bits);
  }
  return numbers;
}

std::vector<double> Unpacked(const v1::PackedValues& tuple) {
  const size_t count = tuple.columns();
  switch (tuple.component_type()) {
    case v1::COMPONENT_TYPE_FLOAT16:
      return UnpackedHalves(tuple.data(), count);
    case v1::COMPONENT_TYPE_FLOAT32:
      return Unpacked<float>(tuple.data(), count);
    case v1::COMPONENT_TYPE_INT32:
      return Unpacked<int32_t>(tuple.data(), count);
    case v1::COMPONENT_TYPE_FLOAT64:
      return Unpacked<double>(tuple.data(), count);
    default:
      return {};
  }
}

}  // namespace

std::optional<double> NumberOf(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kUcharValue:
      return value.uchar_value();
    case v1::Value::kIntValue:
      return value.int_value();
    case v1::Value::kUintValue:
      return value.uint_value();
    case v1::Value::kInt64Value:
      return static_cast<double>(value.int64_value());
    case v1::Value::kUint64Value:
      return static_cast<double>(value.uint64_value());
    case v1::Value::kHalfValue:
      return value.half_value();
    case v1::Value::kFloatValue:
      return value.float_value();
    case v1::Value::kDoubleValue:
      return value.double_value();
    case v1::Value::kTimeCodeValue:
      return value.time_code_value();
    case v1::Value::kDurationValue:
      return value.duration_value();
    default:
      return std::nullopt;
  }
}

std::vector<double> ComponentsOf(const v1::Value& value) {
  constexpr uint32_t kMost = 4;
  if (const auto number = NumberOf(value)) return {*number};
  const v1::PackedValues& tuple = value.tuple_value();
  const bool is_vector =
      tuple.shape() == v1::ELEMENT_SHAPE_VECTOR || tuple.shape() == v1::ELEMENT_SHAPE_QUATERNION;
  if (!is_vector || tuple.count() != 1 || tuple.rows() != 1 || tuple.columns() > kMost) return {};
  return Unpacked(tuple);
}

float HalfToFloat(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float magnitude;
  if (exponent == 31) {
    magnitude = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace stagedoor

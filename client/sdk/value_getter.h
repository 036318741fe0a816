#ifndef STAGEDOOR_CLIENT_SDK_VALUE_GETTER_H_
#define STAGEDOOR_CLIENT_SDK_VALUE_GETTER_H_

#include <array>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/value.h"
#include "client/sdk/value_types.h"

// How Value::Get<T> makes a T.
namespace stagedoor::sdk {

// The element type of arrays whose elements are T in memory.
template <typename T>
struct ElementOf;
#define STAGEDOOR_ELEMENT(type, component_type)                                      \
  template <>                                                                        \
  struct ElementOf<type> {                                                           \
    static constexpr Value::Element kElement = {component_type, 1, 1, sizeof(type)}; \
  }
STAGEDOOR_ELEMENT(uint8_t, v1::COMPONENT_TYPE_UINT8);
STAGEDOOR_ELEMENT(int32_t, v1::COMPONENT_TYPE_INT32);
STAGEDOOR_ELEMENT(uint32_t, v1::COMPONENT_TYPE_UINT32);
STAGEDOOR_ELEMENT(int64_t, v1::COMPONENT_TYPE_INT64);
STAGEDOOR_ELEMENT(uint64_t, v1::COMPONENT_TYPE_UINT64);
STAGEDOOR_ELEMENT(Half, v1::COMPONENT_TYPE_FLOAT16);
STAGEDOOR_ELEMENT(float, v1::COMPONENT_TYPE_FLOAT32);
STAGEDOOR_ELEMENT(double, v1::COMPONENT_TYPE_FLOAT64);
#undef STAGEDOOR_ELEMENT
template <typename T, size_t kColumns>
requires std::is_arithmetic_v<T> || std::same_as<T, Half>
struct ElementOf<std::array<T, kColumns>> {
  static constexpr Value::Element kElement = {ElementOf<T>::kElement.component, 1, kColumns,
                                              sizeof(std::array<T, kColumns>)};
};
template <typename T, size_t kRows, size_t kColumns>
struct ElementOf<std::array<std::array<T, kColumns>, kRows>> {
  static constexpr Value::Element kElement = {ElementOf<T>::kElement.component, kRows, kColumns,
                                              sizeof(std::array<std::array<T, kColumns>, kRows>)};
};

template <>
struct ValueGetter<Value> {
  using Result = Value;
  static absl::StatusOr<Value> Get(const Value& value) { return value; }
};

template <>
struct ValueGetter<bool> {
  using Result = bool;
  static absl::StatusOr<bool> Get(const Value& value) { return value.GetBool(); }
};

template <std::floating_point T>
struct ValueGetter<T> {
  using Result = T;
  static absl::StatusOr<T> Get(const Value& value) {
    const absl::StatusOr<double> number = value.GetNumber();
    if (!number.ok()) return number.status();
    return static_cast<T>(*number);
  }
};

template <std::signed_integral T>
struct ValueGetter<T> {
  using Result = T;
  static absl::StatusOr<T> Get(const Value& value) {
    const absl::StatusOr<int64_t> number = value.GetInteger();
    if (!number.ok()) return number.status();
    if (*number < std::numeric_limits<T>::min() || *number > std::numeric_limits<T>::max()) {
      return value.WrongType("an integer of this size");
    }
    return static_cast<T>(*number);
  }
};

template <std::unsigned_integral T>
struct ValueGetter<T> {
  using Result = T;
  static absl::StatusOr<T> Get(const Value& value) {
    const absl::StatusOr<uint64_t> number = value.GetUnsigned();
    if (!number.ok()) return number.status();
    if (*number > std::numeric_limits<T>::max()) return value.WrongType("an integer of this size");
    return static_cast<T>(*number);
  }
};

template <>
struct ValueGetter<std::string> {
  using Result = std::string;
  static absl::StatusOr<std::string> Get(const Value& value) { return value.GetText(); }
};

template <>
struct ValueGetter<AssetPath> {
  using Result = AssetPath;
  static absl::StatusOr<AssetPath> Get(const Value& value);
};

template <typename T, size_t kSize>
struct ValueGetter<std::array<T, kSize>> {
  using Result = std::array<T, kSize>;
  static absl::StatusOr<Result> Get(const Value& value) {
    const absl::StatusOr<Value::Bytes> found = value.GetTupleBytes(ElementOf<Result>::kElement);
    if (!found.ok()) return found.status();
    Result result;
    std::memcpy(result.data(), found->bytes.data(), sizeof(Result));
    return result;
  }
};

template <typename T>
struct ValueGetter<Array<T>> {
  using Result = Array<T>;
  static absl::StatusOr<Array<T>> Get(const Value& value) {
    absl::StatusOr<Value::Bytes> found = value.GetArrayBytes(ElementOf<T>::kElement);
    if (!found.ok()) return found.status();
    const std::span<const T> elements(reinterpret_cast<const T*>(found->bytes.data()),
                                      found->bytes.size() / sizeof(T));
    return Array<T>(elements, std::move(found->owner));
  }
};

template <typename T>
struct ValueGetter<std::span<const T>> : ValueGetter<Array<T>> {};

template <typename T>
struct ValueGetter<std::vector<T>> {
  using Result = std::vector<T>;
  static absl::StatusOr<std::vector<T>> Get(const Value& value) {
    const absl::StatusOr<Array<T>> array = value.Get<Array<T>>();
    if (!array.ok()) return array.status();
    return std::vector<T>(array->begin(), array->end());
  }
};

template <>
struct ValueGetter<std::vector<std::string>> {
  using Result = std::vector<std::string>;
  static absl::StatusOr<Result> Get(const Value& value);
};

template <>
struct ValueGetter<std::vector<AssetPath>> {
  using Result = std::vector<AssetPath>;
  static absl::StatusOr<Result> Get(const Value& value);
};

template <typename T>
struct ValueGetter<std::optional<T>> {
  using Result = std::optional<typename ValueGetter<T>::Result>;
  static absl::StatusOr<Result> Get(const Value& value) {
    if (!value.has_value()) return Result();
    auto found = value.Get<T>();
    if (!found.ok()) return found.status();
    return Result(*std::move(found));
  }
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_VALUE_GETTER_H_

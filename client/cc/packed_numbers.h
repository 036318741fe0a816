#ifndef STAGEDOOR_CLIENT_CC_PACKED_NUMBERS_H_
#define STAGEDOOR_CLIENT_CC_PACKED_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "stagedoor/v1/values.pb.h"

namespace stagedoor {

// Whether numbers of a component type are T in memory. Bools are bytes, 0 or 1, and halves are
// their 16 bits.
template <typename T>
bool IsComponent(v1::ComponentType type) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return type == v1::COMPONENT_TYPE_UINT8 || type == v1::COMPONENT_TYPE_BOOL;
  }
  if constexpr (std::is_same_v<T, uint16_t>) return type == v1::COMPONENT_TYPE_FLOAT16;
  if constexpr (std::is_same_v<T, int32_t>) return type == v1::COMPONENT_TYPE_INT32;
  if constexpr (std::is_same_v<T, uint32_t>) return type == v1::COMPONENT_TYPE_UINT32;
  if constexpr (std::is_same_v<T, int64_t>) return type == v1::COMPONENT_TYPE_INT64;
  if constexpr (std::is_same_v<T, uint64_t>) return type == v1::COMPONENT_TYPE_UINT64;
  if constexpr (std::is_same_v<T, float>) return type == v1::COMPONENT_TYPE_FLOAT32;
  if constexpr (std::is_same_v<T, double>) {
    return type == v1::COMPONENT_TYPE_FLOAT64 || type == v1::COMPONENT_TYPE_TIME_CODE ||
           type == v1::COMPONENT_TYPE_DURATION;
  }
  return false;
}

// The size of a component; nothing for a type that this version does not know.
inline std::optional<size_t> ComponentBytes(v1::ComponentType type) {
  switch (type) {
    case v1::COMPONENT_TYPE_BOOL:
    case v1::COMPONENT_TYPE_UINT8:
      return 1;
    case v1::COMPONENT_TYPE_FLOAT16:
      return 2;
    case v1::COMPONENT_TYPE_INT32:
    case v1::COMPONENT_TYPE_UINT32:
    case v1::COMPONENT_TYPE_FLOAT32:
      return 4;
    case v1::COMPONENT_TYPE_INT64:
    case v1::COMPONENT_TYPE_UINT64:
    case v1::COMPONENT_TYPE_FLOAT64:
    case v1::COMPONENT_TYPE_TIME_CODE:
    case v1::COMPONENT_TYPE_DURATION:
      return 8;
    default:
      return std::nullopt;
  }
}

// The components of all elements, one after another: count × rows × columns numbers. Empty if they
// are of another type than T. A view of the message, which must not change meanwhile; as long as
// the bytes say, whatever the message says about its shape.
template <typename T>
std::span<const T> PackedNumbers(const v1::PackedValues& packed) {
  if (!IsComponent<T>(packed.component_type())) return {};
  return {reinterpret_cast<const T*>(packed.data().data()), packed.data().size() / sizeof(T)};
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_PACKED_NUMBERS_H_

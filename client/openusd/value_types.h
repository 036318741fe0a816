#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_TYPES_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <typeinfo>

#include "usd.h"

namespace stagedoor::openusd {

// How numbers in memory become a VtValue of one type, such as GfVec3f and VtArray<GfVec3f>.
struct ValueType {
  size_t element_bytes;
  uint32_t component;  // of its numbers, a sd_component
  uint32_t numbers;    // of an element
  // From one element, and from `count` elements.
  VtValue (*element)(const void* data);
  VtValue (*array)(const void* data, size_t count);
  // From a single number; null for vectors, matrices and quaternions.
  VtValue (*number)(double number, int64_t integer);
};

// The type whose elements, or arrays, are of this C++ type; null if it does not consist of numbers.
const ValueType* FindValueType(const std::type_info& type);

// The component type of the elements, a value of sd_component, and their shape.
struct ElementLayout {
  uint32_t component = 0;
  uint32_t rows = 1;
  uint32_t columns = 1;
  bool is_quaternion = false;
};

// The type of values without a type name, such as those in dictionaries. Null if it is unknown.
const ValueType* FindValueType(const ElementLayout& layout);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_TYPES_H_

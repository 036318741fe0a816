#include "value_types.h"

#include <cstring>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "library_value.h"
#include "stagedoor.h"

namespace stagedoor::openusd {
namespace {

template <typename T>
VtValue ElementOf(const void* data) {
  T element;
  std::memcpy(static_cast<void*>(&element), data, sizeof(T));
  return LibraryValue(element);
}

template <typename T>
VtValue ArrayOf(const void* data, size_t count) {
  VtArray<T> array;
  if (count != 0) {
    const T* first = static_cast<const T*>(data);
    array.assign(first, first + count);  // copies bytes: all these types are trivial
  }
  return LibraryValue(std::move(array));
}

template <typename T>
VtValue NumberOf(double number, int64_t integer) {
  if constexpr (std::is_integral_v<T>) {
    return LibraryValue(static_cast<T>(integer));
  } else if constexpr (std::is_same_v<T, GfHalf>) {
    return LibraryValue(GfHalf(static_cast<float>(number)));
  } else {
    return LibraryValue(T(number));
  }
}

using Types = std::unordered_map<std::type_index, ValueType>;

// The numbers that an element consists of.
template <typename T>
uint32_t NumbersOf(uint32_t component) {
  const size_t bytes = component == SD_COMPONENT_BOOL || component == SD_COMPONENT_UINT8 ? 1
                       : component == SD_COMPONENT_FLOAT16                               ? 2
                       : component == SD_COMPONENT_INT32 || component == SD_COMPONENT_UINT32 ||
                               component == SD_COMPONENT_FLOAT32
                           ? 4
                           : 8;
  return static_cast<uint32_t>(sizeof(T) / bytes);
}

template <typename T>
void Add(uint32_t component, Types* types) {
  ValueType type{sizeof(T), component, NumbersOf<T>(component), ElementOf<T>, ArrayOf<T>, nullptr};
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, GfHalf> ||
                std::is_same_v<T, SdfTimeCode>) {
    type.number = NumberOf<T>;
  }
  types->emplace(typeid(T), type);
  types->emplace(typeid(VtArray<T>), type);
}

template <typename... T>
void AddAll(uint32_t component, Types* types) {
  (Add<T>(component, types), ...);
}

Types MakeTypes() {
  Types types;
  Add<bool>(SD_COMPONENT_BOOL, &types);
  Add<unsigned char>(SD_COMPONENT_UINT8, &types);
  Add<unsigned int>(SD_COMPONENT_UINT32, &types);
  Add<int64_t>(SD_COMPONENT_INT64, &types);
  Add<uint64_t>(SD_COMPONENT_UINT64, &types);
  Add<SdfTimeCode>(SD_COMPONENT_TIME_CODE, &types);
  AddAll<int, GfVec2i, GfVec3i, GfVec4i>(SD_COMPONENT_INT32, &types);
  AddAll<GfHalf, GfVec2h, GfVec3h, GfVec4h, GfQuath>(SD_COMPONENT_FLOAT16, &types);
  AddAll<float, GfVec2f, GfVec3f, GfVec4f, GfQuatf>(SD_COMPONENT_FLOAT32, &types);
  AddAll<double, GfVec2d, GfVec3d, GfVec4d, GfMatrix2d, GfMatrix3d, GfMatrix4d, GfQuatd>(
      SD_COMPONENT_FLOAT64, &types);
  return types;
}

template <typename Scalar, typename Vec2, typename Vec3, typename Vec4>
const std::type_info& VectorType(uint32_t columns) {
  return columns == 2   ? typeid(Vec2)
         : columns == 3 ? typeid(Vec3)
         : columns == 4 ? typeid(Vec4)
                        : typeid(Scalar);
}

const std::type_info& TypeOf(const ElementLayout& layout) {
  if (layout.rows > 1) {
    return layout.rows == 2   ? typeid(GfMatrix2d)
           : layout.rows == 3 ? typeid(GfMatrix3d)
                              : typeid(GfMatrix4d);
  }
  switch (layout.component) {
    case SD_COMPONENT_BOOL:
      return typeid(bool);
    case SD_COMPONENT_UINT8:
      return typeid(unsigned char);
    case SD_COMPONENT_INT32:
      return VectorType<int, GfVec2i, GfVec3i, GfVec4i>(layout.columns);
    case SD_COMPONENT_UINT32:
      return typeid(unsigned int);
    case SD_COMPONENT_INT64:
      return typeid(int64_t);
    case SD_COMPONENT_UINT64:
      return typeid(uint64_t);
    case SD_COMPONENT_FLOAT16:
      if (layout.is_quaternion) return typeid(GfQuath);
      return VectorType<GfHalf, GfVec2h, GfVec3h, GfVec4h>(layout.columns);
    case SD_COMPONENT_FLOAT32:
      if (layout.is_quaternion) return typeid(GfQuatf);
      return VectorType<float, GfVec2f, GfVec3f, GfVec4f>(layout.columns);
    case SD_COMPONENT_FLOAT64:
      if (layout.is_quaternion) return typeid(GfQuatd);
      return VectorType<double, GfVec2d, GfVec3d, GfVec4d>(layout.columns);
    case SD_COMPONENT_TIME_CODE:
      return typeid(SdfTimeCode);
    default:
      return typeid(void);
  }
}

}  // namespace

const ValueType* FindValueType(const std::type_info& type) {
  static const Types* const kTypes = new Types(MakeTypes());
  const auto found = kTypes->find(type);
  return found == kTypes->end() ? nullptr : &found->second;
}

const ValueType* FindValueType(const ElementLayout& layout) {
  return FindValueType(TypeOf(layout));
}

}  // namespace stagedoor::openusd

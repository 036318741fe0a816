#ifndef STAGEDOOR_SCENE_VALUES_VALUE_TYPE_H_
#define STAGEDOOR_SCENE_VALUES_VALUE_TYPE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/asset_path.h"
#include "scene/values/half.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The types of values that a field can hold: the foundational types of the Core Specification,
// chapter 6, and the specialized types of section 7.4.2.2.
//
// STAGEDOOR_ARRAY_ELEMENT_TYPES lists the value types of attributes, which can also be elements of
// arrays, as (enumerator, C++ type, name in the text format). STAGEDOOR_COMPOSITE_TYPES lists all
// other types.

struct Reference;
struct Payload;
struct LayerOffset;
struct UnregisteredValue;
struct ValueBlock;
struct AnimationBlock;
class ArrayEdit;
class Dictionary;
class Spline;
class TimeSamples;
template <typename T>
class ListOp;

enum class Specifier : uint8_t { kDef, kOver, kClass };
enum class Permission : uint8_t { kPublic, kPrivate };
enum class Variability : uint8_t { kVarying, kUniform };

using VariantSelections = std::vector<std::pair<std::string, std::string>>;  // sorted by set name
using Relocates = std::vector<std::pair<Path, Path>>;  // source and target paths

// clang-format off
#define STAGEDOOR_ARRAY_ELEMENT_TYPES(X)                                                        \
  X(kBool, bool, "bool") X(kUChar, uint8_t, "uchar") X(kInt, int32_t, "int")                    \
  X(kUInt, uint32_t, "uint") X(kInt64, int64_t, "int64") X(kUInt64, uint64_t, "uint64")         \
  X(kHalf, Half, "half") X(kFloat, float, "float") X(kDouble, double, "double")                 \
  X(kTimeCode, TimeCodeValue, "timecode") X(kDuration, Duration, "duration")                         \
  X(kString, std::string, "string") X(kToken, Token, "token")                                   \
  X(kAssetPath, AssetPath, "asset") X(kPathExpression, PathExpressionValue, "pathExpression")        \
  X(kVec2i, Vec2i, "int2") X(kVec3i, Vec3i, "int3") X(kVec4i, Vec4i, "int4")                    \
  X(kVec2h, Vec2h, "half2") X(kVec3h, Vec3h, "half3") X(kVec4h, Vec4h, "half4")                 \
  X(kVec2f, Vec2f, "float2") X(kVec3f, Vec3f, "float3") X(kVec4f, Vec4f, "float4")              \
  X(kVec2d, Vec2d, "double2") X(kVec3d, Vec3d, "double3") X(kVec4d, Vec4d, "double4")           \
  X(kQuath, Quath, "quath") X(kQuatf, Quatf, "quatf") X(kQuatd, Quatd, "quatd")                 \
  X(kMatrix2d, Matrix2d, "matrix2d") X(kMatrix3d, Matrix3d, "matrix3d")                         \
  X(kMatrix4d, Matrix4d, "matrix4d")

#define STAGEDOOR_COMPOSITE_TYPES(X)                                                            \
  X(kPath, Path) X(kDictionary, Dictionary) X(kReference, Reference) X(kPayload, Payload)       \
  X(kLayerOffset, LayerOffset) X(kSpecifier, Specifier) X(kPermission, Permission)              \
  X(kVariability, Variability) X(kValueBlock, ValueBlock) X(kAnimationBlock, AnimationBlock)    \
  X(kTokenListOp, ListOp<Token>) X(kStringListOp, ListOp<std::string>)                          \
  X(kPathListOp, ListOp<Path>) X(kReferenceListOp, ListOp<Reference>)                           \
  X(kPayloadListOp, ListOp<Payload>) X(kIntListOp, ListOp<int32_t>)                             \
  X(kUIntListOp, ListOp<uint32_t>) X(kInt64ListOp, ListOp<int64_t>)                             \
  X(kUInt64ListOp, ListOp<uint64_t>) X(kUnregisteredListOp, ListOp<UnregisteredValue>)          \
  X(kUnregistered, UnregisteredValue) X(kVariantSelections, VariantSelections)                  \
  X(kRelocates, Relocates) X(kLayerOffsetVector, std::vector<LayerOffset>)                      \
  X(kTokenVector, std::vector<Token>) X(kStringVector, std::vector<std::string>)                \
  X(kPathVector, std::vector<Path>) X(kDoubleVector, std::vector<double>)                       \
  X(kSpline, Spline) X(kArrayEdit, ArrayEdit)
// clang-format on

enum class ValueType : uint8_t {
  kEmpty,    // no value
  kInvalid,  // a value that could not be decoded, with the reason
#define X(name, type, text) name,
  STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type) name,
      STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
          kTimeSamples,
};

// ValueTypeOf<T>::kType is the enumerator of each C++ type above.
template <typename T>
struct ValueTypeOf {};
#define X(name, type, text)                             \
  template <>                                           \
  struct ValueTypeOf<type> {                            \
    static constexpr ValueType kType = ValueType::name; \
    static constexpr bool kArrayElement = true;         \
  };
STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, type)                                   \
  template <>                                           \
  struct ValueTypeOf<type> {                            \
    static constexpr ValueType kType = ValueType::name; \
    static constexpr bool kArrayElement = false;        \
  };
STAGEDOOR_COMPOSITE_TYPES(X)
#undef X

constexpr bool IsArrayElementType(ValueType type) {
  return type >= ValueType::kBool && type <= ValueType::kMatrix4d;
}

// The name of an element type in the text format, such as "float3", or for other types a name for
// messages, such as "Dictionary".
std::string_view ValueTypeKeyword(ValueType type);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VALUE_TYPE_H_

#ifndef STAGEDOOR_SCENE_USDC_CRATE_FORMAT_H_
#define STAGEDOOR_SCENE_USDC_CRATE_FORMAT_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The constants of the crate format (Core Specification, 16.3 Binary): versions, value types, value
// representations and the table of contents. Versions above 0.12 and the types that they add are
// those of OpenUSD.

inline constexpr std::string_view kCrateMagic = "PXR-USDC";
inline constexpr size_t kCrateBootSize = 88;     // magic, version, offset of the table of contents
inline constexpr size_t kCrateSectionSize = 32;  // an entry of the table of contents
inline constexpr uint32_t kCrateNoField = ~uint32_t{0};  // ends a field set
// As in OpenUSD, arrays with fewer elements are never compressed (16.3.9.3 Array Value
// Representations).
inline constexpr size_t kCrateMinCompressed = 16;

// A version of the crate format (16.3.8.2 Crate Versions).
struct CrateVersion {
  uint8_t major = 0;
  uint8_t minor = 0;
  uint8_t patch = 0;
  friend auto operator<=>(const CrateVersion&, const CrateVersion&) = default;
};

// The numbers of value types are below this.
inline constexpr uint8_t kCrateTypeEnd = 62;

// The versions that are read.
inline constexpr CrateVersion kOldestCrate{0, 4, 0};
inline constexpr CrateVersion kNewestCrate{0, 16, 0};

// clang-format off
// Value types (16.3.10.1 Type Table): enumerator, number in files, C++ type. First the types of
// scalars and array elements.
#define STAGEDOOR_CRATE_ELEMENT_TYPES(X)                                                        \
  X(kBool, 1, bool) X(kUChar, 2, uint8_t) X(kInt, 3, int32_t) X(kUInt, 4, uint32_t)             \
  X(kInt64, 5, int64_t) X(kUInt64, 6, uint64_t) X(kHalf, 7, Half) X(kFloat, 8, float)           \
  X(kDouble, 9, double) X(kString, 10, std::string) X(kToken, 11, Token)                        \
  X(kAssetPath, 12, AssetPath) X(kMatrix2d, 13, Matrix2d) X(kMatrix3d, 14, Matrix3d)            \
  X(kMatrix4d, 15, Matrix4d) X(kQuatd, 16, Quatd) X(kQuatf, 17, Quatf) X(kQuath, 18, Quath)     \
  X(kVec2d, 19, Vec2d) X(kVec2f, 20, Vec2f) X(kVec2h, 21, Vec2h) X(kVec2i, 22, Vec2i)           \
  X(kVec3d, 23, Vec3d) X(kVec3f, 24, Vec3f) X(kVec3h, 25, Vec3h) X(kVec3i, 26, Vec3i)           \
  X(kVec4d, 27, Vec4d) X(kVec4f, 28, Vec4f) X(kVec4h, 29, Vec4h) X(kVec4i, 30, Vec4i)           \
  X(kTimeCode, 56, TimeCodeValue) X(kPathExpression, 57, PathExpressionValue) X(kDuration, 61, Duration)

#define STAGEDOOR_CRATE_LIST_OP_TYPES(X)                                                        \
  X(kTokenListOp, 32, Token) X(kStringListOp, 33, std::string) X(kPathListOp, 34, Path)         \
  X(kReferenceListOp, 35, Reference) X(kIntListOp, 36, int32_t) X(kInt64ListOp, 37, int64_t)    \
  X(kUIntListOp, 38, uint32_t) X(kUInt64ListOp, 39, uint64_t)                                   \
  X(kUnregisteredListOp, 54, UnregisteredValue) X(kPayloadListOp, 55, Payload)

#define STAGEDOOR_CRATE_VECTOR_TYPES(X)                                                         \
  X(kPathVector, 40, Path) X(kTokenVector, 41, Token) X(kDoubleVector, 48, double)              \
  X(kLayerOffsetVector, 49, LayerOffset) X(kStringVector, 50, std::string)
// clang-format on

enum class CrateType : uint8_t {
  kInvalid = 0,
#define X(name, number, type) name = number,
  STAGEDOOR_CRATE_ELEMENT_TYPES(X) STAGEDOOR_CRATE_LIST_OP_TYPES(X) STAGEDOOR_CRATE_VECTOR_TYPES(X)
#undef X
      kDictionary = 31,
  kSpecifier = 42,
  kPermission = 43,
  kVariability = 44,
  kVariantSelectionMap = 45,
  kTimeSamples = 46,
  kPayload = 47,
  kValueBlock = 51,
  kValue = 52,
  kUnregisteredValue = 53,
  kRelocates = 58,
  kSpline = 59,
  kAnimationBlock = 60,
};

// A value representation (16.3.9 Value Representations): flags, a type, and a payload that is
// either an offset in the file or, for inlined values, the value itself.
class CrateValueRep {
 public:
  static constexpr uint64_t kArray = uint64_t{1} << 63;
  static constexpr uint64_t kInlined = uint64_t{1} << 62;
  static constexpr uint64_t kCompressed = uint64_t{1} << 61;
  static constexpr uint64_t kArrayEdit = uint64_t{1} << 60;
  static constexpr uint64_t kPayloadMask = (uint64_t{1} << 48) - 1;

  constexpr CrateValueRep() = default;
  constexpr explicit CrateValueRep(uint64_t bits) : bits_(bits) {}
  constexpr CrateValueRep(CrateType type, uint64_t flags, uint64_t payload)
      : bits_(flags | uint64_t{static_cast<uint8_t>(type)} << 48 | (payload & kPayloadMask)) {}

  uint64_t bits() const { return bits_; }
  CrateType type() const { return static_cast<CrateType>(bits_ >> 48 & 0xff); }
  bool is_array() const { return bits_ & kArray; }
  bool is_inlined() const { return bits_ & kInlined; }
  bool is_compressed() const { return bits_ & kCompressed; }
  bool is_array_edit() const { return bits_ & kArrayEdit; }
  uint64_t payload() const { return bits_ & kPayloadMask; }
  uint64_t kind() const { return bits_ & ~kPayloadMask; }  // flags and type
  friend bool operator==(CrateValueRep, CrateValueRep) = default;

 private:
  uint64_t bits_ = 0;
};

// The operations of an array edit. Its code is made of runs: a number with the operation above
// kCrateEditOpShift and the count of steps below it, then the arguments of each step. A literal is
// an index in the edit's literals, an element one in the array.
enum class CrateEditOp : uint8_t {
  kWriteLiteral,   // literal, index
  kWriteElement,   // element, index
  kInsertLiteral,  // literal, index
  kInsertElement,  // element, index
  kErase,          // index
  kMinSize,        // size
  kMinSizeFill,    // size, literal
  kResize,         // size
  kResizeFill,     // size, literal
  kMaxSize,        // size
  kEnd,            // the first unused number
};
inline constexpr int kCrateEditOpShift = 56;
// The index of an insertion at the end of the array.
inline constexpr int64_t kCrateEditEnd = std::numeric_limits<int64_t>::min();

// The spec forms of the SPECS section (16.3.8.4.6 Specs Section) that are read.
enum class CrateSpecType : uint32_t {
  kAttribute = 1,
  kPrim = 6,
  kPseudoRoot = 7,
  kRelationship = 8,
  kVariant = 10,
  kVariantSet = 11,
  kEnd = 12,  // the first unused number
};

// Bits of the byte at the beginning of a list op (16.3.10.25 List Operations).
enum CrateListOpBits : uint8_t {
  kCrateExplicit = 1,
  kCrateExplicitItems = 2,
  kCrateAdded = 4,
  kCrateDeleted = 8,
  kCrateOrdered = 16,
  kCratePrepended = 32,
  kCrateAppended = 64,
};

// Appends the bytes of a number; crate files are little-endian, as the processor is.
template <typename T>
void AppendNumber(std::string& out, T number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(T));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_FORMAT_H_

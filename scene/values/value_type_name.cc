#include "scene/values/value_type_name.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scene/values/matrix.h"
#include "scene/values/quat.h"

namespace stagedoor {
namespace {

struct Row {
  const char* name;
  ValueType type;
  ValueRole role = ValueRole::kNone;
  // Older names of the same type, terminated by null.
  const char* aliases[2] = {};
  bool text_only = false;
};

constexpr Row kRows[] = {
    {"bool", ValueType::kBool},
    {"uchar", ValueType::kUChar},
    {"int", ValueType::kInt},
    {"uint", ValueType::kUInt},
    {"int64", ValueType::kInt64},
    {"uint64", ValueType::kUInt64},
    {"half", ValueType::kHalf},
    {"float", ValueType::kFloat},
    {"double", ValueType::kDouble},
    {"timecode", ValueType::kTimeCode},
    {"duration", ValueType::kDuration},
    {"string", ValueType::kString},
    {"token", ValueType::kToken},
    {"asset", ValueType::kAssetPath},
    {"pathExpression", ValueType::kPathExpression},
    {"opaque", ValueType::kEmpty},
    {"group", ValueType::kEmpty, ValueRole::kGroup},
    {"int2", ValueType::kVec2i, ValueRole::kNone, {"Vec2i"}},
    {"int3", ValueType::kVec3i, ValueRole::kNone, {"Vec3i"}},
    {"int4", ValueType::kVec4i, ValueRole::kNone, {"Vec4i"}},
    {"half2", ValueType::kVec2h, ValueRole::kNone, {"Vec2h"}},
    {"half3", ValueType::kVec3h, ValueRole::kNone, {"Vec3h"}},
    {"half4", ValueType::kVec4h, ValueRole::kNone, {"Vec4h"}},
    {"float2", ValueType::kVec2f, ValueRole::kNone, {"Vec2f"}},
    {"float3", ValueType::kVec3f, ValueRole::kNone, {"Vec3f"}},
    {"float4", ValueType::kVec4f, ValueRole::kNone, {"Vec4f"}},
    {"double2", ValueType::kVec2d, ValueRole::kNone, {"Vec2d"}},
    {"double3", ValueType::kVec3d, ValueRole::kNone, {"Vec3d"}},
    {"double4", ValueType::kVec4d, ValueRole::kNone, {"Vec4d"}},
    {"point3h", ValueType::kVec3h, ValueRole::kPoint},
    {"point3f", ValueType::kVec3f, ValueRole::kPoint, {"PointFloat"}},
    {"point3d", ValueType::kVec3d, ValueRole::kPoint, {"Point"}},
    {"vector3h", ValueType::kVec3h, ValueRole::kVector},
    {"vector3f", ValueType::kVec3f, ValueRole::kVector, {"VectorFloat"}},
    {"vector3d", ValueType::kVec3d, ValueRole::kVector, {"Vector"}},
    {"normal3h", ValueType::kVec3h, ValueRole::kNormal},
    {"normal3f", ValueType::kVec3f, ValueRole::kNormal, {"NormalFloat"}},
    {"normal3d", ValueType::kVec3d, ValueRole::kNormal, {"Normal"}},
    {"color3h", ValueType::kVec3h, ValueRole::kColor},
    {"color3f", ValueType::kVec3f, ValueRole::kColor, {"ColorFloat"}},
    {"color3d", ValueType::kVec3d, ValueRole::kColor, {"Color"}},
    {"color4h", ValueType::kVec4h, ValueRole::kColor},
    {"color4f", ValueType::kVec4f, ValueRole::kColor},
    {"color4d", ValueType::kVec4d, ValueRole::kColor},
    {"texCoord2h", ValueType::kVec2h, ValueRole::kTextureCoordinate},
    {"texCoord2f", ValueType::kVec2f, ValueRole::kTextureCoordinate},
    {"texCoord2d", ValueType::kVec2d, ValueRole::kTextureCoordinate},
    {"texCoord3h", ValueType::kVec3h, ValueRole::kTextureCoordinate},
    {"texCoord3f", ValueType::kVec3f, ValueRole::kTextureCoordinate},
    {"texCoord3d", ValueType::kVec3d, ValueRole::kTextureCoordinate},
    {"quath", ValueType::kQuath, ValueRole::kNone, {"Quath"}},
    {"quatf", ValueType::kQuatf, ValueRole::kNone, {"Quatf"}},
    {"quatd", ValueType::kQuatd, ValueRole::kNone, {"Quatd"}},
    {"matrix2d", ValueType::kMatrix2d, ValueRole::kNone, {"Matrix2d"}},
    {"matrix3d", ValueType::kMatrix3d, ValueRole::kNone, {"Matrix3d"}},
    {"matrix4d", ValueType::kMatrix4d, ValueRole::kNone, {"Matrix4d"}},
    {"frame4d", ValueType::kMatrix4d, ValueRole::kFrame, {"Frame"}},
    // Older names that have no current equivalent.
    {"PointIndex", ValueType::kInt, ValueRole::kPointIndex},
    {"EdgeIndex", ValueType::kInt, ValueRole::kEdgeIndex},
    {"FaceIndex", ValueType::kInt, ValueRole::kFaceIndex},
    {"Transform", ValueType::kMatrix4d, ValueRole::kTransform},
    {"Schema", ValueType::kToken, ValueRole::kNone, {}, /*text_only=*/true},
};

class ValueTypeNameTable {
 public:
  static const ValueTypeNameTable& Get() {
    static const ValueTypeNameTable* table = new ValueTypeNameTable;
    return *table;
  }

  const ValueTypeName* Find(Token name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : &it->second;
  }
  Token NameOf(ValueType type, bool is_array) const {
    const size_t index = static_cast<size_t>(type) * 2 + (is_array ? 1 : 0);
    return index < plain_.size() ? plain_[index] : Token();
  }

 private:
  ValueTypeNameTable() : plain_(2 * (static_cast<size_t>(ValueType::kMatrix4d) + 1)) {
    for (const Row& row : kRows) {
      Add(row.name, row);
      for (const char* const* alias = row.aliases; *alias; ++alias) Add(*alias, row);
      if (row.role != ValueRole::kNone || row.type == ValueType::kEmpty || row.text_only) continue;
      const size_t index = static_cast<size_t>(row.type) * 2;
      plain_[index] = Token(row.name);
      plain_[index + 1] = Token(std::string(row.name) + "[]");
    }
  }
  void Add(const char* name, const Row& row) {
    AddOne(Token(name), Token(row.name), row, false);
    if (row.type == ValueType::kEmpty) return;
    AddOne(Token(std::string(name) + "[]"), Token(std::string(row.name) + "[]"), row, true);
  }
  void AddOne(Token name, Token canonical, const Row& row, bool is_array) {
    by_name_[name] = {name, canonical, row.type, is_array, row.role, row.text_only};
  }

  std::unordered_map<Token, ValueTypeName> by_name_;
  std::vector<Token> plain_;
};

template <typename T>
Value DefaultScalar() {
  return Value(T());
}
template <>
Value DefaultScalar<Quath>() {
  return Value(Quath{.imaginary = {}, .real = Half(1.0f)});
}
template <>
Value DefaultScalar<Quatf>() {
  return Value(Quatf{.imaginary = {}, .real = 1});
}
template <>
Value DefaultScalar<Quatd>() {
  return Value(Quatd{.imaginary = {}, .real = 1});
}
template <>
Value DefaultScalar<Matrix2d>() {
  return Value(Matrix2d::Identity());
}
template <>
Value DefaultScalar<Matrix3d>() {
  return Value(Matrix3d::Identity());
}
template <>
Value DefaultScalar<Matrix4d>() {
  return Value(Matrix4d::Identity());
}

}  // namespace

const ValueTypeName* FindValueTypeName(Token name) { return ValueTypeNameTable::Get().Find(name); }

const ValueTypeName* FindValueTypeName(std::string_view name) {
  const ValueTypeNameTable& table =
      ValueTypeNameTable::Get();  // first, because this interns all names
  const std::optional<Token> token = Token::Find(name);
  return token ? table.Find(*token) : nullptr;
}

Token ValueTypeNameOf(ValueType type, bool is_array) {
  return ValueTypeNameTable::Get().NameOf(type, is_array);
}

Token ValueTypeNameOf(const Value& value) {
  return ValueTypeNameOf(value.type(), value.is_array());
}

Value DefaultValueOf(const ValueTypeName& type) {
  switch (type.type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return type.is_array ? Value(Array<cpp>()) : DefaultScalar<cpp>();
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

}  // namespace stagedoor

#include "scene/values/type_name.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagedoor {
namespace {

struct Row {
  const char* name;
  ValueType type;
  Role role = Role::kNone;
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
    {"group", ValueType::kEmpty, Role::kGroup},
    {"int2", ValueType::kVec2i, Role::kNone, {"Vec2i"}},
    {"int3", ValueType::kVec3i, Role::kNone, {"Vec3i"}},
    {"int4", ValueType::kVec4i, Role::kNone, {"Vec4i"}},
    {"half2", ValueType::kVec2h, Role::kNone, {"Vec2h"}},
    {"half3", ValueType::kVec3h, Role::kNone, {"Vec3h"}},
    {"half4", ValueType::kVec4h, Role::kNone, {"Vec4h"}},
    {"float2", ValueType::kVec2f, Role::kNone, {"Vec2f"}},
    {"float3", ValueType::kVec3f, Role::kNone, {"Vec3f"}},
    {"float4", ValueType::kVec4f, Role::kNone, {"Vec4f"}},
    {"double2", ValueType::kVec2d, Role::kNone, {"Vec2d"}},
    {"double3", ValueType::kVec3d, Role::kNone, {"Vec3d"}},
    {"double4", ValueType::kVec4d, Role::kNone, {"Vec4d"}},
    {"point3h", ValueType::kVec3h, Role::kPoint},
    {"point3f", ValueType::kVec3f, Role::kPoint, {"PointFloat"}},
    {"point3d", ValueType::kVec3d, Role::kPoint, {"Point"}},
    {"vector3h", ValueType::kVec3h, Role::kVector},
    {"vector3f", ValueType::kVec3f, Role::kVector, {"VectorFloat"}},
    {"vector3d", ValueType::kVec3d, Role::kVector, {"Vector"}},
    {"normal3h", ValueType::kVec3h, Role::kNormal},
    {"normal3f", ValueType::kVec3f, Role::kNormal, {"NormalFloat"}},
    {"normal3d", ValueType::kVec3d, Role::kNormal, {"Normal"}},
    {"color3h", ValueType::kVec3h, Role::kColor},
    {"color3f", ValueType::kVec3f, Role::kColor, {"ColorFloat"}},
    {"color3d", ValueType::kVec3d, Role::kColor, {"Color"}},
    {"color4h", ValueType::kVec4h, Role::kColor},
    {"color4f", ValueType::kVec4f, Role::kColor},
    {"color4d", ValueType::kVec4d, Role::kColor},
    {"texCoord2h", ValueType::kVec2h, Role::kTextureCoordinate},
    {"texCoord2f", ValueType::kVec2f, Role::kTextureCoordinate},
    {"texCoord2d", ValueType::kVec2d, Role::kTextureCoordinate},
    {"texCoord3h", ValueType::kVec3h, Role::kTextureCoordinate},
    {"texCoord3f", ValueType::kVec3f, Role::kTextureCoordinate},
    {"texCoord3d", ValueType::kVec3d, Role::kTextureCoordinate},
    {"quath", ValueType::kQuath, Role::kNone, {"Quath"}},
    {"quatf", ValueType::kQuatf, Role::kNone, {"Quatf"}},
    {"quatd", ValueType::kQuatd, Role::kNone, {"Quatd"}},
    {"matrix2d", ValueType::kMatrix2d, Role::kNone, {"Matrix2d"}},
    {"matrix3d", ValueType::kMatrix3d, Role::kNone, {"Matrix3d"}},
    {"matrix4d", ValueType::kMatrix4d, Role::kNone, {"Matrix4d"}},
    {"frame4d", ValueType::kMatrix4d, Role::kFrame, {"Frame"}},
    // Older names that have no current equivalent.
    {"PointIndex", ValueType::kInt, Role::kPointIndex},
    {"EdgeIndex", ValueType::kInt, Role::kEdgeIndex},
    {"FaceIndex", ValueType::kInt, Role::kFaceIndex},
    {"Transform", ValueType::kMatrix4d, Role::kTransform},
    {"Schema", ValueType::kToken, Role::kNone, {}, /*text_only=*/true},
};

class TypeNameTable {
 public:
  static const TypeNameTable& Get() {
    static const TypeNameTable* table = new TypeNameTable;
    return *table;
  }

  const TypeName* Find(Token name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : &it->second;
  }
  Token NameOf(ValueType type, bool is_array) const {
    const size_t index = static_cast<size_t>(type) * 2 + (is_array ? 1 : 0);
    return index < plain_.size() ? plain_[index] : Token();
  }

 private:
  TypeNameTable() : plain_(2 * (static_cast<size_t>(ValueType::kMatrix4d) + 1)) {
    for (const Row& row : kRows) {
      Add(row.name, row);
      for (const char* const* alias = row.aliases; *alias; ++alias) Add(*alias, row);
      if (row.role != Role::kNone || row.type == ValueType::kEmpty || row.text_only) continue;
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

  std::unordered_map<Token, TypeName> by_name_;
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

const TypeName* FindTypeName(Token name) { return TypeNameTable::Get().Find(name); }

const TypeName* FindTypeName(std::string_view name) {
  const TypeNameTable& table = TypeNameTable::Get();  // first, because this interns all names
  const std::optional<Token> token = Token::Find(name);
  return token ? table.Find(*token) : nullptr;
}

Token TypeNameOf(ValueType type, bool is_array) {
  return TypeNameTable::Get().NameOf(type, is_array);
}

Token TypeNameOf(const Value& value) { return TypeNameOf(value.type(), value.is_array()); }

Value DefaultValueOf(const TypeName& type) {
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

std::string_view RoleWord(Role role) {
  switch (role) {
    case Role::kNone:
      return "";
    case Role::kPoint:
      return "Point";
    case Role::kNormal:
      return "Normal";
    case Role::kVector:
      return "Vector";
    case Role::kColor:
      return "Color";
    case Role::kTextureCoordinate:
      return "TextureCoordinate";
    case Role::kFrame:
      return "Frame";
    case Role::kGroup:
      return "Group";
    case Role::kTransform:
      return "Transform";
    case Role::kPointIndex:
      return "PointIndex";
    case Role::kEdgeIndex:
      return "EdgeIndex";
    case Role::kFaceIndex:
      return "FaceIndex";
  }
  return "";
}

}  // namespace stagedoor

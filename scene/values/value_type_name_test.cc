#include "scene/values/value_type_name.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "scene/values/array.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// OpenUSD's name of a role; empty for kNone.
std::string_view RoleWord(ValueRole role) {
  switch (role) {
    case ValueRole::kNone:
      return "";
    case ValueRole::kPoint:
      return "Point";
    case ValueRole::kNormal:
      return "Normal";
    case ValueRole::kVector:
      return "Vector";
    case ValueRole::kColor:
      return "Color";
    case ValueRole::kTextureCoordinate:
      return "TextureCoordinate";
    case ValueRole::kFrame:
      return "Frame";
    case ValueRole::kGroup:
      return "Group";
    case ValueRole::kTransform:
      return "Transform";
    case ValueRole::kPointIndex:
      return "PointIndex";
    case ValueRole::kEdgeIndex:
      return "EdgeIndex";
    case ValueRole::kFaceIndex:
      return "FaceIndex";
  }
  return "";
}

// Each line was recorded from usd-core: the name, the current name, the role and the plain type. A
// name that is not a type has only "-".
TEST(ValueTypeNameTest, MatchOpenUsd) {
  std::ifstream file("scene/values/testdata/type_names.txt");
  int types = 0;
  for (std::string line; std::getline(file, line);) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string name, canonical, role, plain;
    words >> name >> canonical >> role >> plain;
    const ValueTypeName* type = FindValueTypeName(Token(name));
    if (role.empty()) {
      EXPECT_EQ(type, nullptr);
      continue;
    }
    ++types;
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->name, Token(name));
    EXPECT_EQ(type->canonical, Token(canonical));
    EXPECT_EQ(type->is_array, name.ends_with("[]"));
    EXPECT_EQ(RoleWord(type->role), role == "-" ? "" : role);
    EXPECT_FALSE(type->text_only);
    const Token plain_name = ValueTypeNameOf(type->type, false);
    EXPECT_EQ(plain_name.text(), plain == "-" ? "" : plain);
    EXPECT_EQ(FindValueTypeName(std::string_view(name)), type);
  }
  EXPECT_GT(types, 150);
}

TEST(ValueTypeNameTest, UnknownNamesAreNotInterned) {
  EXPECT_EQ(FindValueTypeName(std::string_view("nobodyKnowsThisType")), nullptr);
  EXPECT_EQ(Token::Find("nobodyKnowsThisType"), std::nullopt);
}

TEST(ValueTypeNameTest, SomeNamesAreForTextOnly) {
  ASSERT_NE(FindValueTypeName(Token("Schema")), nullptr);
  EXPECT_TRUE(FindValueTypeName(Token("Schema"))->text_only);
  EXPECT_EQ(ValueTypeNameOf(ValueType::kToken, false), Token("token"));
}

TEST(ValueTypeNameTest, ValuesAreNamedByTheirTypeWithoutRole) {
  EXPECT_EQ(ValueTypeNameOf(Value(Array<Vec<float, 3>>())), Token("float3[]"));
  EXPECT_EQ(ValueTypeNameOf(Value(1)), Token("int"));
  EXPECT_EQ(ValueTypeNameOf(Value()), Token());
  EXPECT_EQ(ValueTypeNameOf(Value(Specifier::kDef)), Token());
}

TEST(ValueTypeNameTest, DefaultsAreZeroOrTheIdentity) {
  const auto value = [](const char* name) {
    return DefaultValueOf(*FindValueTypeName(Token(name)));
  };
  EXPECT_EQ(value("int"), Value(0));
  EXPECT_EQ(value("string"), Value(std::string()));
  EXPECT_EQ(value("point3f"), Value(Vec<float, 3>{0, 0, 0}));
  EXPECT_EQ(value("quath"), Value(Quath{.imaginary = {}, .real = Half(1.0F)}));
  EXPECT_EQ(value("quatf"), Value(Quatf{.imaginary = {}, .real = 1}));
  EXPECT_EQ(value("quatd"), Value(Quatd{.imaginary = {}, .real = 1}));
  EXPECT_EQ(value("matrix2d"), Value(Matrix2d::Identity()));
  EXPECT_EQ(value("matrix3d"), Value(Matrix3d::Identity()));
  EXPECT_EQ(value("frame4d"), Value(Matrix4d::Identity()));
  EXPECT_EQ(value("quatf[]"), Value(Array<Quatf>()));
  EXPECT_EQ(value("opaque"), Value());
}

}  // namespace
}  // namespace stagedoor

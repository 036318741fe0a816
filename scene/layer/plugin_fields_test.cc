#include "scene/layer/plugin_fields.h"

#include <string>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

using Parts = std::vector<DefaultPart>;

const FieldDefinition* Added(PluginFields& fields, const FieldDeclaration& declaration) {
  EXPECT_EQ(fields.Add(declaration), "");
  return fields.Find(SpecType::kPrim, Token(declaration.name));
}

// The initials of the spec types that have the field: (L)ayer, (P)rim, (V)ariant, (A)ttribute,
// (R)elationship and variant (S)et.
std::string SpecsWith(const PluginFields& fields, const char* name) {
  std::string found;
  for (const auto& [type, letter] :
       {std::pair(SpecType::kPseudoRoot, 'L'), std::pair(SpecType::kPrim, 'P'),
        std::pair(SpecType::kVariant, 'V'), std::pair(SpecType::kAttribute, 'A'),
        std::pair(SpecType::kRelationship, 'R'), std::pair(SpecType::kVariantSet, 'S')}) {
    if (fields.Find(type, Token(name))) found += letter;
  }
  return found;
}

TEST(PluginFieldsTest, FieldsApplyToTheDeclaredSpecs) {
  PluginFields fields;
  EXPECT_TRUE(fields.empty());
  fields.Add({.name = "any", .type = "int", .applies_to = {}});
  fields.Add({.name = "layers", .type = "int", .applies_to = {"layers"}});
  fields.Add({.name = "prims", .type = "int", .applies_to = {"prims"}});
  fields.Add({.name = "ofProperties", .type = "int", .applies_to = {"properties"}});
  fields.Add({.name = "attributes", .type = "int", .applies_to = {"attributes"}});
  fields.Add({.name = "variants", .type = "int", .applies_to = {"variants"}});
  fields.Add({.name = "two", .type = "int", .applies_to = {"relationships", "layers"}});
  fields.Add({.name = "none", .type = "int", .applies_to = {"nonsense"}});
  EXPECT_FALSE(fields.empty());
  EXPECT_EQ(SpecsWith(fields, "any"), "LPVAR");
  EXPECT_EQ(SpecsWith(fields, "layers"), "L");
  EXPECT_EQ(SpecsWith(fields, "prims"), "PV");
  EXPECT_EQ(SpecsWith(fields, "ofProperties"), "AR");
  EXPECT_EQ(SpecsWith(fields, "attributes"), "A");
  EXPECT_EQ(SpecsWith(fields, "variants"), "V");
  EXPECT_EQ(SpecsWith(fields, "two"), "LR");
  EXPECT_EQ(SpecsWith(fields, "none"), "");
  EXPECT_EQ(SpecsWith(fields, "unknown"), "");
}

TEST(PluginFieldsTest, WithoutADefaultTheFallbackIsTheZeroOfTheType) {
  PluginFields fields;
  const FieldDefinition* number = Added(fields, {.name = "n", .type = "double", .applies_to = {}});
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(number->name, Token("n"));
  EXPECT_TRUE(number->metadata);
  EXPECT_EQ(number->type, ValueType::kDouble);
  EXPECT_FALSE(number->is_array);
  EXPECT_EQ(number->fallback, Value(0.0));
  const FieldDefinition* numbers =
      Added(fields, {.name = "ns", .type = "double[]", .applies_to = {}});
  EXPECT_TRUE(numbers->is_array);
  EXPECT_EQ(numbers->fallback, Value(Array<double>()));
}

TEST(PluginFieldsTest, FallbacksOfDictionariesAndListOpsAreEmpty) {
  PluginFields fields;
  const std::pair<const char*, Value> cases[] = {{"dictionary", Value(Dictionary())},
                                                 {"tokenlistop", Value(ListOp<Token>())},
                                                 {"stringlistop", Value(ListOp<std::string>())},
                                                 {"intlistop", Value(ListOp<int32_t>())},
                                                 {"uintlistop", Value(ListOp<uint32_t>())},
                                                 {"int64listop", Value(ListOp<int64_t>())},
                                                 {"uint64listop", Value(ListOp<uint64_t>())}};
  for (const auto& [type, empty] : cases) {
    const FieldDefinition* field = Added(fields, {.name = type, .type = type, .applies_to = {}});
    ASSERT_NE(field, nullptr) << type;
    EXPECT_EQ(field->fallback, empty) << type;
    EXPECT_EQ(field->type, empty.type()) << type;
  }
}

TEST(PluginFieldsTest, TheDefaultBecomesTheFallback) {
  PluginFields fields;
  EXPECT_EQ(
      Added(fields,
            {.name = "n", .type = "float3", .applies_to = {}, .default_parts = Parts{1, 2.5, 3}})
          ->fallback,
      Value(Vec<float, 3>{1, 2.5F, 3}));
}

TEST(PluginFieldsTest, ErrorsStateWhyAFieldCannotBeAdded) {
  PluginFields fields;
  EXPECT_EQ(fields.Add({.name = "", .type = "int", .applies_to = {}}),
            "a metadata field has no name");
  EXPECT_EQ(fields.Add({.name = "kind", .type = "int", .applies_to = {}}),
            "metadata field 'kind' is already defined");
  EXPECT_EQ(fields.Add({.name = "a", .type = "integer", .applies_to = {}}),
            "metadata field 'a': unknown type 'integer'");
  EXPECT_EQ(fields.Add({.name = "a",
                        .type = "int",
                        .applies_to = {},
                        .default_parts = Parts{std::string("one")}}),
            "metadata field 'a': the default is not a value of type int");
  EXPECT_EQ(
      fields.Add({.name = "a", .type = "dictionary", .applies_to = {}, .default_parts = Parts{1}}),
      "metadata field 'a': the default is not a value of type dictionary");
  EXPECT_TRUE(fields.empty());
  EXPECT_EQ(fields.Add({.name = "a", .type = "int", .applies_to = {}}), "");
  EXPECT_EQ(fields.Add({.name = "a", .type = "float", .applies_to = {}}),
            "metadata field 'a' is already defined");
  EXPECT_EQ(fields.Find(SpecType::kPrim, Token("a"))->type, ValueType::kInt);
}

}  // namespace
}  // namespace stagedoor

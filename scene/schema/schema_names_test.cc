#include "scene/schema/schema_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace stagedoor {
namespace {

TEST(SchemaNamesTest, TheVersionIsANumericSuffix) {
  const struct {
    const char* identifier;
    const char* family;
    uint32_t version;
  } kCases[] = {{"Capsule", "Capsule", 0},
                {"Capsule_1", "Capsule", 1},
                {"Capsule_23", "Capsule", 23},
                {"A_B_4", "A_B", 4},
                {"A_", "A_", 0},
                {"A_x", "A_x", 0},
                {"A_1x", "A_1x", 0},
                {"A_-1", "A_-1", 0},
                {"A_4294967295", "A", 4294967295},
                {"A_4294967296", "A_4294967296", 0},
                {"_7", "", 7},
                {"", "", 0}};
  for (const auto& c : kCases) {
    const auto [family, version] = SplitSchemaVersion(c.identifier);
    EXPECT_EQ(family, c.family) << c.identifier;
    EXPECT_EQ(version, c.version) << c.identifier;
  }
}

TEST(SchemaNamesTest, TheInstanceNameFollowsTheFirstColon) {
  const struct {
    const char *applied, *schema, *instance;
  } kCases[] = {{"LightAPI", "LightAPI", ""},
                {"CollectionAPI:a", "CollectionAPI", "a"},
                {"CollectionAPI:a:b", "CollectionAPI", "a:b"},
                {"CollectionAPI:", "CollectionAPI", ""},
                {":a", "", "a"}};
  for (const auto& c : kCases) {
    const auto [schema, instance] = SplitSchemaInstance(c.applied);
    EXPECT_EQ(schema, c.schema) << c.applied;
    EXPECT_EQ(instance, c.instance) << c.applied;
  }
}

TEST(SchemaNamesTest, ThePlaceholderIsAWholeElement) {
  const std::string placeholder(kInstanceNamePlaceholder);
  const struct {
    std::string name, expected;
  } kCases[] = {{"collection:" + placeholder + ":includes", "collection:x:includes"},
                {"collection:" + placeholder, "collection:x"},
                {placeholder, "x"},
                {placeholder + ":a", "x:a"},
                {"a" + placeholder, "a" + placeholder},
                {placeholder + "b", placeholder + "b"},
                {"a:b" + placeholder + ":" + placeholder, "a:b" + placeholder + ":x"},
                {"a:" + placeholder + ":" + placeholder, "a:x:" + placeholder},
                {"plain", "plain"},
                {"", ""}};
  for (const auto& c : kCases) {
    EXPECT_EQ(InstantiateTemplate(Token(c.name), "x").text(), c.expected) << c.name;
    EXPECT_EQ(IsTemplateName(c.name), c.name != c.expected) << c.name;
  }
}

}  // namespace
}  // namespace stagedoor

#include "scene/schema/plug_info.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(PlugInfoTest, ReadsTypesAndSkipsCommentLines) {
  const auto file = ParsePlugInfo(R"(# a comment
    # another, "with": {json
{"Plugins": [{"Name": "p", "Root": "..", "ResourcePath": "res", "Info": {"Types": {
  "PThing": {"bases": ["UsdTyped"], "alias": {"UsdSchemaBase": "Thing"}, "schemaKind": "concreteTyped"},
  "PTagAPI": {"schemaIdentifier": "TagAPI", "schemaKind": "multipleApplyAPI",
              "apiSchemaAllowedInstanceNames": ["a", "b"], "apiSchemaCanOnlyApplyTo": ["Thing"],
              "apiSchemaInstances": {"a": {"apiSchemaCanOnlyApplyTo": ["Mesh"]}}},
  "PAutoAPI": {"schemaIdentifier": "AutoAPI", "schemaKind": "singleApplyAPI",
               "apiSchemaAutoApplyTo": ["Thing", 3]},
  "PFormat": {"displayName": "no schema # this is no comment"}
}}}], "Includes": ["more/", 7]})",
                                  "/plug/ins");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->includes, ElementsAre("more/"));
  ASSERT_EQ(file->plugins.size(), 1);
  EXPECT_EQ(file->plugins[0].name, "p");
  EXPECT_EQ(file->plugins[0].resources, fs::path("/plug/res"));
  const auto& types = file->plugins[0].types;
  ASSERT_EQ(types.size(), 4);
  EXPECT_EQ(types[0].type_name, Token("PAutoAPI"));
  EXPECT_THAT(types[0].auto_apply_to, ElementsAre(Token("Thing")));
  EXPECT_EQ(types[1].kind, std::nullopt);
  EXPECT_THAT(types[2].allowed_instance_names, ElementsAre(Token("a"), Token("b")));
  EXPECT_EQ(types[2].kind, SchemaKind::kMultipleApplyApi);
  EXPECT_EQ(types[3].identifier, Token("Thing"));
  EXPECT_THAT(types[3].bases, ElementsAre(Token("UsdTyped")));
}

TEST(PlugInfoTest, WrongFilesAreErrors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "not valid JSON"},
      {"{\"Plugins\": [", "not valid JSON"},
      {"[]", "not a JSON object"},
      {"{\"Plugins\": 3}", "not an array"},
      {"{\"Plugins\": [3]}", "not an object"},
      {"{\"Plugins\": [{\"Info\": {\"Types\": []}}]}", "not an object"},
  };
  for (const auto& [text, reason] : kCases) {
    const auto file = ParsePlugInfo(text, "/");
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(reason)) << text;
  }
  EXPECT_FALSE(ParsePlugInfo(std::string(100000, '['), "/").ok());
}

class ReadPlugInfosTest : public ::testing::Test {
 protected:
  ReadPlugInfosTest() : root_(fs::path(::testing::TempDir()) / "plug_infos") {
    fs::remove_all(root_);
    for (const char* folder : {"a", "b/resources", "b/c/resources"}) Write(folder, Plugin(folder));
  }
  ~ReadPlugInfosTest() override { fs::remove_all(root_); }

  static std::string Plugin(const std::string& name) {
    return "{\"Plugins\": [{\"Name\": \"" + name + "\", \"Info\": {}}]}";
  }
  void Write(const fs::path& folder, const std::string& text) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / "plugInfo.json") << text;
  }
  std::vector<std::string> Names(const fs::path& path) {
    std::vector<std::string> names;
    const auto plugins = ReadPlugInfos(path);
    EXPECT_TRUE(plugins.ok()) << plugins.status();
    if (plugins.ok()) {
      for (const PlugInfo& plugin : *plugins) names.push_back(plugin.name);
    }
    return names;
  }

  const fs::path root_;
};

TEST_F(ReadPlugInfosTest, TakesFilesAndFolders) {
  EXPECT_THAT(Names(root_ / "a"), ElementsAre("a"));
  EXPECT_THAT(Names(root_ / "a" / ""), ElementsAre("a"));
  EXPECT_THAT(Names(root_ / "a" / "plugInfo.json"), ElementsAre("a"));
  EXPECT_FALSE(ReadPlugInfos(root_ / "none").ok());
}

TEST_F(ReadPlugInfosTest, FollowsIncludesOnce) {
  const struct {
    const char* includes;
    std::vector<std::string> names;
  } kCases[] = {
      {"\"a/\"", {"a"}},
      {"\"a\", \"a/\", \"a/plugInfo.json\"", {"a"}},
      {"\"missing/\"", {}},
      {"\"*/\"", {"a"}},
      {"\"*/resources/\"", {"b/resources"}},
      {"\"b/**/\"", {"b/resources", "b/c/resources"}},
      {"\"**\"", {"a", "b/resources", "b/c/resources"}},
      {"\"\"", {}},
  };
  for (const auto& c : kCases) {
    Write("", std::string("{\"Includes\": [") + c.includes + "]}");
    EXPECT_THAT(Names(root_), ::testing::UnorderedElementsAreArray(c.names)) << c.includes;
  }
}

}  // namespace
}  // namespace stagedoor

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
  EXPECT_EQ(types[2].kind, SchemaKind::kMultipleApplyApi);
  EXPECT_EQ(types[3].identifier, Token("Thing"));
  EXPECT_THAT(types[3].bases, ElementsAre(Token("UsdTyped")));
}

TEST(PlugInfoTest, MalformedFilesAreErrors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "not valid JSON"},
      {"{\"Plugins\": [", "not valid JSON"},
      {"[]", "not a JSON object"},
      {"{\"Plugins\": 3}", "not an array"},
      {"{\"Plugins\": [3]}", "an entry of \"Plugins\" is not an object"},
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

TEST_F(ReadPlugInfosTest, AcceptsFilesAndFolders) {
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

TEST_F(ReadPlugInfosTest, WildcardsMatchWithinAndAcrossFolders) {
  for (const char* folder : {"x/plug", "x/plug2", "x/y/plug", "x/y/z/plug", "xy"}) {
    Write(std::string("w/") + folder, Plugin(folder));
  }
  const struct {
    const char* include;
    std::vector<std::string> names;
  } kCases[] = {
      {"w/x/*", {"x/plug", "x/plug2"}},
      {"w/x/*/", {"x/plug", "x/plug2"}},
      {"w/x/pl*", {"x/plug", "x/plug2"}},
      {"w/x/pl*g/", {"x/plug"}},
      {"w/x/*lug2/plugInfo.json", {"x/plug2"}},
      {"w/x*/", {"xy"}},
      {"w/x*/plug/", {"x/plug"}},
      {"w/*/*/plug/", {"x/y/plug"}},
      {"w/x/*/*/", {"x/y/plug"}},
      {"w/**/plug/", {"x/plug", "x/y/plug", "x/y/z/plug"}},
      {"w/x/**/plug/", {"x/y/plug", "x/y/z/plug"}},
      {"w/x/**plug/", {"x/plug", "x/y/plug", "x/y/z/plug"}},
      {"w/**/z/*/", {"x/y/z/plug"}},
      {"w/**2/", {"x/plug2"}},
      {"w/x/*/nothing/", {}},
      {"w/x/plug*a*/", {}},
      {"nowhere/*/", {}},
  };
  for (const auto& c : kCases) {
    Write("", std::string("{\"Includes\": [\"") + c.include + "\"]}");
    EXPECT_THAT(Names(root_), ::testing::UnorderedElementsAreArray(c.names)) << c.include;
  }
}

TEST_F(ReadPlugInfosTest, WildcardsSearchSixteenFoldersDeep) {
  std::string folder = "deep";
  for (int depth = 1; depth <= 18; ++depth) {
    if (depth >= 15) Write(folder, Plugin(std::to_string(depth)));
    folder += "/d";
  }
  Write("", R"({"Includes": ["deep/**/plugInfo.json"]})");
  // The file in the seventeenth folder, at depth 16, is the last one that is found.
  EXPECT_THAT(Names(root_), UnorderedElementsAre("15", "16", "17"));
}

TEST_F(ReadPlugInfosTest, FilesOverSixteenMebibytesAreRejected) {
  const std::string plugin = Plugin("big");
  Write("big", plugin + std::string((16 << 20) - plugin.size(), ' '));
  EXPECT_THAT(Names(root_ / "big"), ElementsAre("big"));
  Write("big", plugin + std::string((16 << 20) - plugin.size() + 1, ' '));
  const absl::Status status = ReadPlugInfos(root_ / "big").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("big/plugInfo.json: exceeds the limit of 16 MiB"));
}

TEST_F(ReadPlugInfosTest, ErrorsNameTheFile) {
  EXPECT_EQ(ReadPlugInfos(root_ / "none").status().code(), absl::StatusCode::kNotFound);
  Write("bad", "[]");
  for (const char* include : {"bad/", "ba*/", "**"}) {
    Write("", std::string("{\"Includes\": [\"") + include + "\"]}");
    const absl::Status status = ReadPlugInfos(root_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << include;
    EXPECT_THAT(std::string(status.message()), HasSubstr("bad/plugInfo.json")) << include;
  }
}

TEST_F(ReadPlugInfosTest, IncludedPluginsComeAfterTheFilesOwn) {
  Write(
      "a",
      R"({"Plugins": [{"Name": "own"}, {"Name": "second"}], "Includes": ["../b/resources/", "../"]})");
  Write("", R"({"Includes": ["missing/", "a/"]})");
  EXPECT_THAT(Names(root_), ElementsAre("own", "second", "b/resources"));
}

// Parses a plug-in with one type.
SchemaTypeDeclaration Type(const std::string& json) {
  const auto file =
      ParsePlugInfo(R"({"Plugins": [{"Info": {"Types": {"T": )" + json + "}}}]}", "/");
  EXPECT_TRUE(file.ok()) << file.status();
  if (!file.ok() || file->plugins[0].types.size() != 1) return {};
  return file->plugins[0].types[0];
}

TEST(PlugInfoTest, ReadsSchemaKinds) {
  const std::pair<const char*, SchemaKind> kCases[] = {
      {"abstractBase", SchemaKind::kAbstractBase},
      {"abstractTyped", SchemaKind::kAbstractTyped},
      {"concreteTyped", SchemaKind::kConcreteTyped},
      {"nonAppliedAPI", SchemaKind::kNonAppliedApi},
      {"singleApplyAPI", SchemaKind::kSingleApplyApi},
      {"multipleApplyAPI", SchemaKind::kMultipleApplyApi}};
  for (const auto& [word, kind] : kCases) {
    EXPECT_EQ(Type(std::string(R"({"schemaKind": ")") + word + "\"}").kind, kind) << word;
  }
  for (const char* json :
       {R"({"schemaKind": "other"})", R"({"schemaKind": ""})", R"({"schemaKind": 3})", "{}"}) {
    EXPECT_EQ(Type(json).kind, std::nullopt) << json;
  }
}

TEST(PlugInfoTest, AnIdentifierTakesPrecedenceOverAnAlias) {
  EXPECT_EQ(Type(R"({"schemaIdentifier": "A", "alias": {"UsdSchemaBase": "B"}})").identifier,
            Token("A"));
  EXPECT_EQ(Type(R"({"alias": {"UsdSchemaBase": "B"}})").identifier, Token("B"));
  for (const char* json : {"{}", R"({"alias": "B"})", R"({"alias": {"Other": "B"}})",
                           R"({"alias": {"UsdSchemaBase": 3}})"}) {
    EXPECT_EQ(Type(json).identifier, Token()) << json;
  }
}

TEST(PlugInfoTest, ListsSkipEntriesThatAreNotStrings) {
  const SchemaTypeDeclaration type = Type(R"({
      "bases": [1, "A", null, "B"], "apiSchemaAutoApplyTo": "X"})");
  EXPECT_THAT(type.bases, ElementsAre(Token("A"), Token("B")));
  EXPECT_THAT(type.auto_apply_to, IsEmpty());
}

TEST(PlugInfoTest, PartsOfAPluginMayBeMissing) {
  const auto file = ParsePlugInfo(R"({"Plugins": [
      {}, {"Info": 3}, {"Info": {"SdfMetadata": 3}},
      {"Info": {"SdfMetadata": {"skipped": 3, "a": {"type": "int", "appliesTo": "prims"},
                                "b": {"appliesTo": ["layers", 3, "prims"]}},
                "Types": {"Skipped": 3, "T": {}}}}], "Includes": "none"})",
                                  "/f");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->plugins.size(), 4);
  EXPECT_EQ(file->plugins[0].resources, fs::path("/f/"));
  EXPECT_THAT(file->includes, IsEmpty());
  const auto& fields = file->plugins[3].metadata;
  ASSERT_EQ(fields.size(), 2);
  EXPECT_EQ(fields[0].name, "a");
  EXPECT_EQ(fields[0].type, "int");
  EXPECT_THAT(fields[0].applies_to, ElementsAre("prims"));
  EXPECT_THAT(fields[1].applies_to, ElementsAre("layers", "prims"));
  EXPECT_FALSE(fields[0].default_parts.has_value());
  ASSERT_EQ(file->plugins[3].types.size(), 1);
  EXPECT_EQ(file->plugins[3].types[0].type_name, Token("T"));
}

TEST(PlugInfoTest, CommentsAreWholeLines) {
  const auto names = [](const std::string& text) {
    const auto file = ParsePlugInfo(text, "/");
    std::vector<std::string> result;
    if (!file.ok()) return std::vector<std::string>{"error"};
    for (const PlugInfo& plugin : file->plugins) result.push_back(plugin.name);
    return result;
  };
  const std::string text = R"({"Plugins": [{"Name": "p"}]})";
  EXPECT_THAT(names("#c\n" + text), ElementsAre("p"));
  EXPECT_THAT(names(" \t#c\r\n\n" + text + "\n# the end"), ElementsAre("p"));
  EXPECT_THAT(names("\n\n" + text + "\n#"), ElementsAre("p"));
  EXPECT_THAT(names("#" + text), ElementsAre("error"));
  EXPECT_THAT(names(text + " # behind"), ElementsAre("error"));
  EXPECT_THAT(names("{\"Plugins\": [\n#{\"Name\": \"no\"},\n{\"Name\": \"#\"}]}"),
              ElementsAre("#"));
}

}  // namespace
}  // namespace stagedoor

#include "server/config/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

using Kind = ConfigNode::Kind;

std::string ErrorOf(const std::string& text) {
  ConfigErrors errors("f");
  ReadYaml(text, errors);
  return std::string(Message(errors.status()));
}

TEST(YamlReaderTest, BuildsATreeWithPositions) {
  ConfigErrors errors("f");
  const ConfigNode root = ReadYaml("a: 1\nb:\n  - x\n  - {c: 'off', d: ~}\n", errors);
  ASSERT_TRUE(errors.empty()) << errors.status();
  ASSERT_EQ(root.kind, Kind::kMap);
  ASSERT_EQ(root.keys.size(), 2u);
  EXPECT_EQ(root.keys[1].text, "b");
  EXPECT_EQ(root.keys[1].position.line, 2);
  EXPECT_EQ(root.keys[1].position.column, 1);
  EXPECT_EQ(root.items[0].kind, Kind::kText);
  EXPECT_EQ(root.items[0].text, "1");
  EXPECT_EQ(root.items[0].position.line, 1);
  EXPECT_EQ(root.items[0].position.column, 4);
  const ConfigNode& list = root.items[1];
  ASSERT_EQ(list.kind, Kind::kList);
  ASSERT_EQ(list.items.size(), 2u);
  EXPECT_EQ(list.items[0].text, "x");
  const ConfigNode& map = list.items[1];
  ASSERT_EQ(map.kind, Kind::kMap);
  EXPECT_EQ(map.items[0].text, "off");
  EXPECT_EQ(map.items[0].position.line, 4);
  EXPECT_EQ(map.items[0].position.column, 9);
  EXPECT_EQ(map.items[1].kind, Kind::kNull);
  EXPECT_EQ(map.items[1].position.column, 16) << "that of the key";
}

TEST(YamlReaderTest, AnEmptyDocumentIsAnEmptyMap) {
  for (const char* text : {"", "# comment\n", "---\n", "---\n...\n", "{}"}) {
    ConfigErrors errors("f");
    const ConfigNode root = ReadYaml(text, errors);
    EXPECT_TRUE(errors.empty()) << text << ": " << errors.status();
    EXPECT_EQ(root.kind, Kind::kMap) << text;
    EXPECT_TRUE(root.keys.empty()) << text;
  }
}

TEST(YamlReaderTest, RejectsWhatAConfigurationDoesNotNeed) {
  const struct {
    std::string text, error;
  } kCases[] = {
      {"a: [1, 2\nb: 3\n", "f:2:2: not valid YAML: end of sequence flow not found"},
      {"a: &x 1\nb: *x\n", "f:1:4: anchors and aliases are not supported; repeat the value"},
      {"b: *x\n", "f:1:4: not valid YAML: the referenced anchor is not defined"},
      {"a: !!str 1\n", "f:1:4: tags are not supported"},
      {"a: !x [1]\n", "f:1:4: tags are not supported"},
      {"a: !x {b: 1}\n", "f:1:4: tags are not supported"},
      {"a: 1\n---\nb: 2\n", "f:2:1: the file must be one YAML document"},
      {"[a]: 1\n", "f:1:1: keys must be texts"},
      {"{~: 1}\n", "f:1:2: keys must be texts"},
      {"{{}: 1}\n", "f:1:2: keys must be texts"},
      {"a: \"x\\ny\"\n", "f:1:4: texts must be one line without control characters"},
      {"a: \"\\0\"\n", "f:1:4: texts must be one line without control characters"},
      {"a: \"\\x7f\"\n", "f:1:4: texts must be one line without control characters"},
      {"a: 1\nb: 2\na: 3\n", "f:3:1: key 'a' is given twice; the first is on line 1"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ErrorOf(c.text), c.error) << c.text;
}

TEST(YamlReaderTest, FilesAreTextInUtf8) {
  using std::string_literals::operator""s;
  EXPECT_EQ(ErrorOf("a: \xc3\xa9\r\nb:\t1\r\n"), "");
  EXPECT_EQ(ErrorOf("\xef\xbb\xbf"
                    "a: 1\n"),
            "")
      << "a byte order mark";
  EXPECT_EQ(ErrorOf("a: \xe9\n"), "f:1:1: the file must be valid UTF-8");
  for (const std::string& text : {"a: 1\n\0b: 2"s, "a: 1\n\x04"s, "\na\0:\0"s, "\n\x7f"s}) {
    EXPECT_EQ(ErrorOf(text), "f:2:1: the file must be text without control characters");
  }
}

TEST(YamlReaderTest, SizesAreBounded) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(ErrorOf(nested(kMaxConfigDepth)), "");
  EXPECT_EQ(ErrorOf(nested(kMaxConfigDepth + 1)), "f:1:17: more than 16 levels");
  EXPECT_NE(ErrorOf(nested(100000)), "");

  std::string list = "[0";
  for (size_t i = 2; i < kMaxConfigNodes; ++i) list += ",0";
  EXPECT_EQ(ErrorOf(list + "]"), "") << "the list and its elements";
  EXPECT_NE(ErrorOf(list + ",0]").find(": more than 20000 values"), std::string::npos);

  std::string map;
  for (size_t i = 0; i < kMaxConfigKeys; ++i) map += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(ErrorOf(map), "");
  EXPECT_EQ(ErrorOf(map + "k: 1\n"), "f:1001:1: more than 1000 keys");

  const std::string comment = "#" + std::string(kMaxConfigBytes - 1, ' ');
  EXPECT_EQ(ErrorOf(comment), "");
  EXPECT_EQ(ErrorOf(comment + " "), "f:1:1: the file is larger than 1048576 bytes");
}

TEST(ConfigErrorsTest, FurtherErrorsAreCounted) {
  ConfigErrors errors("f");
  EXPECT_TRUE(errors.status().ok());
  for (size_t i = 0; i < ConfigErrors::kMaxReported + 3; ++i) errors.AddAt({.line = 2}, "x", i);
  const std::string message(Message(errors.status()));
  EXPECT_EQ(message.find("f:2:1: x0\nf:2:1: x1\n"), 0u);
  EXPECT_NE(message.find("f:2:1: x19\nand 3 more errors"), std::string::npos);
}

TEST(ConfigNodeTest, EqualityIgnoresPositions) {
  ConfigErrors errors("f");
  const ConfigNode a = ReadYaml("a: [1, {b: 2}]", errors);
  EXPECT_EQ(a, ReadYaml("\n  a:\n  - '1'\n  - b: 2\n", errors));
  for (const char* other : {"a: [1, {b: 3}]", "a: [1, {c: 2}]", "a: [1]", "a: 1", "{}"}) {
    EXPECT_FALSE(a == ReadYaml(other, errors)) << other;
  }
}

}  // namespace
}  // namespace stagedoor::server

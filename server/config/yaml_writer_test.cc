#include "server/config/yaml_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/config/yaml_reader.h"

namespace stagedoor::server {
namespace {

TEST(YamlTextTest, QuotesOnlyWhatNeedsIt) {
  const struct {
    std::string text, expected;
  } kCases[] = {{"127.0.0.1:0", "127.0.0.1:0"},
                {"unix:/run/x.sock", "unix:/run/x.sock"},
                {"/show", "/show"},
                {"s3://bucket/show", "s3://bucket/show"},
                {"64M", "64M"},
                {"true", "true"},
                {"", "\"\""},
                {"Null", "\"Null\""},
                {"*", "\"*\""},
                {"~", "\"~\""},
                {"-x", "\"-x\""},
                {"studio:", "\"studio:\""},
                {"a b", "\"a b\""},
                {"a#b", "\"a#b\""},
                {"a,b", "\"a,b\""},
                {"[::1]:0", "\"[::1]:0\""},
                {"\"\\", "\"\\\"\\\\\""},
                {"é", "\"é\""},
                {"a\n\x7f", "\"a\\x0a\\x7f\""},
                {"\x10\x1f", "\"\\x10\\x1f\""}};
  for (const auto& c : kCases) EXPECT_EQ(YamlText(c.text), c.expected);
  EXPECT_EQ(YamlTextList({}), "[]");
  EXPECT_EQ(YamlTextList(std::vector<std::string>{"a", "b c"}), "[a, \"b c\"]");
}

TEST(WriteYamlTest, WritesBlocksWithListsOfTextsOnOneLine) {
  ConfigErrors errors("f");
  const std::string text = R"(  tokens:
    - issuer: https://sso
      claims: {}
    - [a, "*"]
  roles:
    - - x:
          y: null
      - []
  none: []
)";
  const ConfigNode node = ReadYaml(text, errors);
  ASSERT_TRUE(errors.empty()) << errors.status();
  EXPECT_EQ(WriteYaml(node, 2), text);
}

TEST(WriteYamlTest, ReadingGivesTheSameTree) {
  for (const std::string text :
       {"a: [[b, {c: d}], []]", "[{a: 1}, {b: {}}, [[x]]]", "x", "", "{'': '', \"a: b\": '#'}",
        "[\"\\uFEFFx\", \"\\u0085\\u2028\\uFFFF\", \"\\U0001F600\"]",
        "[~, 'null', \"-\", '? x', \"it's\", '\\', '%', '@a', '`']"}) {
    ConfigErrors errors("f");
    const ConfigNode node = ReadYaml(text, errors);
    EXPECT_EQ(ReadYaml(WriteYaml(node, 2), errors), node) << WriteYaml(node, 2);
    EXPECT_TRUE(errors.empty()) << errors.status();
  }
}

}  // namespace
}  // namespace stagedoor::server

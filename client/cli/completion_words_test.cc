#include "client/cli/completion_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor {
namespace {

using Words = std::vector<std::string>;

TEST(CompletionWordsTest, LiteralsAreWords) {
  const Completion choice = CompletionOf("all|none|on-open");
  EXPECT_EQ(choice.kind, Completion::Kind::kWords);
  EXPECT_EQ(choice.words, (Words{"all", "none", "on-open"}));
  EXPECT_EQ(CompletionOf("a").kind, Completion::Kind::kWords);
  EXPECT_EQ(CompletionOf("z").kind, Completion::Kind::kWords);
}

TEST(CompletionWordsTest, PlaceholdersAreNot) {
  EXPECT_EQ(CompletionOf("FILE").kind, Completion::Kind::kFiles);
  EXPECT_EQ(CompletionOf("FILE|-").kind, Completion::Kind::kFiles);
  for (const char* placeholder : {"", "HOST:PORT", "PATH", "all|N", "all|"}) {
    EXPECT_EQ(CompletionOf(placeholder).kind, Completion::Kind::kNothing) << placeholder;
    EXPECT_EQ(CompletionOf(placeholder).words, Words()) << placeholder;
  }
}

TEST(CompletionWordsTest, ArgumentsLoseTheirBrackets) {
  CommandSpec command{};
  EXPECT_EQ(ArgumentsOf(command), Words());
  command.arguments = "ROOT PATH… [TIME]";
  EXPECT_EQ(ArgumentsOf(command), (Words{"ROOT", "PATH", "TIME"}));
}

TEST(CompletionWordsTest, ShellsReadQuotedTextAsItIs) {
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a $b"), "'a $b'");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace stagedoor

#include "base/flag_parser.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace stagedoor {
namespace {

using Args = std::vector<std::string>;

const std::vector<FlagSpec>& Known() {
  static const auto* known = new std::vector<FlagSpec>{
      {.name = "depth", .value = "N"},
      {.name = "help", .value = "", .letter = "h"},
      {.name = "mask",
       .value = "PATH…",
       .letter = "m",
       .takes_more = [](std::string_view word) { return word.starts_with('/'); }},
  };
  return *known;
}

absl::StatusOr<ParsedArgs> Parse(const Args& args) {
  return ParseArgs(args, Known(), "program --help");
}

std::string ErrorOf(const Args& args) {
  const auto parsed = Parse(args);
  return parsed.ok() ? "" : std::string(Message(parsed.status()));
}

std::string TextOf(const Args& args) {
  const auto parsed = Parse(args);
  if (!parsed.ok()) return "error";
  std::string text;
  for (const ParsedFlag& flag : parsed->flags) text += flag.name + "=" + flag.value + " ";
  for (const std::string& argument : parsed->arguments) text += "[" + argument + "]";
  return text;
}

TEST(FlagParserTest, FlagsStandAnywhere) {
  EXPECT_EQ(TextOf({"a", "--depth", "3", "b", "--depth=4", "-h"}), "depth=3 depth=4 help= [a][b]");
  EXPECT_EQ(TextOf({}), "");
}

TEST(FlagParserTest, AfterTwoDashesEveryWordIsAnArgument) {
  EXPECT_EQ(TextOf({"-", "--", "--depth", "-h", "--"}), "[-][--depth][-h][--]");
}

TEST(FlagParserTest, ValuesMayBeEmptyOrBeginWithADash) {
  EXPECT_EQ(TextOf({"--depth", "-1", "--depth=", "--depth=--x=y", "--depth", ""}),
            "depth=-1 depth= depth=--x=y depth= ");
}

TEST(FlagParserTest, SomeFlagsTakeFurtherWords) {
  EXPECT_EQ(TextOf({"-m", "x", "/a", "/b", "c", "/d"}), "mask=x mask=/a mask=/b [c][/d]");
  EXPECT_EQ(TextOf({"--mask=x", "/a"}), "mask=x [/a]");
}

TEST(FlagParserTest, ErrorsNameTheFlag) {
  EXPECT_EQ(ErrorOf({"--dept=1"}),
            "unknown flag '--dept'; did you mean --depth? (see program --help)");
  EXPECT_EQ(ErrorOf({"--frobnicate"}), "unknown flag '--frobnicate' (see program --help)");
  EXPECT_EQ(ErrorOf({"-x"}), "unknown flag '-x' (see program --help)");
  EXPECT_EQ(ErrorOf({"--=1"}), "unknown flag '--' (see program --help)");
  EXPECT_EQ(ErrorOf({"--depth"}), "--depth needs a value: --depth=N");
  EXPECT_EQ(ErrorOf({"--depth", "--help"}), "--depth needs a value: --depth=N");
  EXPECT_EQ(ErrorOf({"--help=yes"}), "--help takes no value");
}

TEST(FlagParserTest, LikelyFlagsAreSuggestedFirst) {
  const auto error = [](const Args& args, const Args& likely) {
    return std::string(Message(ParseArgs(args, Known(), "program --help", likely).status()));
  };
  EXPECT_EQ(error({"--hepl"}, {"heal"}),
            "unknown flag '--hepl'; did you mean --heal? (see program --help)");
  EXPECT_EQ(error({"--hepl"}, {"mask"}),
            "unknown flag '--hepl'; did you mean --help? (see program --help)");
}

}  // namespace
}  // namespace stagedoor

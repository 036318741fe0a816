#include "scene/paths/path_expression.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Tree = PathExpression;

Tree Parse(std::string_view text) {
  const auto tree = Tree::Parse(text);
  EXPECT_TRUE(tree.ok()) << text << ": " << tree.status();
  return tree.ok() ? *tree : Tree();
}

Path P(std::string_view text) { return *Path::Parse(text); }

// Evaluates "named:X", which is true if the name of the object is X.
bool Holds(Path path, const PredicateCall& call) {
  if (call.function != "named") return false;
  for (const PredicateArgument& argument : call.arguments) {
    const auto* name = std::get_if<std::string>(&argument.value);
    if (name && path.name().text() == *name) return true;
  }
  return false;
}

struct TextCase {
  const char* text;
  const char* normal;    // null if malformed
  const char* absolute;  // anchored to /W/P
};
constexpr TextCase kTextCases[] = {
#include "scene/paths/path_expression_cases.inc"
};

TEST(PathExpressionTest, ParsesAndWritesLikeOpenUsd) {
  for (const TextCase& c : kTextCases) {
    const auto tree = Tree::Parse(c.text);
    EXPECT_EQ(tree.ok(), c.normal != nullptr) << c.text << " " << tree.status();
    if (!tree.ok() || !c.normal) continue;
    EXPECT_EQ(tree->ToText(), c.normal) << c.text;
    EXPECT_EQ(tree->MakeAbsolute(P("/W/P")).ToText(), c.absolute) << c.text;
    EXPECT_EQ(Parse(tree->ToText()).ToText(), c.normal) << c.text;
  }
}

TEST(PathExpressionTest, NestingIsBounded) {
  EXPECT_FALSE(Tree::Parse(std::string(100000, '(') + "A").ok());
  EXPECT_FALSE(Tree::Parse("//{" + std::string(100000, '(') + "a").ok());
  std::string chain = "A";
  for (int i = 0; i < 50000; ++i) chain += " A";
  EXPECT_EQ(Parse(chain).ToText().size(), chain.size());
}

// '^' marks the position of the error.
TEST(PathExpressionTest, ErrorsStatePositionAndReason) {
  static constexpr struct {
    const char* text;
    const char* expected;
  } kCases[] = {
      {"A ^!", "expected the end of the expression"},
      {"A + ^", "expected a path expression"},
      {"A & ^+", "expected a path expression"},
      {"~^~A", "expected a path expression"},
      {"(A^", "expected ')'"},
      {"( A + B ^", "expected ')'"},
      {"%^x", "expected ':' and a collection name"},
      {"%/A^", "expected ':' and a collection name"},
      {"%/A:^", "expected a collection name"},
      {"%:^1", "expected a collection name"},
      {"%/A/^:x", "expected a name"},
      {"/A/^", "expected an element of a path pattern"},
      {"../^", "expected an element of a path pattern"},
      {"/A.^", "expected a property after '.'"},
      {"/A[^]", "malformed character class"},
      {"/A[!^]", "malformed character class"},
      {"/A[b^", "malformed character class"},
      {"/A{x^", "expected '}'"},
      {"/A{^}", "expected a predicate"},
      {"/A{x and ^}", "expected a predicate"},
      {"/A{(x^", "expected ')'"},
      {"/A{x(1 ^2)}", "expected ')'"},
      {"/A{x:1^:2}", "unexpected ':'"},
      {"/A{x(a = 1, ^2)}", "positional argument after a keyword argument"},
      {"/A{x('a^", "unterminated string"},
      {"/A{x(^1.)}", "expected digits"},
      {"/A{x(^1e)}", "expected digits"},
  };
  for (const auto& c : kCases) {
    std::string text = c.text;
    const size_t at = text.find('^');
    text.erase(at, 1);
    EXPECT_EQ(std::string(Tree::Parse(text).status().message()),
              std::string("malformed path expression: ") + c.expected + " at character " +
                  std::to_string(at + 1))
        << text;
  }
}

TEST(PathExpressionTest, BlanksMaySeparateAllWords) {
  const std::pair<const char*, const char*> kCases[] = {
      {" \tA\t+ B ", "A+B"},
      {"( A )", "(A)"},
      {"~ A", "~A"},
      {"A  &\tB", "A&B"},
      {"/A{ x }", "/A{x}"},
      {"/A{ not  x }", "/A{not x}"},
      {"/A{ ( x  or\ty ) }", "/A{(x or y)}"},
      {"/A{x ( 1 ,\ta = 'b' , c = 2 )}", "/A{x(1,a='b',c=2)}"},
  };
  for (const auto& [text, plain] : kCases) {
    EXPECT_EQ(Parse(text).ToText(), Parse(plain).ToText()) << text;
  }
}

TEST(PathExpressionTest, NestingEndsAtItsLimit) {
  const auto nested = [](const char* before, size_t depth, const char* behind) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += '(';
    return before + text + "x" + std::string(depth, ')') + behind;
  };
  EXPECT_TRUE(Tree::Parse(nested("", 127, "")).ok());
  EXPECT_FALSE(Tree::Parse(nested("", 128, "")).ok());
  // The pattern itself counts as one level.
  EXPECT_TRUE(Tree::Parse(nested("/A{", 126, "}")).ok());
  EXPECT_FALSE(Tree::Parse(nested("/A{", 127, "}")).ok());
  // Closed parentheses do not count.
  std::string many = "(x)";
  for (int i = 0; i < 300; ++i) many += " + (~x)";
  EXPECT_TRUE(Tree::Parse(many).ok());
}

TEST(PathExpressionTest, LengthIsBounded) {
  std::string text(Tree::kMaxTextBytes, 'a');
  EXPECT_TRUE(Tree::Parse(text).ok());
  EXPECT_FALSE(Tree::Parse(text + 'a').ok());
}

TEST(PathExpressionTest, MatchesLikeOpenUsd) {
  const std::vector<std::string> all = {
      "/",     "/A",       "/A/A", "/A/A/B", "/A/A/B/C", "/A/A/B/A", "/A/A/B/A/B", "/A/B1",
      "/A/Bc", "/A/Bc/B1", "/P",   "/A.x",   "/A/A.x",   "/A/A/B.y", "/A/A/B/C.x", "/A/A/B/A/B.z"};
  const struct {
    const char* expression;
    std::vector<std::string> matches;
  } kCases[] = {
      {"//", all},
      {"~//", {}},
      {"/", {"/"}},
      {"/A//*",
       {"/A/A", "/A/A/B", "/A/A/B/C", "/A/A/B/A", "/A/A/B/A/B", "/A/B1", "/A/Bc", "/A/Bc/B1"}},
      {"~/A//", {"/", "/P"}},
      {"//A", {"/A", "/A/A", "/A/A/B/A"}},
      {"//A/B", {"/A/A/B", "/A/A/B/A/B"}},
      {"//A//B", {"/A/A/B", "/A/A/B/A/B"}},
      {"//A//A//A", {"/A/A/B/A"}},
      {"//*//*//*//*", {"/A/A/B/C", "/A/A/B/A", "/A/A/B/A/B"}},
      {"//A//B//",
       {"/A/A/B", "/A/A/B/C", "/A/A/B/A", "/A/A/B/A/B", "/A/A/B.y", "/A/A/B/C.x", "/A/A/B/A/B.z"}},
      {"/A//A/B", {"/A/A/B", "/A/A/B/A/B"}},
      {"/A//A//B/A/B", {"/A/A/B/A/B"}},
      {"//B?", {"/A/B1", "/A/Bc", "/A/Bc/B1"}},
      {"//B[0-9]", {"/A/B1", "/A/Bc/B1"}},
      {"//B[!0-9]", {"/A/Bc"}},
      {"//B[a-z1]", {"/A/B1", "/A/Bc", "/A/Bc/B1"}},
      {"/*", {"/A", "/P"}},
      {"/*/*", {"/A/A", "/A/B1", "/A/Bc"}},
      {"/A/*//",
       {"/A/A", "/A/A/B", "/A/A/B/C", "/A/A/B/A", "/A/A/B/A/B", "/A/B1", "/A/Bc", "/A/Bc/B1",
        "/A/A.x", "/A/A/B.y", "/A/A/B/C.x", "/A/A/B/A/B.z"}},
      {"/A/A/B/A//", {"/A/A/B/A", "/A/A/B/A/B", "/A/A/B/A/B.z"}},
      {"//A.x", {"/A.x", "/A/A.x"}},
      {"//*.x", {"/A.x", "/A/A.x", "/A/A/B/C.x"}},
      {"/A//*.x", {"/A/A.x", "/A/A/B/C.x"}},
      {"/A.*", {"/A.x"}},
      {"/A// & //*.x", {"/A.x", "/A/A.x", "/A/A/B/C.x"}},
      {"//B1 - /A/Bc// + /P", {"/A/B1"}},
      {"(//B1 - /A/Bc//) + /P", {"/A/B1", "/P"}},
      {"//A//{named:B}", {"/A/A/B", "/A/A/B/A/B"}},
      {"/A//{named:A}", {"/A", "/A/A", "/A/A/B/A"}},
      {"/A/{named:A}", {"/A/A"}},
      {"/A{named:A}.x", {"/A.x"}},
      {"/A{not named:A}//", {}},
      {"//{named:Bc}//", {"/A/Bc", "/A/Bc/B1"}},
      {"//{named:Bc}/B1", {"/A/Bc/B1"}},
      {"//{named:A or named(B, C)}/{not named:C}",
       {"/A/A", "/A/A/B", "/A/B1", "/A/Bc", "/A/A/B/A", "/A/A/B/A/B"}},
      {"A %:x", {}},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> matches;
    const Tree tree = Parse(c.expression);
    for (const std::string& path : all) {
      if (tree.Matches(P(path), Holds)) matches.push_back(path);
    }
    auto sorted = c.matches;
    std::sort(sorted.begin(), sorted.end());
    std::sort(matches.begin(), matches.end());
    EXPECT_EQ(matches, sorted) << c.expression;
  }
}

TEST(PathExpressionTest, ReferencesAreReplacedAndSimplified) {
  const struct {
    const char* expression;
    const char* nothing;     // with "" for %_
    const char* everything;  // with "//"
  } kCases[] = {
      {"%_ + A", "A", "//"},     {"A + %_", "A", "//"},
      {"%_ A", "A", "//"},       {"%_ - A", "", "~A"},
      {"A - %_", "A", ""},       {"%_ & A", "", "A"},
      {"A & %_", "", "A"},       {"~%_", "//", ""},
      {"%_", "", "//"},          {"A + (%_ & B)", "A", "A + B"},
      {"~(%_ & B)", "//", "~B"}, {"A - (~%_)", "", "A"},
      {"A + ~%_", "//", "A"},    {"A & ~%_", "A", ""},
      {"~%_ - A", "~A", ""},     {"~%_ & A", "A", ""},
      {"~%_ + A", "//", "A"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Parse(c.expression).ComposeOver(Tree()).ToText(), c.nothing) << c.expression;
    EXPECT_EQ(Parse(c.expression).ComposeOver(Tree::Everything()).ToText(), c.everything)
        << c.expression;
  }
  EXPECT_EQ(Parse("%_ A").ComposeOver(Parse("B + C")).ToText(), "(B + C) A");
  EXPECT_EQ(Parse("A - %_").ComposeOver(Parse("B - C")).ToText(), "A - (B - C)");
  EXPECT_EQ(Parse("~%_").ComposeOver(Parse("~A")).ToText(), "A");
  EXPECT_EQ(Parse("%_ %_").ComposeOver(Parse("B C")).ToText(), "B C (B C)");
  EXPECT_EQ(Parse("%_").ComposeOver(Parse("%_ C")).ToText(), "%_ C");
  const auto resolve = [](Path path, const std::string& name) {
    return Parse(path.empty() ? "/Own/" + name : path.ToString() + "/Other_" + name);
  };
  EXPECT_EQ(Parse("%:a %/X:b /C").ResolveReferences(resolve).ToText(), "/Own/a /X/Other_b /C");
}

TEST(PathExpressionTest, PathsAreTranslated) {
  const auto map = [](Path path) {
    return path.HasPrefix(P("/W")) ? path.ReplacePrefix(P("/W"), P("/R")) : Path();
  };
  const std::pair<const char*, const char*> kCases[] = {
      {"//", "//"},          {"//Foo", "//Foo"},
      {"/W/C", "/R/C"},      {"/W//x /X/y", "/R//x"},
      {"/W/C - /X", "/R/C"}, {"%/W:c %/X:d %:e", "%/R:c %:e"},
      {"~/X", "//"},         {"/*", ""},
      {"/W.x", "/R.x"},      {"%_ /W/*", "%_ /R/*"},
  };
  for (const auto& [text, expected] : kCases) {
    EXPECT_EQ(Parse(text).MapPaths(map).ToText(), expected) << text;
  }
}

TEST(GlobTest, MatchesNames) {
  EXPECT_TRUE(MatchesGlob("", "anything"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(MatchesGlob("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(MatchesGlob("**", ""));
  EXPECT_FALSE(MatchesGlob("?", ""));
  EXPECT_TRUE(MatchesGlob("[acx]", "c"));
  EXPECT_FALSE(MatchesGlob("[acx]", "b")) << "without a dash it is not a range";
  EXPECT_TRUE(MatchesGlob("[a-cx]", "b"));
  EXPECT_FALSE(MatchesGlob("[a-cx]", "d"));
  EXPECT_TRUE(MatchesGlob("[a-cx]", "x"));
  EXPECT_FALSE(MatchesGlob("[!a-c]", "b"));
  EXPECT_TRUE(MatchesGlob("[!a-c]", "d"));
  EXPECT_TRUE(MatchesGlob("[a-]", "-")) << "a dash at the end stands for itself";
  EXPECT_FALSE(MatchesGlob("[a-]", "b"));
  EXPECT_TRUE(MatchesGlob("[", "["));
  // Must not backtrack over all stars, which would take exponential time.
  EXPECT_FALSE(MatchesGlob("*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(PathExpressionTest, WorkCountsEveryUseOfATerm) {
  const size_t one = Parse("//A").work();
  EXPECT_EQ(Parse("//A - //B").work(), 1 + 2 * one);
  EXPECT_EQ(Parse("~//A").work(), 1 + one);
  EXPECT_EQ(Tree().work(), 0u);
  Tree tree = Parse("//A");
  const Tree twice = Parse("%_ - ~%_");
  for (int i = 0; i < 10; ++i) tree = twice.ComposeOver(tree);
  EXPECT_GT(tree.work(), one << 10);
  EXPECT_LT(tree.work(), one << 12);
  for (int i = 0; i < 70; ++i) tree = twice.ComposeOver(tree);
  EXPECT_EQ(tree.work(), ~size_t{0}) << "does not overflow";
}

TEST(PathExpressionTest, KnowsWhetherResultsAreConstantBelowAPrim) {
  const struct {
    const char* expression;
    const char* prim;
    bool holds, constant;
  } cases[] = {
      {"/A//", "/A", true, true},          {"/A//", "/B", false, true},
      {"/A/B//", "/A", false, false},      {"/A", "/A", true, false},
      {"/A", "/A/B", false, true},         {"/A.x", "/A", false, false},
      {"/A.x", "/A/B", false, true},       {"/A/?", "/A", false, false},
      {"/A/?", "/A/B", true, false},       {"/A/?", "/A/B/C", false, true},
      {"/A/[X]/?", "/A/B", false, false},  {"//A", "/B/C", false, false},
      {"//A//", "/B/A/C", true, true},     {"~/A/B", "/A", true, false},
      {"~/A/B", "/C", true, true},         {"/C// - /A/B", "/A", false, true},
      {"/A/B + /A//", "/A", true, true},   {"/A// + /A/B", "/A", true, true},
      {"/A// - /A/Q", "/A", true, false},  {"/A// & //Q", "/B", false, true},
      {"%:x", "/A", false, true},          {"//B.x", "/A", false, false},
      {"//B.x", "/A/B", false, false},     {"/A/b*//x", "/A/c", false, true},
      {"/A/b*//x", "/A/b", false, false},  {"/A/b*/c//", "/A/c", false, true},
      {"/A/[X]//x", "/A/X", false, false}, {"/A/{named:c}//x", "/A/c", false, false},
  };
  for (const auto& c : cases) {
    const PathPattern::MatchResult match = Parse(c.expression).MatchPrim(P(c.prim), Holds);
    EXPECT_EQ(match.holds, c.holds) << c.expression << " at " << c.prim;
    EXPECT_EQ(match.constant, c.constant) << c.expression << " at " << c.prim;
  }
}

}  // namespace
}  // namespace stagedoor

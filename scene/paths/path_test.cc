#include "scene/paths/path.h"

#include <string>
#include <thread>

#include "base/interned_bytes.h"
#include "base/request_scope.h"
#include "gtest/gtest.h"
#include "scene/paths/identifier.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

TEST(PathTest, ValidPathsRoundTrip) {
  for (const char* text : {"/",
                           ".",
                           "..",
                           "../..",
                           "/A",
                           "A",
                           "/A/B",
                           "A/B",
                           "../A",
                           ".x",
                           "../.x",
                           "A.x",
                           "/A.x:y:z",
                           "/A{v=s}",
                           "/A{v=s}B",
                           "/A{v=}B",
                           "/A{v=s}{w=t}",
                           "/A{v=s}.x",
                           "/A{v=.1|-x}",
                           "/A.x[/B]",
                           "/A.x[../B]",
                           "/A.x[/B].y",
                           "/A.x[/B].y[/C]",
                           "/A.x[/B{v=s}C.y]",
                           "/A.x.mapper[/B].z",
                           "/A.x.mapper[/B]",
                           "/A.x.expression",
                           "/A.x[/B.y[/C]]",
                           "/\xc3\xa9"}) {
    const auto path = Path::Parse(text);
    ASSERT_TRUE(path.ok()) << text << ": " << path.status();
    EXPECT_EQ(path->ToString(), text);
  }
}

TEST(PathTest, ErrorsOfMalformedPathsNameThePosition) {
  for (const char* text :
       {"",       "/A{v=s}/B", "{v=s}B", "./A",   "/..",       "/A/../B", "/A.",      "/A/",
        "//A",    "/A.x:",     "/A .x",  " /A",   "..{v=s}",   "/A{v}",   "/{v=s}",   "/.x",
        "/A.x[]", "/A.x.y",    "./x",    "./.x",  "../x/..",   "x/..",    "/A{1v=s}", "/A/1x",
        "/A.1x",  "../.",      "/.",     "A/./B", "/A{a:b=s}", "/A{v=s",  "/A.x[/B"}) {
    const auto path = Path::Parse(text);
    EXPECT_FALSE(path.ok()) << text;
    EXPECT_EQ(path.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(path.status().message().find("at character"), absl::string_view::npos);
  }
}

// '^' marks the position of the error.
TEST(PathTest, ErrorsStateWhatIsExpected) {
  static constexpr struct {
    const char* text;
    const char* expected;
  } kCases[] = {
      {"^", "expected a path"},
      {"^ /A", "expected a path"},
      {"^{v=s}B", "expected a path"},
      {"/^/A", "expected the end of the path"},
      {"/A/^", "expected a prim name"},
      {"/A/^1", "expected a prim name"},
      {"/A^ ", "expected the end of the path"},
      {"/A{^}", "expected a variant set name"},
      {"/A{ ^1=s}", "expected a variant set name"},
      {"/A{v ^}", "expected '='"},
      {"/A{v= s ^x}", "expected '}'"},
      {"/A.^", "expected a property name"},
      {"/A.^1", "expected a property name"},
      {"/A.x^:", "expected the end of the path"},
      {"/A.x[^]", "expected a path"},
      {"/A.x[/B^", "expected ']'"},
      {"/A.x[/B].^1", "expected an attribute name"},
      {"/A.x.mapper[/B].^1", "expected an argument name"},
      {"/A.x.mapper[/B^", "expected ']'"},
      {"/A.x^.y", "expected the end of the path"},
      {".^/A", "expected the end of the path"},
      {"../.^", "expected a property name"},
  };
  for (const auto& c : kCases) {
    std::string text = c.text;
    const size_t at = text.find('^');
    text.erase(at, 1);
    EXPECT_EQ(std::string(Path::Parse(text).status().message()),
              "ill-formed path <" + text + "> at character " + std::to_string(at + 1) + ": " +
                  c.expected);
  }
}

TEST(PathTest, VariantSelectionsMayContainBlanks) {
  EXPECT_EQ(P("/A{ \tv = s\t}B"), P("/A{v=s}B"));
  EXPECT_EQ(P("/A{v= }"), P("/A{v=}"));
}

TEST(PathTest, LimitsAreExact) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "/A.x[";
    text += "/B";
    return text + std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(Path::Parse(nested(32)).ok());
  EXPECT_FALSE(Path::Parse(nested(33)).ok());
  const auto long_path = [](size_t elements) {
    std::string text;
    for (size_t i = 0; i < elements; ++i) text += "/A";
    return text;
  };
  EXPECT_TRUE(Path::Parse(long_path(100000)).ok());
  EXPECT_FALSE(Path::Parse(long_path(100001)).ok());
}

TEST(PathTest, AppendingAnUnsuitableElementGivesTheEmptyPath) {
  const Token name("n");
  const Path root = Path::AbsoluteRoot();
  EXPECT_EQ(root.AppendChild(name), P("/n"));
  EXPECT_EQ(P("/A").AppendProperty(name), P("/A.n"));
  EXPECT_EQ(P("/A").AppendVariantSelection(name, Token("v")), P("/A{n=v}"));
  EXPECT_EQ(P("/A.x").AppendTarget(P("/B")), P("/A.x[/B]"));
  EXPECT_EQ(P("/A.x[/B]").AppendRelationalAttribute(name), P("/A.x[/B].n"));
  EXPECT_EQ(P("/A.x").AppendMapper(P("/B")), P("/A.x.mapper[/B]"));
  EXPECT_EQ(P("/A.x.mapper[/B]").AppendMapperArg(name), P("/A.x.mapper[/B].n"));
  EXPECT_EQ(P("/A.x").AppendExpression(), P("/A.x.expression"));
  for (const Path parent : {Path(), P("/A.x"), P("/A.x[/B]"), P("/A.x.mapper[/B]")}) {
    EXPECT_TRUE(parent.AppendChild(name).empty()) << parent.ToString();
    EXPECT_TRUE(parent.AppendVariantSelection(name, name).empty()) << parent.ToString();
    EXPECT_TRUE(parent.AppendProperty(name).empty()) << parent.ToString();
  }
  for (const Path parent : {Path(), root, P("/A"), P("/A{v=s}"), P("/A.x[/B]")}) {
    EXPECT_TRUE(parent.AppendTarget(P("/B")).empty()) << parent.ToString();
    EXPECT_TRUE(parent.AppendMapper(P("/B")).empty()) << parent.ToString();
    EXPECT_TRUE(parent.AppendExpression().empty()) << parent.ToString();
  }
  for (const Path parent : {Path(), root, P("/A"), P("/A.x")}) {
    EXPECT_TRUE(parent.AppendRelationalAttribute(name).empty()) << parent.ToString();
    EXPECT_TRUE(parent.AppendMapperArg(name).empty()) << parent.ToString();
  }
  EXPECT_TRUE(root.AppendVariantSelection(name, name).empty());
}

TEST(PathTest, DeeplyNestedTargetsAreRejected) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "/A.x[";
  EXPECT_FALSE(Path::Parse(text).ok());
}

TEST(TokenTest, InterningBeyondTheLimitThrows) {
  const RequestScope::Guard request({.limits_memory = true});
  const Token known("AKnownName");
  const size_t count = TokenStats().count;
  InternedBytes::SetLimit(1);
  EXPECT_THROW(Token("ANameWithoutRoom"), InternedBytesExhausted);
  EXPECT_EQ(Token("AKnownName"), known);
  InternedBytes::SetLimit(0);
  EXPECT_EQ(TokenStats().count, count);
  EXPECT_EQ(Token("ANameWithoutRoom").text(), "ANameWithoutRoom");
}

TEST(PathTest, CreatingAPathBeyondTheLimitThrows) {
  const RequestScope::Guard request({.limits_memory = true});
  const Path root = *Path::Parse("/WithoutRoom");
  const Token name("AKnownName");
  const size_t count = PathStats().count;
  InternedBytes::SetLimit(1);
  EXPECT_THROW(root.AppendChild(name), InternedBytesExhausted);
  EXPECT_EQ(*Path::Parse("/WithoutRoom"), root);
  InternedBytes::SetLimit(0);
  EXPECT_EQ(PathStats().count, count);
  EXPECT_EQ(root.AppendChild(name).ToString(), "/WithoutRoom/AKnownName");
}

TEST(TokenTest, FindNeverInterns) {
  EXPECT_FALSE(Token::Find("NobodyEverWroteThisToken").has_value());
  EXPECT_FALSE(Token::Find("NobodyEverWroteThisToken").has_value());
}

TEST(PathTest, ParentsAndPrefixes) {
  EXPECT_EQ(P("/A/B.x[/C].y").Parent(), P("/A/B.x[/C]"));
  EXPECT_EQ(P("/A/B.x[/C].y").PrimPath(), P("/A/B"));
  EXPECT_EQ(P("..").Parent(), P("../.."));
  EXPECT_EQ(P(".").Parent(), P(".."));
  EXPECT_TRUE(P("/").Parent().empty());
  EXPECT_TRUE(P("/A/B.x").HasPrefix(P("/A")));
  EXPECT_FALSE(P("/AB").HasPrefix(P("/A")));
  EXPECT_TRUE(P("/A{v=s}B").HasPrefix(P("/A")));
  EXPECT_EQ(P("/A/B/C").CommonPrefix(P("/A/B/D")), P("/A/B"));
}

TEST(PathTest, ReplacePrefixFollowsTargets) {
  EXPECT_EQ(P("/A.r[/A/T]").ReplacePrefix(P("/A"), P("/Z")), P("/Z.r[/Z/T]"));
  EXPECT_EQ(P("/Q.r[/A/T]").ReplacePrefix(P("/A"), P("/Z")), P("/Q.r[/Z/T]"));
  EXPECT_EQ(P("/Q.r[/A/T]").ReplacePrefix(P("/A"), P("/Z"), false), P("/Q.r[/A/T]"));
  EXPECT_EQ(P("/A{v=s}B").ReplacePrefix(P("/A"), P("/Z")), P("/Z{v=s}B"));
  EXPECT_EQ(P("/A/B").ReplacePrefix(P("/"), P("/Z")), P("/Z/A/B"));
}

TEST(PathTest, RelativePathsAreAnchored) {
  EXPECT_EQ(P("../X.y").MakeAbsolute(P("/A/B")), P("/A/X.y"));
  EXPECT_TRUE(P("../../../X").MakeAbsolute(P("/A/B")).empty());
  EXPECT_EQ(P("/A").MakeRelative(P("/B/C")), P("../../A"));
  EXPECT_EQ(P("/A/B.x").MakeRelative(P("/A")), P("B.x"));
  EXPECT_EQ(P("/A/B.x[/A/C]").MakeRelative(P("/A")), P("B.x[/A/C]")) << "targets stay";
}

TEST(PathTest, VariantSelectionsCanBeStripped) {
  EXPECT_EQ(P("/A{v=s}B{w=t}C.x[/Q{v=s}R]").StripVariantSelections(), P("/A/B/C.x[/Q/R]"));
}

TEST(PathTest, OrderIsNamespaceOrder) {
  const char* sorted[] = {"/", "/A", "/A.x", "/A.y", "/A/B", "/A{v=s}", "/A{v=s}C", "/AA", "/B"};
  for (size_t i = 0; i + 1 < std::size(sorted); ++i) {
    EXPECT_TRUE(P(sorted[i]) < P(sorted[i + 1])) << sorted[i];
    EXPECT_FALSE(P(sorted[i + 1]) < P(sorted[i])) << sorted[i];
  }
}

TEST(PathTest, InterningFromManyThreadsGivesOneHandle) {
  std::vector<Path> found(8);
  std::vector<std::thread> threads;
  for (Path& f : found) {
    threads.emplace_back([&f] {
      for (int i = 0; i < 1000; ++i) f = P("/Thread/P" + std::to_string(i) + ".x");
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Path f : found) EXPECT_EQ(f, P("/Thread/P999.x"));
}

TEST(IdentifierTest, FollowsXid) {
  EXPECT_TRUE(IsIdentifier("_a1"));
  EXPECT_TRUE(IsIdentifier("\xc3\xa9t\xc3\xa9"));
  EXPECT_FALSE(IsIdentifier("1a"));
  EXPECT_FALSE(IsIdentifier("a b"));
  EXPECT_FALSE(IsIdentifier("\xff"));
  EXPECT_TRUE(IsNamespacedIdentifier("a:b:c"));
  EXPECT_FALSE(IsNamespacedIdentifier("a:"));
  EXPECT_FALSE(IsIdentifier("\xed\xa0\x80"));  // a surrogate
  EXPECT_FALSE(IsIdentifier("\xc0\x80"));      // overlong
  // The first letter of each length, and the overlong form of the character before it.
  EXPECT_FALSE(IsIdentifier("\xc1\xa1"));
  EXPECT_TRUE(IsIdentifier("\xe0\xa0\x80"));
  EXPECT_FALSE(IsIdentifier("\xe0\x9f\xaa"));
  EXPECT_TRUE(IsIdentifier("\xf0\x90\x80\x80"));
  EXPECT_FALSE(IsIdentifier("\xf0\x8f\xbb\xbc"));
  // New in Unicode 15.1: U+200D and U+30FB continue an identifier, but cannot start one.
  EXPECT_TRUE(IsIdentifier("a\xe2\x80\x8d"));
  EXPECT_TRUE(IsIdentifier("a\xe3\x83\xbb"));
  EXPECT_FALSE(IsIdentifier("\xe3\x83\xbb"));
}

}  // namespace
}  // namespace stagedoor

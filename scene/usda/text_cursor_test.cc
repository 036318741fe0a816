#include "scene/usda/text_cursor.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor::usda {
namespace {

std::string_view Rest(const TextCursor& in) {
  return {in.position(), static_cast<size_t>(in.end() - in.position())};
}

TEST(TextCursorTest, LooksAheadUpToTheEnd) {
  TextCursor in("ab");
  EXPECT_FALSE(in.AtEnd());
  EXPECT_EQ(in.Peek(), 'a');
  EXPECT_EQ(in.PeekAt(0), 'a');
  EXPECT_EQ(in.PeekAt(1), 'b');
  EXPECT_EQ(in.PeekAt(2), '\0');
  EXPECT_TRUE(in.Take('a'));
  EXPECT_FALSE(in.Take('a'));
  EXPECT_TRUE(in.Take('b'));
  EXPECT_TRUE(in.AtEnd());
  EXPECT_EQ(in.Peek(), '\0');
  EXPECT_FALSE(in.Take('\0')) << "the end is not a zero byte";
  TextCursor zero(std::string_view("\0x", 2));
  EXPECT_TRUE(zero.Take('\0'));
  EXPECT_EQ(zero.Peek(), 'x');
}

TEST(TextCursorTest, MovesWithinTheText) {
  const std::string_view text = "abc";
  TextCursor in(text);
  in.MoveTo(text.data() + 2);
  EXPECT_EQ(Rest(in), "c");
  EXPECT_EQ(in.end(), text.data() + 3);
}

// The text that is left after each of the three ways of skipping.
TEST(TextCursorTest, SkipsBlanksAndComments) {
  static constexpr struct {
    const char* text;
    const char* in_line;
    const char* single_line;
    const char* multi_line;
  } kTexts[] = {
      {"", "", "", ""},
      {"x", "x", "x", "x"},
      {" \tx", "x", "x", "x"},
      {" \n x", "\n x", "\n x", "x"},
      {" \r\n x", "\r\n x", "\r\n x", "x"},
      {"/* a */x", "x", "x", "x"},
      {"/* a\nb */ x", "x", "x", "x"},
      {"/**/x", "x", "x", "x"},
      {"/*/x", "/*/x", "/*/x", "/*/x"},
      {"/* a * / x", "/* a * / x", "/* a * / x", "/* a * / x"},
      {" /*a*//*b*/ x", "x", "x", "x"},
      {"# a\nx", "# a\nx", "\nx", "x"},
      {"// a\nx", "// a\nx", "\nx", "x"},
      {"# a", "# a", "", ""},
      {"# a\n# b\n\t// c\r\n/* d */x", "# a\n# b\n\t// c\r\n/* d */x", "\n# b\n\t// c\r\n/* d */x",
       "x"},
      {"/x", "/x", "/x", "/x"},
      {"/", "/", "/", "/"},
      {" ;", ";", ";", ";"},
  };
  for (const auto& t : kTexts) {
    TextCursor in_line(t.text);
    in_line.SkipInline();
    EXPECT_EQ(Rest(in_line), t.in_line) << t.text;
    TextCursor single_line(t.text);
    single_line.SkipSingleLine();
    EXPECT_EQ(Rest(single_line), t.single_line) << t.text;
    TextCursor multi_line(t.text);
    multi_line.SkipMultiLine();
    EXPECT_EQ(Rest(multi_line), t.multi_line) << t.text;
  }
}

TEST(TextCursorTest, SeparatorsNeedABlank) {
  static constexpr struct {
    const char* text;
    bool good;
    const char* rest;
  } kTexts[] = {{" x", true, "x"},          {"\tx", true, "x"},
                {"  /**/ x", true, "x"},    {"/**/ x", true, "x"},
                {"/**//*a*/ x", true, "x"}, {"x", false, "x"},
                {"\nx", false, "\nx"},      {"", false, ""},
                {"/**/x", false, "x"},      {"/x", false, "/x"}};
  for (const auto& t : kTexts) {
    TextCursor in(t.text);
    EXPECT_EQ(in.TakeSeparator(), t.good) << t.text;
    EXPECT_EQ(Rest(in), t.rest) << t.text;
    EXPECT_EQ(in.error(), t.good ? "" : "expected a space") << t.text;
  }
}

TEST(TextCursorTest, AssignmentsMayHaveBlanksAround) {
  static constexpr struct {
    const char* text;
    bool good;
    const char* rest;
  } kTexts[] = {{"=x", true, "x"},       {" = x", true, "x"}, {"/**/=/**/x", true, "x"},
                {"\n=x", false, "\n=x"}, {" x", false, "x"},  {" = \nx", true, "\nx"},
                {"", false, ""}};
  for (const auto& t : kTexts) {
    TextCursor in(t.text);
    EXPECT_EQ(in.TakeAssignment(), t.good) << t.text;
    EXPECT_EQ(Rest(in), t.rest) << t.text;
    EXPECT_EQ(in.error(), t.good ? "" : "expected '='") << t.text;
  }
}

TEST(TextCursorTest, TakesEndsOfStatementsAndLines) {
  static constexpr struct {
    const char* text;
    bool statement;
    bool line;
  } kTexts[] = {{"\nx", true, true}, {"\rx", true, false}, {";x", true, false},
                {"x", false, false}, {"", false, false},   {" \n", false, false}};
  for (const auto& t : kTexts) {
    TextCursor statement(t.text);
    EXPECT_EQ(statement.TakeStatementEnd(), t.statement) << t.text;
    EXPECT_EQ(Rest(statement), std::string_view(t.text).substr(t.statement)) << t.text;
    TextCursor line(t.text);
    EXPECT_EQ(line.TakeLineEnd(), t.line) << t.text;
    EXPECT_EQ(Rest(line), std::string_view(t.text).substr(t.line)) << t.text;
  }
  TextCursor both("\r\nx");
  EXPECT_TRUE(both.TakeLineEnd());
  EXPECT_EQ(Rest(both), "x");
  TextCursor one("\r\nx");
  EXPECT_TRUE(one.TakeStatementEnd());
  EXPECT_EQ(Rest(one), "\nx");
}

// The text that each way of reading a name takes.
TEST(TextCursorTest, TakesNames) {
  static constexpr struct {
    const char* text;
    const char* identifier;
    const char* namespaced;
    const char* plain;
  } kTexts[] = {
      {"", "", "", ""},
      {"abc", "abc", "abc", "abc"},
      {"_a1 b", "_a1", "_a1", "_a1"},
      {"1a", "", "", ""},
      {"-a", "", "", ""},
      {"Az09_.x", "Az09_", "Az09_", "Az09_"},
      {"a:b:c=", "a", "a:b:c", "a"},
      {"a:1", "a", "a", "a"},
      {"a:", "a", "a", "a"},
      {":a", "", "", ""},
      {"a::b::c d", "a", "a", "a::b::c"},
      {"a::", "a", "a", "a"},
      {"a::1", "a", "a", "a"},
      {"a:b::c", "a", "a:b", "a"},
      {"def", "def", "def", ""},
      {"a::def", "a", "a", "a"},
      {"a::defs", "a", "a", "a::defs"},
      {"d\xc3\xa9j\xc3\xa0 x", "d\xc3\xa9j\xc3\xa0", "d\xc3\xa9j\xc3\xa0", "d\xc3\xa9j\xc3\xa0"},
      {"\xc3\xa9:x", "\xc3\xa9", "\xc3\xa9:x", "\xc3\xa9"},
      {"\xe2\x82\xac", "", "", ""},  // the euro sign is not a letter
  };
  for (const auto& t : kTexts) {
    const std::string_view text(t.text);
    TextCursor peeked(text);
    EXPECT_EQ(peeked.PeekIdentifier(), t.identifier) << text;
    EXPECT_EQ(Rest(peeked), text);
    EXPECT_EQ(peeked.TakeIdentifier(), t.identifier) << text;
    EXPECT_EQ(Rest(peeked), text.substr(std::string_view(t.identifier).size())) << text;
    TextCursor namespaced(text);
    EXPECT_EQ(namespaced.TakeNamespacedIdentifier(), t.namespaced) << text;
    EXPECT_EQ(Rest(namespaced), text.substr(std::string_view(t.namespaced).size())) << text;
    TextCursor plain(text);
    EXPECT_EQ(plain.TakePlainIdentifier(), t.plain) << text;
    EXPECT_EQ(Rest(plain), text.substr(std::string_view(t.plain).size())) << text;
  }
}

TEST(TextCursorTest, TakesWholeWordsOnly) {
  static constexpr struct {
    const char* text;
    bool taken;
    bool letter;  // whether a letter beyond ASCII follows the word
  } kTexts[] = {{"rel", true, false},         {"rel x", true, false}, {"rel:x", true, false},
                {"rel\nx", true, false},      {"relx", false, false}, {"rel1", false, false},
                {"rel_", false, false},       {"re", false, false},   {"rex", false, false},
                {"rel\xc3\xa9", false, true}, {"", false, false},     {"x rel", false, false}};
  for (const auto& t : kTexts) {
    TextCursor in(t.text);
    EXPECT_EQ(in.AtWordAndLetter("rel"), t.letter) << t.text;
    EXPECT_EQ(in.TakeWord("rel"), t.taken) << t.text;
    EXPECT_EQ(Rest(in), std::string_view(t.text).substr(t.taken ? 3 : 0)) << t.text;
    EXPECT_FALSE(in.failed()) << t.text;
  }
}

TEST(TextCursorTest, KeywordsAreWordsOfTheGrammar) {
  for (const char* word : {"AnimationBlock", "None", "def", "rel", "variantSet", "variantSets",
                           "varying", "add", "uniform", "timeSamples"}) {
    EXPECT_TRUE(IsKeyword(word)) << word;
  }
  for (const char* word : {"", "Def", "de", "defs", "float", "asset", "edit", "zzz", "A"}) {
    EXPECT_FALSE(IsKeyword(word)) << word;
  }
}

TEST(TextCursorTest, EscapesAreReplaced) {
  static const std::pair<const char*, std::string> kTexts[] = {
      {"", ""},
      {"plain", "plain"},
      {R"(a\nb\tc\r)", "a\nb\tc\r"},
      {R"(\a\b\f\v)", "\a\b\f\v"},
      {R"(\\)", "\\"},
      {R"(\"\')", "\"'"},
      {R"(\q\A)", "qA"},
      {R"(\x41)", "A"},
      {R"(\x4a\x4B)", "JK"},
      {R"(\x30\x0A\xf9)", "0\n\xf9"},
      {R"(\x414)", "A4"},
      {R"(\x4)", "\x04"},
      {R"(\x4g)", "\x04g"},
      {R"(\xg)", std::string(1, '\0') + "g"},
      {R"(\x)", std::string(1, '\0')},
      {R"(\101)", "A"},
      {R"(\1018)", "A8"},
      {R"(\1)", "\1"},
      {R"(\18)",
       "\1"
       "8"},
      {R"(\12)", "\n"},
      {R"(\9)", "9"},
      {R"(\777)", "\xff"},
      {"end\\", "end"},
  };
  for (const auto& [text, expected] : kTexts) EXPECT_EQ(Unescape(text), expected) << text;
}

struct TakenCase {
  const char* text;
  const char* taken;  // null for an error
  const char* rest;   // or the message of the error
  size_t column = 1;  // of the error
};

TEST(TextCursorTest, TakesStrings) {
  static constexpr TakenCase kTexts[] = {
      {"\"ab\" x", "ab", " x"},
      {"'ab'", "ab", ""},
      {"\"\"", "", ""},
      {"''x", "", "x"},
      {"\"a'b\"", "a'b", ""},
      {"'a\"b'", "a\"b", ""},
      {"\"a\\\"b\"", "a\"b", ""},
      {"\"a\\\\\"b", "a\\", "b"},
      {"\"a\\nb\"", "a\nb", ""},
      {"\"\"\"a\nb\"\"\"x", "a\nb", "x"},
      {"'''a'b''c'''", "a'b''c", ""},
      {"\"\"\"\"\"\"", "", ""},
      {"\"\"\"a\"\"\"\"", "a", "\""},
      {"\"\"\"a\\\"\"\"\"", "a\"", ""},
      {"\"a\nb\"", nullptr, "line break in a string; close the string or use triple quotes", 3},
      {"\"a\rb\"", nullptr, "line break in a string; close the string or use triple quotes", 3},
      {"\"a\\\nb\"", nullptr, "line break in a string; close the string or use triple quotes", 4},
      {"\"ab", nullptr, "unterminated string"},
      {"\"ab\\\"", nullptr, "unterminated string"},
      {"\"ab\\", nullptr, "unterminated string"},
      {"\"\"\"ab\"\"", nullptr, "unterminated string"},
      {"ab", nullptr, "expected a quoted string"},
      {"", nullptr, "expected a quoted string"},
  };
  for (const TakenCase& t : kTexts) {
    TextCursor in(t.text);
    const bool quoted = *t.text == '"' || *t.text == '\'';
    EXPECT_EQ(in.AtQuote(), quoted) << t.text;
    std::string taken = "before";
    EXPECT_EQ(in.TakeString(&taken), t.taken != nullptr) << t.text;
    EXPECT_EQ(taken, t.taken ? t.taken : "before") << t.text;
    EXPECT_EQ(t.taken ? Rest(in) : in.error(), t.rest) << t.text;
    EXPECT_EQ(in.failed(), t.taken == nullptr) << t.text;
    EXPECT_EQ(in.error_column(), t.column) << t.text;
  }
}

TEST(TextCursorTest, NamesEndAtAZeroByte) {
  TextCursor in("\"a\\x00b\" \"cd\" x");
  std::string name;
  EXPECT_TRUE(in.TakeName(&name));
  EXPECT_EQ(name, "a");
  in.SkipInline();
  EXPECT_TRUE(in.TakeName(&name));
  EXPECT_EQ(name, "cd");
  in.SkipInline();
  EXPECT_FALSE(in.TakeName(&name));
}

TEST(TextCursorTest, TakesAssets) {
  static constexpr TakenCase kTexts[] = {
      {"@a.usd@ x", "a.usd", " x"},
      {"@@x", "", "x"},
      {"@a b\"c@", "a b\"c", ""},
      {"@@@a@b@@c@@@x", "a@b@@c", "x"},
      {"@@@a@@@@x", "a@", "x"},
      {"@@@a@@@@@x", "a@@", "x"},
      {"@@@a@@@@@@x", "a@@", "@x"},
      {"@@@@@@", "", ""},
      {"@@@a\\@@@b@@@", "a@@@b", ""},
      {"@@@a\\b@@@", "a\\b", ""},
      {"@a\\@x", "a\\", "x"},
      {"@a\xc2\xa0@", "a\xc2\xa0", ""},
      {"@\xc3\x85@", "\xc3\x85", ""},
      {"@a\nb@", nullptr, "line break in an asset path", 3},
      {"@@@a\tb\r@@@", nullptr, "line break in an asset path", 7},
      {"@a", nullptr, "unterminated asset path"},
      {"@@@a@@", nullptr, "unterminated asset path"},
      {"@@@a\\@@@", nullptr, "unterminated asset path"},
      {"@", nullptr, "unterminated asset path"},
      {"a@", nullptr, "expected an asset path enclosed in '@'"},
  };
  for (const TakenCase& t : kTexts) {
    TextCursor in(t.text);
    std::string taken = "before";
    EXPECT_EQ(in.TakeAsset(&taken), t.taken != nullptr) << t.text;
    EXPECT_EQ(taken, t.taken ? t.taken : "before") << t.text;
    EXPECT_EQ(t.taken ? Rest(in) : in.error(), t.rest) << t.text;
    EXPECT_EQ(in.failed(), t.taken == nullptr) << t.text;
    EXPECT_EQ(in.error_column(), t.column) << t.text;
  }
}

TEST(TextCursorTest, AssetsEndAtAZeroByte) {
  TextCursor in(std::string_view("@a\0b\t@x", 7));
  std::string taken;
  EXPECT_TRUE(in.TakeAsset(&taken));
  EXPECT_EQ(taken, "a");
  EXPECT_EQ(Rest(in), "x");
  EXPECT_TRUE(in.warnings().empty());
}

TEST(TextCursorTest, WarnsOfControlCharactersInAssets) {
  for (const char* text : {"@a\tb@x", "@a\x1f@x", "@a\x7f@x", "@a\xc2\x9f@x",
                           "@@@a\x0b"
                           "b@@@x"}) {
    TextCursor in(text);
    std::string taken = "before";
    EXPECT_TRUE(in.TakeAsset(&taken)) << text;
    EXPECT_EQ(taken, "") << text;
    EXPECT_EQ(Rest(in), "x") << text;
    ASSERT_EQ(in.warnings().size(), 1u) << text;
    EXPECT_EQ(in.warnings()[0].message, kControlCharacter) << text;
  }
}

TEST(TextCursorTest, KeepsAFewWarningsAndCountsTheRest) {
  TextCursor in("text");
  in.set_spec(3);
  in.Warn(in.position(), "first");
  const TextCursor::Mark mark = in.mark();
  for (size_t i = 0; i < 2 * LayerWarnings::kMaxListed; ++i) in.Warn(in.position(), "more");
  EXPECT_EQ(in.warnings().size(), LayerWarnings::kMaxListed);
  EXPECT_EQ(in.warning_count(), 2 * LayerWarnings::kMaxListed + 1);
  in.DropWarnings(mark);
  ASSERT_EQ(in.warnings().size(), 1u);
  EXPECT_EQ(in.warning_count(), 1u);
  EXPECT_EQ(in.warnings()[0].message, "first");
  EXPECT_EQ(in.warnings()[0].spec, 3u);
}

TEST(TextCursorTest, ASecondAttemptReportsTheErrorThatIsLater) {
  TextCursor in("a b");
  const TextCursor::Mark mark = in.mark();
  in.MoveTo(mark.at + 2);
  in.Fail("first");
  TextCursor::Fault first = in.Retry(mark);
  EXPECT_FALSE(in.failed());
  EXPECT_EQ(in.position(), mark.at);
  EXPECT_FALSE(in.FailAgain(first));
  EXPECT_EQ(in.error(), "first");
  EXPECT_EQ(in.error_column(), 3u);
  first = in.Retry(mark);
  in.FailAt(mark.at + 2, "as early");
  EXPECT_FALSE(in.FailAgain(first));
  EXPECT_EQ(in.error(), "first");
  first = in.Retry(mark);
  in.FailAt(mark.at + 3, "later");
  EXPECT_FALSE(in.FailAgain(first));
  EXPECT_EQ(in.error(), "later");
}

TEST(TextCursorTest, TakesTheTextOfPaths) {
  static constexpr TakenCase kTexts[] = {
      {"</A.b> x", "/A.b", " x"},
      {"<>", "", ""},
      {"<a", nullptr, "unterminated path; expected '>'", 2},
      {"a>", nullptr, "expected a path between '<' and '>'"},
      {"", nullptr, "expected a path between '<' and '>'"},
  };
  for (const TakenCase& t : kTexts) {
    TextCursor in(t.text);
    std::string_view taken = "before";
    EXPECT_EQ(in.TakePathText(&taken), t.taken != nullptr) << t.text;
    EXPECT_EQ(taken, t.taken ? t.taken : "before") << t.text;
    EXPECT_EQ(t.taken ? Rest(in) : in.error(), t.rest) << t.text;
    EXPECT_EQ(in.failed(), t.taken == nullptr) << t.text;
    EXPECT_EQ(in.error_column(), t.column) << t.text;
  }
}

TEST(TextCursorTest, TakesNumbers) {
  Number number;
  TextCursor in("12 -3 0.5 x");
  EXPECT_TRUE(in.TakeNumber(&number));
  EXPECT_EQ(number.kind, Number::Kind::kUnsigned);
  EXPECT_EQ(number.AsDouble(), 12);
  in.SkipInline();
  EXPECT_TRUE(in.TakeNumber(&number));
  EXPECT_EQ(number.kind, Number::Kind::kNegative);
  EXPECT_EQ(number.AsDouble(), -3);
  in.SkipInline();
  EXPECT_TRUE(in.TakeNumber(&number));
  EXPECT_EQ(number.kind, Number::Kind::kDouble);
  EXPECT_EQ(number.AsDouble(), 0.5);
  in.SkipInline();
  EXPECT_FALSE(in.TakeNumber(&number));
  EXPECT_EQ(Rest(in), "x");
  EXPECT_FALSE(in.failed());
  for (const char* text : {"1e", "1.5e", "1.5E+", "2e-x"}) {
    TextCursor exponent(text);
    EXPECT_FALSE(exponent.TakeNumber(&number)) << text;
    EXPECT_EQ(exponent.error(), "expected digits in the exponent") << text;
  }
}

TEST(TextCursorTest, KeepsTheFirstErrorAndItsPosition) {
  TextCursor in("ab\n\ncdef\n");
  EXPECT_FALSE(in.failed());
  EXPECT_EQ(in.error_line(), 1u);
  EXPECT_EQ(in.error_column(), 1u);
  in.MoveTo(in.position() + 6);
  EXPECT_FALSE(in.Expect('x', "here"));
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.error(), "expected 'x' here");
  EXPECT_EQ(in.error_line(), 3u);
  EXPECT_EQ(in.error_column(), 3u);
  EXPECT_FALSE(in.FailAt(in.position() - 6, "another"));
  EXPECT_FALSE(in.Fail("a third"));
  EXPECT_EQ(in.error(), "expected 'x' here");
  EXPECT_EQ(in.error_line(), 3u);
  EXPECT_TRUE(in.Expect('e', "is there"));
  EXPECT_EQ(Rest(in), "f\n");
  TextCursor first("x");
  first.Fail("at once");
  EXPECT_EQ(first.error_line(), 1u);
  EXPECT_EQ(first.error_column(), 1u);
  TextCursor line_end("ab\ncd");
  line_end.MoveTo(line_end.position() + 2);
  line_end.Fail("at the end of a line");
  EXPECT_EQ(line_end.error_line(), 1u);
  EXPECT_EQ(line_end.error_column(), 3u);
}

TEST(TextCursorTest, StopsReadingWhenTheRequestIsOver) {
  const std::string text(40000, ' ');
  RequestContext over;
  over.Cancel();
  TextCursor in(text);
  in.Observe(&over);
  in.MoveTo(in.position() + 16383);
  in.SkipMultiLine();
  EXPECT_FALSE(in.failed()) << "the request is checked only every 16384 bytes";
  EXPECT_TRUE(in.AtEnd());
  TextCursor more(text);
  more.Observe(&over);
  more.MoveTo(more.position() + 16384);
  more.SkipMultiLine();
  EXPECT_EQ(more.error(), "the request was cancelled or is over its budget");
  EXPECT_TRUE(more.AtEnd());
  EXPECT_EQ(more.error_column(), 16385u);
  RequestContext running;
  TextCursor fine(text);
  fine.Observe(&running);
  fine.MoveTo(fine.position() + 30000);
  fine.SkipMultiLine();
  EXPECT_FALSE(fine.failed());
}

}  // namespace
}  // namespace stagedoor::usda

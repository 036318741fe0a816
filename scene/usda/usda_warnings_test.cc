// Malformed values that OpenUSD reads all the same: what is read, and the warnings about them.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

// A '^' in a text marks the position of the first warning; no warnings are expected without one.
struct WarningCase {
  const char* text;
  const char* read;     // the statement as it is written; empty if it leaves nothing
  const char* message;  // of the first warning
};

constexpr const char* kDeep = "tuples are nested too deeply for the type";
constexpr const char* kMixed = "elements are nested in lists of different depth";
constexpr const char* kLengths = "nested lists have different lengths";

void ExpectWarning(std::string text, std::string_view read, std::string_view message,
                   std::string_view path) {
  const size_t at = text.find('^');
  if (at != std::string::npos) text.erase(at, 1);
  const auto layer = ReadText(text);
  ASSERT_TRUE(layer.ok()) << text << layer.status();
  EXPECT_EQ(OnOneLine(WriteUsda(**layer)), read) << text;
  const LayerWarnings* warnings = (*layer)->info().warnings.get();
  ASSERT_EQ(warnings != nullptr, at != std::string::npos) << text;
  if (!warnings) return;
  const LayerWarning& first = warnings->listed.at(0);
  const size_t start = text.rfind('\n', at - 1) + 1;
  EXPECT_EQ(first.column, at - start + 1) << text;
  EXPECT_EQ(first.line, static_cast<size_t>(1 + std::count(text.begin(), text.begin() + at, '\n')))
      << text;
  EXPECT_EQ(first.message, message) << text;
  EXPECT_EQ(first.path, path) << text;
}

void ExpectInPrim(const WarningCase& c) {
  ExpectWarning(InPrim(c.text), Concat("def \"P\" { ", c.read, *c.read ? " }" : "}"), c.message,
                "/P.a");
}

TEST(UsdaWarningsTest, ReadsThePartsOfTuplesInARow) {
  static constexpr WarningCase kCases[] = {
      {"float2 a = (1, 2)", "float2 a = (1, 2)", ""},
      {"float2 a = ^(1, 2, 3)", "float2 a = (1, 2)", "the tuple has length 3 instead of 2"},
      {"float2 a = ^(1, 2, \"x\")", "float2 a = (1, 2)", "the tuple has length 3 instead of 2"},
      {"float2 a = (^(1, 2))", "float2 a = (1, 2)", kDeep},
      {"float2 a = (1, ^(2))", "float2 a = (1, 2)", kDeep},
      {"float a = ^(1)", "float a = 1", kDeep},
      {"float a = ^(1, \"x\", @a\tb@, word)", "float a = 1", kDeep},
      {"string a = ^(\"x\", \"y\")", "string a = \"x\"", kDeep},
      {"quatf a = (1, ^(2, 3, 4))", "quatf a = (1, 2, 3, 4)", kDeep},
      {"matrix2d a = ^(1, 2, 3, 4)", "matrix2d a = ( (1, 2), (3, 4) )",
       "the tuple has length 0 instead of 2"},
      {"matrix2d a = (^(1, 2, 3, 4))", "matrix2d a = ( (1, 2), (3, 4) )",
       "the tuple has length 4 instead of 2"},
      {"matrix2d a = ((1, 2), (3, 4), 5)", "matrix2d a = ( (1, 2), (3, 4) )", ""},
  };
  for (const WarningCase& c : kCases) ExpectInPrim(c);
}

TEST(UsdaWarningsTest, OnlyFittingTuplesAndListsCount) {
  static constexpr WarningCase kCases[] = {
      {"float2[] a = [^(1, 2, 3), (4, 5)]", "float2[] a = [(1, 2)]",
       "the tuple has length 3 instead of 2"},
      {"float2[] a = [(1, 2), ^(1), (3, 4)]", "float2[] a = [(1, 2), (1, 3)]",
       "the tuple has length 1 instead of 2"},
      {"float2[] a = [^(1), (2)]", "float2[] a = []", "the tuple has length 1 instead of 2"},
      {"float2[] a = [^(1), 2]", "float2[] a = [(1, 2)]", "the tuple has length 1 instead of 2"},
      {"float[] a = [1, ^(2), 3]", "float[] a = [1, 2, 3]", kDeep},
      {"float[] a = [[1, 2], ^[3]]", "float[] a = []", kLengths},
      {"float[] a = [[1, 2], ^3]", "float[] a = [1, 2]", kMixed},
      {"float[] a = [[1, 2], ^3, [4, 5]]", "float[] a = [1, 2, 3, 4]", kMixed},
      {"float[] a = [1, [^2]]", "float[] a = []", kMixed},
      {"float2[] a = [[(1, 2), ^(3)], [(4, 5)]]", "float2[] a = [(1, 2), (3, 4)]",
       "the tuple has length 1 instead of 2"},
      {"matrix2d[] a = [((1, 2), 5, (3, 4))]", "matrix2d[] a = [( (1, 2), (5, 3) )]", ""},
  };
  for (const WarningCase& c : kCases) ExpectInPrim(c);
}

TEST(UsdaWarningsTest, ReadsValuesEverywhereAlike) {
  static constexpr WarningCase kCases[] = {
      {"float2 a.timeSamples = { 1: ^(1, 2, 3), 2: (4, 5) }",
       "float2 a.timeSamples = { 1: (1, 2), 2: (4, 5), }", "the tuple has length 3 instead of 2"},
      {"float2 a ( customData = { float2 d = ^(1, 2, 3) } )",
       "float2 a ( customData = { float2 d = (1, 2) } )", "the tuple has length 3 instead of 2"},
      {"float a ( hidden = ^(1) )", "float a ( hidden = true )", kDeep},
      {"float2[] a = edit [append ^(1, 2, 3)]", "float2[] a = edit [append (1, 2)]",
       "the tuple has length 3 instead of 2"},
      {"int[] a = edit [append 1; minsize ^-1; append 2]", "int[] a = edit [append 1; append 2]",
       "the size is negative; the step is ignored"},
  };
  for (const WarningCase& c : kCases) ExpectInPrim(c);
  ExpectWarning(OnPrim("prepend apiSchemas = [[\"a\"], ^[\"b\", \"c\"]]"),
                "def \"P\" ( prepend apiSchemas = None ) { }", kLengths, "/P");
  ExpectWarning(OnLayer("metersPerUnit = ^(1)"), "( metersPerUnit = 1 )", kDeep, "/");
}

TEST(UsdaWarningsTest, MalformedExpressionsAndAssetPathsAreEmpty) {
  static constexpr WarningCase kCases[] = {
      {"pathExpression a = ^\"/A )\"", "pathExpression a = \"\"",
       "malformed path expression: expected the end of the expression at character 4; the value is "
       "empty"},
      {"pathExpression[] a = [\"/A\", ^\"//[\"]", "pathExpression[] a = [\"/A\", \"\"]",
       "malformed path expression: malformed character class at character 4; the value is empty"},
      {"asset a = @^b\tc@", "asset a = @@",
       "control character in an asset path, which is read as empty"},
      {"asset a = ^\"b\\tc\"", "asset a = @@",
       "control character in an asset path, which is read as empty"},
  };
  for (const WarningCase& c : kCases) ExpectInPrim(c);
}

TEST(UsdaWarningsTest, SplinesIgnoreNumbersThatTheyCannotHold) {
  static constexpr const char* kValue = "spline values must be finite; the number is ignored";
  static constexpr const char* kWidth =
      "tangent widths must be finite and not negative; the number is ignored";
  static constexpr const char* kSlope = "tangent slopes must be finite; the number is ignored";
  static constexpr const char* kTime = "knot times must be finite; the number is ignored";
  static constexpr WarningCase kCases[] = {
      {"{^nan: 3, 2: 4}", "{ 0: 3; post held, 2: 4; post held, }", kTime},
      {"{1: ^inf}", "{ 1: 0; post held, }", kValue},
      {"{1: ^1e39}", "{ 1: 0; post held, }", kValue},
      {"{1: ^nan & 5}", "{ 1: 5; post held, }", kValue},
      {"{1: 5 & ^nan}", "{ 1: 5 & 0; post held, }", kValue},
      {"{1: 5; pre (^-1, 2)}", "{ 1: 5; pre (0, 2); post held, }", kWidth},
      {"{1: 5; pre (^inf, 2)}", "{ 1: 5; pre (0, 2); post held, }", kWidth},
      {"{1: 5; pre (1, 2); pre (^nan, 3)}", "{ 1: 5; pre (1, 3); post held, }", kWidth},
      {"{1: 5; pre (1, 2); pre (^nan)}", "{ 1: 5; pre (0, 2); post held, }", kSlope},
      {"{1: 5; pre (1, ^nan)}", "{ 1: 5; pre (1, 0); post held, }", kSlope},
      {"{hermite, 1: 5; pre (^nan)}", "{ hermite, 1: 5; post held, }", kSlope},
  };
  for (const WarningCase& c : kCases) {
    ExpectInPrim({Concat("float a.spline = ", c.text).c_str(),
                  Concat("float a.spline = ", c.read).c_str(), c.message});
  }
}

TEST(UsdaWarningsTest, WarningsAreInTheOrderOfTheText) {
  const auto layer = ReadText(
      "#usda 1.0\n(\n    upAxis = (\"Y\")\n)\ndef \"A\"\n{\n    float a = (1)\n"
      "    variantSet \"v\" = {\n        \"w\" (active = (1)) {\n        }\n    }\n}\n");
  ASSERT_TRUE(layer.ok()) << layer.status();
  std::string places;
  for (const LayerWarning& warning : (*layer)->info().warnings->listed) {
    places += Concat(warning.line, ":", warning.column, " ", warning.path, "\n");
  }
  EXPECT_EQ(places, "3:14 /\n7:15 /A.a\n9:23 /A{v=w}\n");
}

}  // namespace
}  // namespace stagedoor

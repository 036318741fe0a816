// Error messages and their positions: a '^' in a text marks the position of the error.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usda/testing/usda_test_util.h"

namespace stagedoor {
namespace {

struct ErrorCase {
  const char* text;
  const char* message;
};

void ExpectError(std::string text, std::string_view message) {
  const size_t at = text.find('^');
  ASSERT_NE(at, std::string::npos) << text;
  text.erase(at, 1);
  const size_t line = 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + at, '\n'));
  const size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const auto layer = ReadText(text);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument) << text;
  EXPECT_EQ(std::string(layer.status().message()),
            Concat("a.usda:", line, ":", at - start + 1, ": ", message))
      << text;
}

constexpr const char* kList = "expected a list in brackets for an array type";
constexpr const char* kInteger = "expected an integer for a value of this type";
constexpr const char* kNumber = "expected a number for a value of this type";
constexpr const char* kRange = "the number is out of range for its type";
constexpr const char* kBool = "expected 'true' or 'false'";
constexpr const char* kTuple = "expected a tuple in parentheses for a value of this type";
constexpr const char* kFew = "the tuple has too few elements for its type";
constexpr const char* kMany = "expected ')' after the last element of the tuple";

TEST(UsdaErrorsTest, ReportsErrorsInValues) {
  static constexpr ErrorCase kCases[] = {
      {"int a = ^x", kInteger},
      {"int a = ^\"1\"", kInteger},
      {"int a = ^2147483648", kRange},
      {"int a = ^-2147483649", kRange},
      {"uint a = ^4294967296", kRange},
      {"uint a = ^-1", kRange},
      {"uchar a = ^256", kRange},
      {"int64 a = ^9223372036854775808", kRange},
      {"int a = ^2147483648.0", kRange},
      {"int a = ^-2147483649.0", kRange},
      {"uint a = ^-1.0", kRange},
      {"int a = ^nan", kRange},
      {"int a = 1^e", "expected digits in the exponent"},
      {"float a = ^x", kNumber},
      {"float a = ^\"x\"", kNumber},
      {"float a = \"inf^\n\"", "line break in a string; close the string or use triple quotes"},
      {"bool a = ^maybe", kBool},
      {"bool a = ^\"truex\"", kBool},
      {"bool a = ^tru", kBool},
      {"string a = ^x", "expected a quoted string for a value of this type"},
      {"token a = ^x", "expected a quoted string for a value of this type"},
      {"token a = \"x^\ny\"", "line break in a string; close the string or use triple quotes"},
      {"asset a = ^x", "expected an asset path enclosed in '@' for a value of this type"},
      {"asset a = ^@x", "unterminated asset path"},
      {"int a = ^[1]", "expected a single value, found a list; the type is not an array type"},
      {"int[] a = ^1", kList},
      {"int[] a = [1 ^2]", "expected ']' or ','"},
      {"int[] a = [1, ^x]", kInteger},
      {"int[] a = [1,\n ^x]", kInteger},
      {"int[] a = [^^", kInteger},
      {"float3 a = ^1", kTuple},
      {"float3 a = (1, 2^)", kFew},
      {"float3 a = (1, 2, 3 ^4)", kMany},
      {"float3 a = (1, 2, 3, 4, ^, 5)", "expected a value"},
      {"float2[] a = [(1, ^x, 3), (4, 5)]", kNumber},
      {"float2[] a = [(1, 2, 3), (4, 5), [^]]", "expected a value"},
      {"float2[] a = [^1, 2]", kTuple},
      {"matrix2d a = ((1, 2), ^3)", kTuple},
      {"matrix2d a = ((1^), (2, 3))", kFew},
      {"quatf a = (1, 2, 3^)", kFew},
      {"opaque a = ^1", "attributes of this type cannot have values"},
      {"foo a = ^}", "expected a value"},
      {"foo a = (1, ^=)", "expected a value"},
      {"foo a = (^[1])", "expected a value"},
      {"foo a = [1 ^2]", "expected ']' or ','"},
      {"rel a = <^b", "unterminated path; expected '>'"},
  };
  for (const ErrorCase& c : kCases) {
    std::string text = InPrim(c.text);
    if (std::string_view(c.text).ends_with("^^")) {  // the end of the text
      text = text.substr(0, text.find("^^") + 1);
    }
    ExpectError(text, c.message);
  }
}

TEST(UsdaErrorsTest, ReportsErrorsInArrayEdits) {
  static constexpr ErrorCase kCases[] = {
      {"edit ^1", "expected '[' to open an array edit"},
      {"edit [^foo 1]",
       "expected 'write', 'insert', 'prepend', 'append', 'erase', 'minsize', 'maxsize' or "
       "'resize'"},
      {"edit [write 1 ^at [0]]", "expected the keyword to"},
      {"edit [insert 1 ^to [0]]", "expected the keyword at"},
      {"edit [write 1 to ^0]", "expected '[' before an index"},
      {"edit [write 1 to [0 ^1]]", "expected ']' after an index"},
      {"edit [write ^x to [0]]", kInteger},
      {"edit [erase [^x]]", "expected an integer"},
      {"edit [erase [1.5^]]", "expected an integer"},
      {"edit [minsize ^x]", "expected an integer"},
      {"edit [append 1^, append 2]", "expected ']' or a new line"},
  };
  for (const ErrorCase& c : kCases) ExpectError(InPrim(Concat("int[] a = ", c.text)), c.message);
}

TEST(UsdaErrorsTest, ReportsErrorsInSplines) {
  static constexpr ErrorCase kCases[] = {
      {"^1", "expected '{' to open a spline"},
      {"{^x: 1}", "expected a number"},
      {"{1 ^2}", "expected ':' after a knot time or spline parameter"},
      {"{1: ^x}", "expected a number"},
      {"{1: 2 ^3}", "expected '}' or ','"},
      {"{1: 2; ^foo}", "expected 'pre', 'post' or a dictionary"},
      {"{1: 2; pre^(1)}", "expected a space"},
      {"{1: 2; pre ^1}", "expected '(' to open a tangent"},
      {"{1: 2; pre (^x)}", "expected a number"},
      {"{1: 2; pre (1, 2 ^3)}", "expected ')' to close a tangent"},
      {"{1: 2; pre (1, 2, ^foo)}", "expected 'custom' or 'autoEase'"},
      {"{1: 2; post ^foo}", "expected 'none', 'held', 'linear' or 'curve'"},
      {"{1: 2; post held^(1)}", "expected '}' or ','"},
      {"{1: 2; post held;^;}", "expected a knot parameter"},
      {"{pre ^linear}", "expected ':' after a knot time or spline parameter"},
      {"{pre: ^foo}", "expected 'none', 'held', 'linear', 'sloped' or 'loop'"},
      {"{post: sloped ^2}", "expected '(' before the slope"},
      {"{post: sloped (2 ^3)}", "expected ')' after a number"},
      {"{post: loop^(2)}", "expected a space"},
      {"{post: loop ^foo}", "expected 'repeat', 'reset' or 'oscillate'"},
      {"{loop: ^1}", "expected '(' to open the loop parameters"},
      {"{loop: (1, 2, 3, 4^)}", "expected ',' after a loop parameter"},
      {"{loop: (1, 2, 3, 4, 5^, 6)}", "expected ')' after a loop parameter"},
      {"{loop: (1, 2, 3.5, 4, 5)^}", "loop counts must be integers"},
      {"{loop: (1, 2, 3, 4.5, 5)^}", "loop counts must be integers"},
  };
  for (const ErrorCase& c : kCases) {
    ExpectError(InPrim(Concat("double a.spline = ", c.text)), c.message);
  }
  for (const char* type : {"int", "double[]", "string", "double3", "foo"}) {
    ExpectError(InPrim(Concat(type, " a.spline = ^{}")),
                "attributes of this type cannot have splines");
  }
}

TEST(UsdaErrorsTest, ReportsErrorsInProperties) {
  static constexpr ErrorCase kCases[] = {
      {"^1", "expected a property, a prim or '}'"},
      {"varying ^int a", "expected 'rel'; attributes are varying by default"},
      {"int ^1", "expected an attribute name"},
      {"int^=", "expected a space"},
      {"int a.^foo = 1", "expected 'timeSamples', 'connect' or 'spline'"},
      {"prepend int a.^timeSamples = {}", "expected 'connect'"},
      {"prepend int a ^= 1", "expected '.connect'; only connections have list edits"},
      {"int a.timeSamples = ^1", "expected '{' to open the time samples"},
      {"int a.timeSamples = {^x: 1}", "expected a sample time"},
      {"int a.timeSamples = {1 ^2}", "expected ':' after a sample time"},
      {"rel ^1", "expected a relationship name"},
      {"rel a.^foo = <b>", "expected 'default'"},
      {"rel a = ^1", "expected a path between '<' and '>'"},
      {"def ^1", "expected a prim type or a quoted prim name"},
      {"def X.^1 \"A\" {}", "expected a type name"},
      {"def ^\"1\" {}", "'1' is not a valid prim name"},
      {"def \"A\" {}\ndef ^\"A\" {}", "prim 'A' is defined more than once"},
      {"def \"A\" ^;", "expected '{' to open a prim"},
      {"variantSet ^\"a b\" = {}", "'a b' is not a valid variant set name"},
      {"variantSet \"v\" = {^\" \" {}}", "' ' is not a valid variant name"},
      {"int a = 1 ^int b", "expected a new line"},
      {"def \"A\" {}^;", "expected a new line"},
  };
  for (const ErrorCase& c : kCases) ExpectError(InPrim(c.text), c.message);
  ExpectError("#usda 1.0\n^foo \"A\" {}\n", "expected 'def', 'over' or 'class'");
  ExpectError("#usda 1.0\nreorder ^foo = [\"A\"]\n", "expected 'rootPrims'");
  ExpectError("#usda 1.0\ndef \"A\" {\nint a\n^", "expected '}' to close a prim or variant");
}

TEST(UsdaErrorsTest, ReportsErrorsInMetadata) {
  static constexpr ErrorCase kCases[] = {
      {"^=", "expected a metadata field name"},
      {"^specifier = def", "'specifier' is not a metadata field"},
      {"kind = ^x", "expected a quoted string"},
      {"apiSchemas = ^\"A\"", "expected a list in brackets for an array type"},
      {"prepend apiSchemas = ^[]", "only an explicit list may be empty"},
      {"prepend foo = ^1", "expected a list in brackets"},
      {"prepend foo = ^[]", "only an explicit list may be empty"},
      {"customData = ^3", "expected a dictionary"},
      {"customData = {^nosuch a = 1}", "unknown type 'nosuch' for a dictionary entry"},
      {"customData = {int ^= 1}", "expected a key: an identifier or a quoted string"},
      {"customData = {^= 1}", "expected a type name"},
      {"customData = {int a = 1 ^int b = 2}", "expected '}' or a new line"},
      {"customData = {int[ ^1] a}", "expected ']' to close an array type"},
      {"customData = {dictionary^= {}}", "expected a space"},
      {"customData = {dictionary a = ^1}", "expected '{' to open a dictionary"},
      {"permission = ^x", "expected 'public' or 'private'"},
      {"^displayUnit = foo", "expected a metadata field name"},
      {"^relocates = {}", "relocates are allowed on the layer only"},
      {"variants = ^{int v = 1}", "variant selections must be strings"},
      {"variants = ^{string v = \"a b\"}", "'a b' is not a valid variant name"},
      {"variantSets = ^\"a b\"", "'a b' is not a valid variant set name"},
      {"variantSets = [\"a\", ^\"a b\"]", "'a b' is not a valid variant set name"},
      {"inherits = ^<A.b>", "expected a prim path"},
      {"inherits = ^<>", "expected a prim path"},
      {"inherits = ^[</A>, </A>]", "duplicate path in the list"},
      {"prepend inherits = ^[]", "only an explicit list may be empty"},
      {"references = ^@@", "empty asset path; omit it to refer to this layer stack"},
      {"references = @a@^<B>", "expected an absolute prim path"},
      {"references = @a@(^foo = 1)", "expected 'offset' or 'scale'"},
      {"references = @a@(offset = ^x)", "expected a number"},
      {"references = ^[@a@, @a@]", "duplicate item in the list"},
      {"prefixSubstitutions = {^a: \"b\"}", "expected a quoted string"},
      {"prefixSubstitutions = {\"a\" ^\"b\"}", "expected ':' after a key"},
      {"prefixSubstitutions = {\"a\": ^b}", "expected a quoted string"},
  };
  for (const ErrorCase& c : kCases) ExpectError(OnPrim(c.text), c.message);
  ExpectError(OnLayer("framesPerSecond = ^0"), "framesPerSecond must be greater than 0");
  ExpectError(OnLayer("relocates = {^<>: </A>}"), "the source must not be empty");
  ExpectError(OnLayer("relocates = {</A>: ^</B.c>}"), "expected a prim path");
  ExpectError(InPrim("int a (displayUnit = ^foo)"),
              "unknown unit; use mm, cm, dm, m, km, in, ft, yd, mi, deg, rad or default");
}

std::string OnAttribute(std::string_view metadata) {
  return InPrim(Concat("int a (", metadata, ")"));
}

// Statements that end early or are malformed at each of their parts.
constexpr ErrorCase kPrimMetadata[] = {
    {"doc ^\"x\"", "expected '='"},
    {"doc = ^x", "expected a quoted string"},
    {"\"x^", "line break in a string; close the string or use triple quotes"},
    {"permission ^x", "expected '='"},
    {"permission = private ^1", "expected ')' or a new line"},
    {"symmetryFunction ^\"x\"", "expected '='"},
    {"kind ^\"x\"", "expected '='"},
    {"kind=\"x^", "line break in a string; close the string or use triple quotes"},
    {"prefixSubstitutions ^{}", "expected '='"},
    {"prefixSubstitutions = ^1", "expected '{' to open a dictionary"},
    {"variants ^{}", "expected '='"},
    {"variants = ^1", "expected '{' to open a dictionary"},
    {"variantSets ^\"v\"", "expected '='"},
    {"variantSets = ^x", "expected a quoted string"},
    {"variantSets = ^[\"a\", \"a\"]", "duplicate variant set name in the list"},
    {"variantSets = [^]", "expected a quoted string"},
    {"inherits ^</A>", "expected '='"},
    {"inherits = ^x", "expected a path between '<' and '>'"},
    {"inherits = ^</A{v=x}B>", "expected a prim path"},
    {"inherits = [</A>, ^<A.b>]", "expected a prim path"},
    {"specializes = ^[</A>, </A>]", "duplicate path in the list"},
    {"references ^</A>", "expected '='"},
    {"references = ^x", "expected a path between '<' and '>'"},
    {"references = ^</A.b>", "expected an absolute prim path"},
    {"references = ^</A{v=x}B>", "expected an absolute prim path"},
    {"references = ^@a", "unterminated asset path"},
    {"references = @a@^x", "expected ')' or a new line"},
    {"references = [@a@ </B>, ^<C>]", "expected an absolute prim path"},
    {"references = @a@(offset ^1)", "expected '='"},
    {"references = @a@(customData ^{})", "expected '='"},
    {"references = @a@(customData = ^1)", "expected '{' to open a dictionary"},
    {"references = @a@(scale = 1^e)", "expected digits in the exponent"},
    {"prepend references = ^[]", "only an explicit list may be empty"},
    {"prepend references = ^None", "only an explicit list may be empty"},
    {"payload = ^[@a@, @a@]", "duplicate item in the list"},
    {"payload = @a@(^customData = {})", "expected 'offset' or 'scale'"},
    {"foo ^1", "expected '='"},
    {"foo = {int a ^1}", "expected '='"},
    {"foo = {int a^}", "expected '='"},
    {"foo = {int ^= 1}", "expected a key: an identifier or a quoted string"},
    {"prepend foo = [^=]", "expected a value"},
    {"prepend^\"foo\"", "expected a space"},
    {"prepend^", "expected a space"},
    {"active = ^None", "this field cannot be 'None'"},
    {"active = ^x", "expected 'true' or 'false'"},
    {"prepend active = ^1", "expected a list in brackets"},
    {"prepend active = ^[1]",
     "expected a single value, found a list; the type is not an array type"},
    {"prepend ^kind = \"x\"", "expected a metadata field name"},
    {"customData = <^", "unterminated path; expected '>'"},
    {"prepend ^customData = 1", "expected a metadata field name"},
    {"prepend apiSchemas = ^</A>", "expected a list in brackets"},
    {"^def = 1", "expected a metadata field name"},
    {"customData = {int \"a\" = 1; string b = \"x}^",
     "line break in a string; close the string or use triple quotes"},
    {"customData = {dictionary d = {int x ^1}}", "expected '='"},
    {"customData = {dictionary ^= {}}", "expected a key: an identifier or a quoted string"},
    {"customData = {dictionary d ^{}}", "expected '='"},
    {"customData = {dictionary d = ^}", "expected '{' to open a dictionary"},
    {"customData = {int[] a = ^1}", "expected a list in brackets for an array type"},
    {"customData = {string a = <^}", "unterminated path; expected '>'"},
    {"customData = {^foo", "unknown type 'foo' for a dictionary entry"},
};

constexpr ErrorCase kLayerMetadata[] = {
    {"subLayers ^[]", "expected '='"},
    {"subLayers = ^1", "expected '[' to open the sublayers"},
    {"subLayers = [^x]", "expected an asset path enclosed in '@'"},
    {"subLayers = [@a@(^foo = 1)]", "expected 'offset' or 'scale'"},
    {"subLayers = [@a@ (offset = 1; scale = ^x)]", "expected a number"},
    {"subLayers = [@a@ ^@b@]", "expected ']' or ','"},
    {"relocates ^{}", "expected '='"},
    {"relocates = ^[]", "expected '{' to open the relocates"},
    {"relocates = {^x: </A>}", "expected a path between '<' and '>'"},
    {"relocates = {</A> ^</B>}", "expected ':' between source and target"},
    {"relocates = {</A>: ^x}", "expected a path between '<' and '>'"},
    {"relocates = {^</A{v=x}B>: </C>}", "expected a prim path"},
    {"relocates = {^</A.b>: </C>}", "expected a prim path"},
    {"framesPerSecond = ^\"x\"", "expected a number for a value of this type"},
    {"framesPerSecond = ^-1", "framesPerSecond must be greater than 0"},
    {"framesPerSecond = ^None", "this field cannot be 'None'"},
    {"prepend ^subLayers = [@a@]", "expected a metadata field name"},
    {"^kind = \"x\"", "expected a metadata field name"},
    {"^customData = {}", "expected a metadata field name"},
    {"doc = \"x\" ^doc = \"y\"", "expected ')' or a new line"},
};

constexpr ErrorCase kAttributeMetadata[] = {
    {"displayUnit ^cm", "expected '='"},
    {"displayUnit = ^1",
     "unknown unit; use mm, cm, dm, m, km, in, ft, yd, mi, deg, rad or default"},
    {"^relocates = {}", "expected a metadata field name"},
    {"^variants = {}", "expected a metadata field name"},
};

constexpr ErrorCase kStatements[] = {
    {"custom^\"x\"", "expected a space"},
    {"custom^=", "expected a space"},
    {"varying^", "expected a space"},
    {"varying^=", "expected a space"},
    {"uniform^=", "expected a space"},
    {"int^", "expected a space"},
    {"int a.^", "expected 'timeSamples', 'connect' or 'spline'"},
    {"int a.connect ^</A.b>", "expected '='"},
    {"int a.connect = ^x", "expected a path between '<' and '>'"},
    {"int a.connect = ^</A{v=x}.b>", "expected a property or prim path"},
    {"int a.connect = ^<>", "expected a property or prim path"},
    {"int a.timeSamples ^{}", "expected '='"},
    {"int a.timeSamples = {1: ^x}", "expected an integer for a value of this type"},
    {"int a.timeSamples = {1: ^N}", "expected an integer for a value of this type"},
    {"int a.timeSamples = {1: None, 2: ^AnimationBlock}",
     "expected an integer for a value of this type"},
    {"int a.spline ^{}", "expected '='"},
    {"int a = ^Nonee", "expected an integer for a value of this type"},
    {"int a = ^Anim", "expected an integer for a value of this type"},
    {"int a (doc = ^x)", "expected a quoted string"},
    {"rel^", "expected a space"},
    {"rel^=", "expected a space"},
    {"rel a = ^</A{v=x}B>", "expected a prim or property path"},
    {"rel a = ^<>", "expected a prim or property path"},
    {"rel a = ^<.>", "expected a prim or property path"},
    {"rel a = ^</>", "expected a prim or property path"},
    {"rel a.default ^<b>", "expected '='"},
    {"rel a.default = ^b", "expected a path between '<' and '>'"},
    {"rel a.^foo", "expected 'default'"},
    {"rel a [^b]", "expected a path between '<' and '>'"},
    {"rel a [<^b]", "unterminated path; expected '>'"},
    {"rel a [<b> ^x", "expected ']' after a target"},
    {"prepend rel a^.default = <b>", "expected a new line"},
    {"prepend rel a ^[<b>]", "expected a new line"},
    {"def^", "expected a space"},
    {"def^\"A\" {}", "expected a space"},
    {"def A^\"B\" {}", "expected a space"},
    {"def \"A^", "line break in a string; close the string or use triple quotes"},
    {"def \"A\" (doc = ^x) {}", "expected a quoted string"},
    {"over \"A\" (foo^) {}", "expected '='"},
    {"class^", "expected a space"},
    {"variantSet^\"v\" = {}", "expected a space"},
    {"variantSet ^v = {}", "expected a quoted string"},
    {"variantSet \"v\" ^{}", "expected '=' after the name of a variant set"},
    {"variantSet \"v\" = ^[]", "expected '{' to open a variant set"},
    {"variantSet \"v\" = {^x {}}", "expected a quoted string"},
    {"variantSet \"v\" = {\"a\" ^x}", "expected '{' to open a variant"},
    {"variantSet \"v\" = {\"a\" (doc = ^x) {}}", "expected a quoted string"},
    {"variantSet \"v\" = {\"a\" {x^}}", "expected a space"},
    {"variantSet \"v\" = {\"a\" {}} ^int a", "expected a new line"},
    {"reorder nameChildren ^\"a\"", "expected '='"},
    {"reorder nameChildren = ^x", "expected a quoted string"},
    {"reorder properties ^\"a\"", "expected '='"},
    {"reorder properties = [\"a\", ^x]", "expected a quoted string"},
    {"reorder properties = [\"a\"] ^int a", "expected a new line"},
    {"reorder nameChildren = [\"a\"] ^int a", "expected a new line"},
    {"reorder foo ^= [\"a\"]", "expected an attribute name"},
    {"reorder^\"a\"", "expected a space"},
    {"append^\"a\"", "expected a space"},
    {"add int a.connect^", "expected '='"},
    {"int[ ^a", "expected ']' to close an array type"},
    {"int[] a = [1,^,2]", "expected an integer for a value of this type"},
    {"pathExpression a = ^1", "expected a quoted string for a value of this type"},
    {"int[] a = edit [append^", "expected an integer for a value of this type"},
    {"int[] a = edit [erase [^]]", "expected an integer"},
    {"int[] a = edit [erase [1e5^]]", "expected an integer"},
    {"int[] a = edit [erase [99999999999999999999^]]", "expected an integer"},
    {"int[] a = edit [erase [0.0^]]", "expected an integer"},
    {"int[] a = edit [resize 1^e]", "expected digits in the exponent"},
    {"int[] a = edit [resize 1.5^]", "expected an integer"},
    {"int[] a = ^edi [append 1]", "expected a list in brackets for an array type"},
    {"string[] a = [\"x]^", "line break in a string; close the string or use triple quotes"},
    {"string a = \"x\\^", "line break in a string; close the string or use triple quotes"},
    {"half a = ^x", "expected a number for a value of this type"},
    {"bool a = \"x^", "line break in a string; close the string or use triple quotes"},
    {"bool a = ^\"\"", "expected 'true' or 'false'"},
    {"token a = \"x^", "line break in a string; close the string or use triple quotes"},
    {"timecode a = ^x", "expected a number for a value of this type"},
    {"duration a = ^\"x\"", "expected a number for a value of this type"},
    {"foo a = ^{}", "expected a value"},
    {"foo a = \"x^", "line break in a string; close the string or use triple quotes"},
    {"foo a = ^@x", "unterminated asset path"},
    {"foo a = <^x", "unterminated path; expected '>'"},
    {"foo a = [1, [2], x^::]", "expected ']' or ','"},
};

TEST(UsdaErrorsTest, ReportsErrorsInPrimMetadata) {
  for (const ErrorCase& c : kPrimMetadata) ExpectError(OnPrim(c.text), c.message);
}

TEST(UsdaErrorsTest, ReportsErrorsInLayerMetadata) {
  for (const ErrorCase& c : kLayerMetadata) ExpectError(OnLayer(c.text), c.message);
}

TEST(UsdaErrorsTest, ReportsErrorsInComments) {
  ExpectError(OnLayer("\"a comment without an end^"),
              "line break in a string; close the string or use triple quotes");
}

// Several bytes are checked at once, so every offset within such a group matters.
TEST(UsdaErrorsTest, FindsInvalidUtf8AtAnyOffset) {
  const std::string good = "#usda 1.0\n# " + std::string(100, 'x') + "\n";
  ASSERT_TRUE(ReadText(good).ok());
  for (size_t i = 12; i < 112; ++i) {
    std::string bad = good;
    bad[i] = '\xff';
    EXPECT_EQ(ReadText(bad).status().code(), absl::StatusCode::kInvalidArgument) << i;
  }
}

TEST(UsdaErrorsTest, ReportsErrorsInAttributeMetadata) {
  for (const ErrorCase& c : kAttributeMetadata) ExpectError(OnAttribute(c.text), c.message);
}

TEST(UsdaErrorsTest, ReportsErrorsInStatements) {
  for (const ErrorCase& c : kStatements) ExpectError(InPrim(c.text), c.message);
}

}  // namespace
}  // namespace stagedoor

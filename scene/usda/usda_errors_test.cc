// What is wrong with a text and where: a '^' in the texts stands before the place of the error.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usda/usda_test_util.h"

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

constexpr const char* kList = "expected a list in brackets (the type has [])";
constexpr const char* kInteger = "expected an integer as value of this type";
constexpr const char* kNumber = "expected a number as value of this type";
constexpr const char* kRange = "a number is out of the range of its type";
constexpr const char* kBool = "expected true or false";
constexpr const char* kTuple = "expected a tuple in parentheses as value of this type";
constexpr const char* kFew = "a tuple has too few elements for its type";
constexpr const char* kMany = "expected ')' (a tuple has too many elements?)";

TEST(UsdaErrorsTest, OfValues) {
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
      {"int a = 1^e", "expected the digits of an exponent"},
      {"float a = ^x", kNumber},
      {"float a = ^\"x\"", kNumber},
      {"float a = \"inf^\n\"", "a line ends inside a string (close it, or use three quotes)"},
      {"bool a = ^maybe", kBool},
      {"bool a = ^\"truex\"", kBool},
      {"bool a = ^tru", kBool},
      {"string a = ^x", "expected a string in quotes as value of this type"},
      {"token a = ^x", "expected a string in quotes as value of this type"},
      {"token a = \"x^\ny\"", "a line ends inside a string (close it, or use three quotes)"},
      {"asset a = ^x", "expected an asset path between '@' as value of this type"},
      {"asset a = ^@x", "an asset path is not closed"},
      {"int a = ^[1]", "a list where a single value is expected (the type has no [])"},
      {"int[] a = ^1", kList},
      {"int[] a = [1 ^2]", "expected ']' or ','"},
      {"int[] a = [1, ^x]", kInteger},
      {"int[] a = [1,\n ^x]", kInteger},
      {"int[] a = [[1, 2], [3]^]", "nested lists differ in length"},
      {"int[] a = [[1], ^2]", "values of one array are nested differently"},
      {"int[] a = [^^", kInteger},
      {"float3 a = ^1", kTuple},
      {"float3 a = (1, 2^)", kFew},
      {"float3 a = (1, 2, 3, ^4)", kMany},
      {"float3 a = (1, 2, 3 ^4)", kMany},
      {"float3 a = (1, ^(2), 3)", kNumber},
      {"matrix2d a = ((1, 2), ^3)", kTuple},
      {"matrix2d a = ((1^), (2, 3))", kFew},
      {"quatf a = (1, 2, 3^)", kFew},
      {"opaque a = ^1", "attributes of this type have no values"},
      {"foo a = ^}", "expected a value"},
      {"foo a = (1, ^=)", "expected a value"},
      {"foo a = (^[1])", "expected a value"},
      {"foo a = [1 ^2]", "expected ']' or ','"},
      {"rel a = <^b", "a path is not closed"},
  };
  for (const ErrorCase& c : kCases) {
    std::string text = InPrim(c.text);
    if (std::string_view(c.text).ends_with("^^")) {  // the end of the text
      text = text.substr(0, text.find("^^") + 1);
    }
    ExpectError(text, c.message);
  }
}

TEST(UsdaErrorsTest, OfArrayEdits) {
  static constexpr ErrorCase kCases[] = {
      {"edit ^1", "expected '[' of an array edit"},
      {"edit [^foo 1]",
       "expected write, insert, prepend, append, erase, minsize, maxsize or resize"},
      {"edit [write 1 ^at [0]]", "expected to"},
      {"edit [insert 1 ^to [0]]", "expected at"},
      {"edit [write 1 to ^0]", "expected '[' of an index"},
      {"edit [write 1 to [0 ^1]]", "expected ']' of an index"},
      {"edit [write ^x to [0]]", kInteger},
      {"edit [erase [^x]]", "expected an integer"},
      {"edit [erase [1.5^]]", "expected an integer"},
      {"edit [minsize -1^]", "a size must not be negative"},
      {"edit [minsize ^x]", "expected an integer"},
      {"edit [append 1^, append 2]", "expected ']' or a new line"},
      {"edit [append ^(1)]", kInteger},
  };
  for (const ErrorCase& c : kCases) ExpectError(InPrim(Concat("int[] a = ", c.text)), c.message);
}

TEST(UsdaErrorsTest, OfSplines) {
  static constexpr ErrorCase kCases[] = {
      {"^1", "expected '{' of a spline"},
      {"{^x: 1}", "expected a number"},
      {"{1 ^2}", "expected ':' in a spline"},
      {"{1: ^x}", "expected a number"},
      {"{^inf: 2}", "a time of a spline is not finite"},
      {"{1: ^inf}", "a value of a spline is not finite"},
      {"{1: 2 & ^nan}", "a value of a spline is not finite"},
      {"{1: 2 ^3}", "expected '}' or ','"},
      {"{1: 2; ^foo}", "expected pre, post or a dictionary"},
      {"{1: 2; pre^(1)}", "expected a space"},
      {"{1: 2; pre ^1}", "expected '(' of a tangent"},
      {"{1: 2; pre (^x)}", "expected a number"},
      {"{1: 2; pre (1, 2 ^3)}", "expected ')' of a tangent"},
      {"{1: 2; pre (^-1, 2)}", "the width of a tangent is negative or not finite"},
      {"{1: 2; pre (^inf, 2)}", "the width of a tangent is negative or not finite"},
      {"{1: 2; pre (1, ^inf)}", "the slope of a tangent is not finite"},
      {"{1: 2; pre (^nan)}", "the slope of a tangent is not finite"},
      {"{1: 2; pre (1, 2, ^foo)}", "expected custom or autoEase"},
      {"{1: 2; post ^foo}", "expected none, held, linear or curve"},
      {"{1: 2; post held^(1)}", "expected '}' or ','"},
      {"{1: 2; post held;^;}", "expected a parameter of a knot"},
      {"{pre ^linear}", "expected ':' in a spline"},
      {"{pre: ^foo}", "expected none, held, linear, sloped or loop"},
      {"{post: sloped ^2}", "expected '('"},
      {"{post: sloped (2 ^3)}", "expected ')' behind a number"},
      {"{post: loop^(2)}", "expected a space"},
      {"{post: loop ^foo}", "expected repeat, reset or oscillate"},
      {"{loop: ^1}", "expected '(' of loop parameters"},
      {"{loop: (1, 2, 3, 4^)}", "expected ',' of loop parameters"},
      {"{loop: (1, 2, 3, 4, 5^, 6)}", "expected ')' of loop parameters"},
      {"{loop: (1, 2, 3.5, 4, 5)^}", "a loop count is no integer"},
      {"{loop: (1, 2, 3, 4.5, 5)^}", "a loop count is no integer"},
  };
  for (const ErrorCase& c : kCases) {
    ExpectError(InPrim(Concat("double a.spline = ", c.text)), c.message);
  }
  ExpectError(InPrim("float a.spline = {1: ^1e300}"), "a value of a spline is not finite");
  ExpectError(InPrim("half a.spline = {1: ^70000}"), "a value of a spline is not finite");
  ExpectError(InPrim("half a.spline = {1: 1; pre (1, ^70000)}"),
              "the slope of a tangent is not finite");
  for (const char* type : {"int", "double[]", "string", "double3", "foo"}) {
    ExpectError(InPrim(Concat(type, " a.spline = ^{}")), "attributes of this type have no splines");
  }
}

TEST(UsdaErrorsTest, OfProperties) {
  static constexpr ErrorCase kCases[] = {
      {"^1", "expected a property, a prim or '}'"},
      {"varying ^int a", "expected rel (attributes are varying without the word)"},
      {"int ^1", "expected the name of an attribute"},
      {"int^=", "expected a space"},
      {"int a.^foo = 1", "expected timeSamples, connect or spline"},
      {"prepend int a.^timeSamples = {}", "expected connect"},
      {"prepend int a ^= 1", "expected .connect (only connections are edited as lists)"},
      {"int a.timeSamples = ^1", "expected '{' of time samples"},
      {"int a.timeSamples = {^x: 1}", "expected the time of a sample"},
      {"int a.timeSamples = {1 ^2}", "expected ':' behind the time of a sample"},
      {"rel ^1", "expected the name of a relationship"},
      {"rel a.^foo = <b>", "expected default"},
      {"rel a = ^1", "expected a path between '<' and '>'"},
      {"def ^1", "expected the type or the name (in quotes) of a prim"},
      {"def X.^1 \"A\" {}", "expected a type name"},
      {"def ^\"1\" {}", "'1' is no name for a prim"},
      {"def \"A\" {}\ndef ^\"A\" {}", "prim 'A' is there twice"},
      {"def \"A\" ^;", "expected '{' of a prim"},
      {"variantSet ^\"a b\" = {}", "'a b' names no variant set"},
      {"variantSet \"v\" = {^\" \" {}}", "' ' names no variant"},
      {"int a = 1 ^int b", "expected a new line"},
      {"def \"A\" {}^;", "expected a new line"},
  };
  for (const ErrorCase& c : kCases) ExpectError(InPrim(c.text), c.message);
  ExpectError("#usda 1.0\n^foo \"A\" {}\n", "expected def, over or class");
  ExpectError("#usda 1.0\nreorder ^foo = [\"A\"]\n", "expected rootPrims");
  ExpectError("#usda 1.0\ndef \"A\" {\nint a\n^", "expected '}' (a prim or variant is not closed)");
}

TEST(UsdaErrorsTest, OfMetadata) {
  static constexpr ErrorCase kCases[] = {
      {"^=", "expected the name of a metadata field"},
      {"^specifier = def", "'specifier' is no metadata field"},
      {"kind = ^x", "expected a string in quotes"},
      {"apiSchemas = ^\"A\"", "expected a list in brackets (the type has [])"},
      {"prepend apiSchemas = ^[]", "only an explicit list may be empty"},
      {"prepend foo = ^1", "expected a list in brackets"},
      {"prepend foo = ^[]", "only an explicit list may be empty"},
      {"customData = ^3", "expected a dictionary"},
      {"customData = {^nosuch a = 1}", "unknown type 'nosuch' of a dictionary entry"},
      {"customData = {int ^= 1}", "expected a key: an identifier or a string in quotes"},
      {"customData = {^= 1}", "expected a type name"},
      {"customData = {int a = 1 ^int b = 2}", "expected '}' or a new line"},
      {"customData = {int[ ^1] a}", "expected ']' of an array type"},
      {"customData = {dictionary^= {}}", "expected a space"},
      {"customData = {dictionary a = ^1}", "expected '{' of a dictionary"},
      {"permission = ^x", "expected public or private"},
      {"^displayUnit = foo", "expected the name of a metadata field"},
      {"^relocates = {}", "relocates belong to the layer, not to a prim"},
      {"variants = ^{int v = 1}", "the selected variants must be strings"},
      {"variants = ^{string v = \"a b\"}", "'a b' names no variant"},
      {"variantSets = ^\"a b\"", "'a b' names no variant set"},
      {"variantSets = [\"a\", ^\"a b\"]", "'a b' names no variant set"},
      {"inherits = ^<A.b>", "expected the path of a prim"},
      {"inherits = ^<>", "expected the path of a prim"},
      {"inherits = ^[</A>, </A>]", "a path is listed twice"},
      {"prepend inherits = ^[]", "only an explicit list may be empty"},
      {"references = ^@@", "an empty asset path (leave it out for this layer stack itself)"},
      {"references = @a@^<B>", "expected the absolute path of a prim"},
      {"references = @a@(^foo = 1)", "expected offset or scale"},
      {"references = @a@(offset = ^x)", "expected a number"},
      {"references = ^[@a@, @a@]", "an item is listed twice"},
      {"prefixSubstitutions = {^a: \"b\"}", "expected a string in quotes"},
      {"prefixSubstitutions = {\"a\" ^\"b\"}", "expected ':' behind a key"},
      {"prefixSubstitutions = {\"a\": ^b}", "expected a string in quotes"},
  };
  for (const ErrorCase& c : kCases) ExpectError(OnPrim(c.text), c.message);
  ExpectError(OnLayer("framesPerSecond = ^0"), "framesPerSecond must be greater than 0");
  ExpectError(OnLayer("relocates = {^<>: </A>}"), "a source must not be empty");
  ExpectError(OnLayer("relocates = {</A>: ^</B.c>}"), "expected the path of a prim");
  ExpectError(InPrim("int a (displayUnit = ^foo)"),
              "unknown unit (as mm, cm, m, in, ft, deg, rad)");
}

std::string OnAttribute(std::string_view metadata) {
  return InPrim(Concat("int a (", metadata, ")"));
}

// Statements that break off or go wrong at each of their parts.
constexpr ErrorCase kPrimMetadata[] = {
    {"doc ^\"x\"", "expected '='"},
    {"doc = ^x", "expected a string in quotes"},
    {"\"x^", "a line ends inside a string (close it, or use three quotes)"},
    {"permission ^x", "expected '='"},
    {"permission = private ^1", "expected ')' or a new line"},
    {"symmetryFunction ^\"x\"", "expected '='"},
    {"kind ^\"x\"", "expected '='"},
    {"kind=\"x^", "a line ends inside a string (close it, or use three quotes)"},
    {"prefixSubstitutions ^{}", "expected '='"},
    {"prefixSubstitutions = ^1", "expected '{' of a dictionary"},
    {"variants ^{}", "expected '='"},
    {"variants = ^1", "expected '{' of a dictionary"},
    {"variantSets ^\"v\"", "expected '='"},
    {"variantSets = ^x", "expected a string in quotes"},
    {"variantSets = ^[\"a\", \"a\"]", "a variant set is named twice"},
    {"variantSets = [^]", "expected a string in quotes"},
    {"inherits ^</A>", "expected '='"},
    {"inherits = ^x", "expected a path between '<' and '>'"},
    {"inherits = ^</A{v=x}B>", "expected the path of a prim"},
    {"inherits = [</A>, ^<A.b>]", "expected the path of a prim"},
    {"specializes = ^[</A>, </A>]", "a path is listed twice"},
    {"references ^</A>", "expected '='"},
    {"references = ^x", "expected a path between '<' and '>'"},
    {"references = ^</A.b>", "expected the absolute path of a prim"},
    {"references = ^</A{v=x}B>", "expected the absolute path of a prim"},
    {"references = ^@a", "an asset path is not closed"},
    {"references = @a@^x", "expected ')' or a new line"},
    {"references = [@a@ </B>, ^<C>]", "expected the absolute path of a prim"},
    {"references = @a@(offset ^1)", "expected '='"},
    {"references = @a@(customData ^{})", "expected '='"},
    {"references = @a@(customData = ^1)", "expected '{' of a dictionary"},
    {"references = @a@(scale = 1^e)", "expected the digits of an exponent"},
    {"prepend references = ^[]", "only an explicit list may be empty"},
    {"prepend references = ^None", "only an explicit list may be empty"},
    {"payload = ^[@a@, @a@]", "an item is listed twice"},
    {"payload = @a@(^customData = {})", "expected offset or scale"},
    {"foo ^1", "expected '='"},
    {"foo = {int a ^1}", "expected '='"},
    {"foo = {int a^}", "expected '='"},
    {"foo = {int ^= 1}", "expected a key: an identifier or a string in quotes"},
    {"prepend foo = [^=]", "expected a value"},
    {"prepend^\"foo\"", "expected a space"},
    {"prepend^", "expected a space"},
    {"active = ^None", "this field needs a value"},
    {"active = ^x", "expected true or false"},
    {"prepend active = ^1", "expected a list in brackets"},
    {"prepend active = ^[1]", "a list where a single value is expected (the type has no [])"},
    {"prepend ^kind = \"x\"", "expected the name of a metadata field"},
    {"customData = <^", "a path is not closed"},
    {"prepend ^customData = 1", "expected the name of a metadata field"},
    {"prepend apiSchemas = ^</A>", "expected a list in brackets"},
    {"^def = 1", "expected the name of a metadata field"},
    {"customData = {int \"a\" = 1; string b = \"x}^",
     "a line ends inside a string (close it, or use three quotes)"},
    {"customData = {dictionary d = {int x ^1}}", "expected '='"},
    {"customData = {dictionary ^= {}}", "expected a key: an identifier or a string in quotes"},
    {"customData = {dictionary d ^{}}", "expected '='"},
    {"customData = {dictionary d = ^}", "expected '{' of a dictionary"},
    {"customData = {int[] a = ^1}", "expected a list in brackets (the type has [])"},
    {"customData = {string a = <^}", "a path is not closed"},
    {"customData = {^foo", "unknown type 'foo' of a dictionary entry"},
};

constexpr ErrorCase kLayerMetadata[] = {
    {"subLayers ^[]", "expected '='"},
    {"subLayers = ^1", "expected '[' of the sublayers"},
    {"subLayers = [^x]", "expected an asset path between '@'"},
    {"subLayers = [@a@(^foo = 1)]", "expected offset or scale"},
    {"subLayers = [@a@ (offset = 1; scale = ^x)]", "expected a number"},
    {"subLayers = [@a@ ^@b@]", "expected ']' or ','"},
    {"relocates ^{}", "expected '='"},
    {"relocates = ^[]", "expected '{' of the relocates"},
    {"relocates = {^x: </A>}", "expected a path between '<' and '>'"},
    {"relocates = {</A> ^</B>}", "expected ':' between source and target"},
    {"relocates = {</A>: ^x}", "expected a path between '<' and '>'"},
    {"relocates = {^</A{v=x}B>: </C>}", "expected the path of a prim"},
    {"relocates = {^</A.b>: </C>}", "expected the path of a prim"},
    {"framesPerSecond = ^\"x\"", "expected a number as value of this type"},
    {"framesPerSecond = ^-1", "framesPerSecond must be greater than 0"},
    {"framesPerSecond = ^None", "this field needs a value"},
    {"prepend ^subLayers = [@a@]", "expected the name of a metadata field"},
    {"^kind = \"x\"", "expected the name of a metadata field"},
    {"^customData = {}", "expected the name of a metadata field"},
    {"doc = \"x\" ^doc = \"y\"", "expected ')' or a new line"},
};

constexpr ErrorCase kAttributeMetadata[] = {
    {"displayUnit ^cm", "expected '='"},
    {"displayUnit = ^1", "unknown unit (as mm, cm, m, in, ft, deg, rad)"},
    {"^relocates = {}", "expected the name of a metadata field"},
    {"^variants = {}", "expected the name of a metadata field"},
};

constexpr ErrorCase kStatements[] = {
    {"custom^\"x\"", "expected a space"},
    {"custom^=", "expected a space"},
    {"varying^", "expected a space"},
    {"varying^=", "expected a space"},
    {"uniform^=", "expected a space"},
    {"int^", "expected a space"},
    {"int a.^", "expected timeSamples, connect or spline"},
    {"int a.connect ^</A.b>", "expected '='"},
    {"int a.connect = ^x", "expected a path between '<' and '>'"},
    {"int a.connect = ^</A{v=x}.b>", "expected the path of a property or prim"},
    {"int a.connect = ^<>", "expected the path of a property or prim"},
    {"int a.timeSamples ^{}", "expected '='"},
    {"int a.timeSamples = {1: ^x}", "expected an integer as value of this type"},
    {"int a.timeSamples = {1: ^N}", "expected an integer as value of this type"},
    {"int a.timeSamples = {1: None, 2: ^AnimationBlock}",
     "expected an integer as value of this type"},
    {"int a.spline ^{}", "expected '='"},
    {"int a = ^Nonee", "expected an integer as value of this type"},
    {"int a = ^Anim", "expected an integer as value of this type"},
    {"int a (doc = ^x)", "expected a string in quotes"},
    {"rel^", "expected a space"},
    {"rel^=", "expected a space"},
    {"rel a = ^</A{v=x}B>", "expected the path of a prim or property"},
    {"rel a = ^<>", "expected the path of a prim or property"},
    {"rel a = ^<.>", "expected the path of a prim or property"},
    {"rel a = ^</>", "expected the path of a prim or property"},
    {"rel a.default ^<b>", "expected '='"},
    {"rel a.default = ^b", "expected a path between '<' and '>'"},
    {"rel a.^foo", "expected default"},
    {"rel a [^b]", "expected a path between '<' and '>'"},
    {"rel a [<^b]", "a path is not closed"},
    {"rel a [<b> ^x", "expected ']' of a target"},
    {"prepend rel a^.default = <b>", "expected a new line"},
    {"prepend rel a ^[<b>]", "expected a new line"},
    {"def^", "expected a space"},
    {"def^\"A\" {}", "expected a space"},
    {"def A^\"B\" {}", "expected a space"},
    {"def \"A^", "a line ends inside a string (close it, or use three quotes)"},
    {"def \"A\" (doc = ^x) {}", "expected a string in quotes"},
    {"over \"A\" (foo^) {}", "expected '='"},
    {"class^", "expected a space"},
    {"variantSet^\"v\" = {}", "expected a space"},
    {"variantSet ^v = {}", "expected a string in quotes"},
    {"variantSet \"v\" ^{}", "expected '=' behind the name of a variant set"},
    {"variantSet \"v\" = ^[]", "expected '{' of a variant set"},
    {"variantSet \"v\" = {^x {}}", "expected a string in quotes"},
    {"variantSet \"v\" = {\"a\" ^x}", "expected '{' of a variant"},
    {"variantSet \"v\" = {\"a\" (doc = ^x) {}}", "expected a string in quotes"},
    {"variantSet \"v\" = {\"a\" {x^}}", "expected a space"},
    {"variantSet \"v\" = {\"a\" {}} ^int a", "expected a new line"},
    {"reorder nameChildren ^\"a\"", "expected '='"},
    {"reorder nameChildren = ^x", "expected a string in quotes"},
    {"reorder properties ^\"a\"", "expected '='"},
    {"reorder properties = [\"a\", ^x]", "expected a string in quotes"},
    {"reorder properties = [\"a\"] ^int a", "expected a new line"},
    {"reorder nameChildren = [\"a\"] ^int a", "expected a new line"},
    {"reorder foo ^= [\"a\"]", "expected the name of an attribute"},
    {"reorder^\"a\"", "expected a space"},
    {"append^\"a\"", "expected a space"},
    {"add int a.connect^", "expected '='"},
    {"int[ ^a", "expected ']' of an array type"},
    {"int[] a = [1,^,2]", "expected an integer as value of this type"},
    {"pathExpression a = ^\"/A ^\"",
     "malformed path expression: expected the end of the expression at character 4"},
    {"pathExpression a = ^1", "expected a string in quotes as value of this type"},
    {"pathExpression[] a = [\"/A\", ^\"/B (\"]",
     "malformed path expression: expected a path expression at character 5"},
    {"int[] a = edit [append^", "expected an integer as value of this type"},
    {"int[] a = edit [erase [^]]", "expected an integer"},
    {"int[] a = edit [erase [1e5^]]", "expected an integer"},
    {"int[] a = edit [erase [99999999999999999999^]]", "expected an integer"},
    {"int[] a = edit [erase [0.0^]]", "expected an integer"},
    {"int[] a = edit [resize 1^e]", "expected the digits of an exponent"},
    {"int[] a = edit [resize 1.5^]", "expected an integer"},
    {"int[] a = ^edi [append 1]", "expected a list in brackets (the type has [])"},
    {"string[] a = [\"x]^", "a line ends inside a string (close it, or use three quotes)"},
    {"string a = \"x\\^", "a line ends inside a string (close it, or use three quotes)"},
    {"half a = ^x", "expected a number as value of this type"},
    {"bool a = \"x^", "a line ends inside a string (close it, or use three quotes)"},
    {"bool a = ^\"\"", "expected true or false"},
    {"token a = \"x^", "a line ends inside a string (close it, or use three quotes)"},
    {"timecode a = ^x", "expected a number as value of this type"},
    {"duration a = ^\"x\"", "expected a number as value of this type"},
    {"foo a = ^{}", "expected a value"},
    {"foo a = \"x^", "a line ends inside a string (close it, or use three quotes)"},
    {"foo a = ^@x", "an asset path is not closed"},
    {"foo a = <^x", "a path is not closed"},
    {"foo a = [1, [2], x^::]", "expected ']' or ','"},
};

TEST(UsdaErrorsTest, OfMetadataOfPrims) {
  for (const ErrorCase& c : kPrimMetadata) ExpectError(OnPrim(c.text), c.message);
}

TEST(UsdaErrorsTest, OfMetadataOfLayers) {
  for (const ErrorCase& c : kLayerMetadata) ExpectError(OnLayer(c.text), c.message);
}

TEST(UsdaErrorsTest, OfComments) {
  ExpectError(OnLayer("\"a comment without an end^"),
              "a line ends inside a string (close it, or use three quotes)");
}

// Eight or more bytes are checked at once.
TEST(UsdaErrorsTest, BytesThatAreNotUtf8AreFoundAnywhere) {
  const std::string good = "#usda 1.0\n# " + std::string(100, 'x') + "\n";
  ASSERT_TRUE(ReadText(good).ok());
  for (size_t i = 12; i < 112; ++i) {
    std::string bad = good;
    bad[i] = '\xff';
    EXPECT_EQ(ReadText(bad).status().code(), absl::StatusCode::kInvalidArgument) << i;
  }
}

TEST(UsdaErrorsTest, OfMetadataOfAttributes) {
  for (const ErrorCase& c : kAttributeMetadata) ExpectError(OnAttribute(c.text), c.message);
}

TEST(UsdaErrorsTest, OfStatements) {
  for (const ErrorCase& c : kStatements) ExpectError(InPrim(c.text), c.message);
}

}  // namespace
}  // namespace stagedoor

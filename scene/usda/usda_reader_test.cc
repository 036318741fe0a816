#include "scene/usda/usda_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/fields.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

absl::StatusOr<std::shared_ptr<const Layer>> Read(std::string_view text) {
  Layer::Info info;
  info.identifier = "a.usda";
  return ReadUsda(text, info);
}
std::string InPrim(std::string_view body) {
  return "#usda 1.4\ndef \"P\" {\n" + std::string(body) + "\n}\n";
}
std::string OnPrim(std::string_view metadata) {
  return "#usda 1.4\ndef \"P\" (\n" + std::string(metadata) + "\n) {}\n";
}
std::string OnLayer(std::string_view metadata) {
  return "#usda 1.4\n(\n" + std::string(metadata) + "\n)\n";
}

// Statements in a prim and how they are written back (as OpenUSD 26.11 does); null: rejected.
struct StatementCase {
  const char* statement;
  const char* written;
};

class StatementTest : public testing::TestWithParam<StatementCase> {};

TEST_P(StatementTest, IsReadAsOpenUsdDoes) {
  const auto [statement, written] = GetParam();
  const auto layer = Read(InPrim(statement));
  if (!written) {
    EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument) << statement;
    return;
  }
  ASSERT_TRUE(layer.ok()) << statement << "\n" << layer.status();
  const std::string text = WriteUsda(**layer);
  const size_t open = text.find("{\n") + 2;
  std::string body = text.substr(open, text.rfind("}\n") - open);
  for (size_t at = 0; (at = body.find("\n    ", at)) != std::string::npos; ++at) {
    body.replace(at, 5, "\n");
  }
  if (body.substr(0, 4) == "    ") body = body.substr(4);
  if (!body.empty()) body.pop_back();
  EXPECT_EQ(body, written) << statement;
  // What is written is read back as the same.
  const auto again = Read(text);
  ASSERT_TRUE(again.ok()) << text << again.status();
  EXPECT_EQ(WriteUsda(**again), text);
}

constexpr StatementCase kScalars[] = {
    {"bool a = True", "bool a = 1"},
    {"bool a = maybe", nullptr},
    {"bool a = \"Yes\"", "bool a = 1"},
    {"bool a = -0", "bool a = 0"},
    {"int a = 1.5", "int a = 1"},
    {"int a = 1e3", "int a = 1000"},
    {"int a = 00012", "int a = 12"},
    {"int a = 2147483647.5", "int a = 2147483647"},
    {"int a = 99999999999", nullptr},
    {"int a = true", nullptr},
    {"int a = \"1\"", nullptr},
    {"int a = nan", nullptr},
    {"int a = +1", nullptr},
    {"int a = 0x10", nullptr},
    {"uint a = -1", nullptr},
    {"uint a = -0.5", "uint a = 0"},
    {"uint a = -0", "uint a = 0"},
    {"uchar a = 255.9", "uchar a = 255"},
    {"uchar a = 256", nullptr},
    {"int64 a = -9223372036854775808", "int64 a = -9223372036854775808"},
    {"int64 a = -9223372036854775809", nullptr},
    {"uint64 a = 18446744073709551615", "uint64 a = 18446744073709551615"},
    {"uint64 a = 18446744073709551616", nullptr},
    {"float a = 1e300", "float a = inf"},
    {"float a = \"inf\"", "float a = inf"},
    {"float a = -nan", nullptr},
    {"float a = Inf", nullptr},
    {"float a = 1.", "float a = 1"},
    {"float a = -.5", "float a = -0.5"},
    {"float a = 1e", nullptr},
    {"float a = .", nullptr},
    {"float a = 0.1", "float a = 0.1"},
    {"double a = 1e15", "double a = 1e15"},
    {"double a = 100000", "double a = 100000"},
    {"double a = 0.000001", "double a = 0.000001"},
    {"double a = 1e-7", "double a = 1e-7"},
    {"double a = 123456789012345678", "double a = 1.2345678901234568e17"},
    {"double a = -0", "double a = -0"},
    {"double a = 1e400", "double a = inf"},
    {"half a = 0.1", "half a = 0.0999756"},
    {"half a = 1e6", "half a = inf"},
    {"timecode a = 3", "timecode a = 3"},
    {"duration a = 3", "duration a = 3"},
    {"string a = 'x\\'y'", "string a = \"x'y\""},
    {"string a = '\\x41\\101\\q\\x414'", "string a = \"AAqA4\""},
    {"string a = \"\"\"a\nb\"\"\"", "string a = \"\"\"a\nb\"\"\""},
    {"string a = \"\"\"\"a\"\"\"", "string a = '\"a'"},
    {"string a = \"\"\"a\"\"\"\"\"", nullptr},
    {"string a = \"x\ny\"", nullptr},
    {"string a = \"x", nullptr},
    {"string a = foo", nullptr},
    {"string a = @x@", nullptr},
    {"token a = foo", nullptr},
    {"token a = </P>", "token a = </P>"},
    {"asset a = \"x\"", "asset a = @x@"},
    {"asset a = @@@a\\@@@b@@@", "asset a = @@@a\\@@@b@@@"},
    {"asset a = @@@a@@@@", "asset a = @@@a@@@@"},
    {"asset a = @a\tb@", nullptr},
    {"asset a = @x", nullptr},
    {"opaque a", "opaque a"},
    {"opaque a = 1", nullptr},
};
constexpr StatementCase kCompounds[] = {
    {"float3 a = (1, 2, 3,)", "float3 a = (1, 2, 3)"},
    {"float3 a = (/*x*/1, #c\n2,3\n)", "float3 a = (1, 2, 3)"},
    {"float3 a = (1, 2)", nullptr},
    {"float3 a = (1, 2, 3, 4)", nullptr},
    {"float3 a = ((1, 2, 3))", nullptr},
    {"float2 a = (1\n, 2)", nullptr},
    {"float2 a = (1 2)", nullptr},
    {"quatf a = (1, 2, 3, 4)", "quatf a = (1, 2, 3, 4)"},
    {"matrix2d a = ((1, 2), (3, 4),)", "matrix2d a = ( (1, 2), (3, 4) )"},
    {"matrix2d a = (1, 2, 3, 4)", nullptr},
    {"matrix2d a = ((1, 2, 3), (4))", nullptr},
    {"int a = (1)", nullptr},
    {"int a = [1]", nullptr},
    {"int[] a = 1", nullptr},
    {"int[] a = []", "int[] a = []"},
    {"int[] a = [ ]", "int[] a = []"},
    {"int[] a = [\n]", nullptr},
    {"int[] a = [1,\n 2,\n]", "int[] a = [1, 2]"},
    {"int[] a = [,]", nullptr},
    {"int[] a = [1 2]", nullptr},
    {"int[] a = [[1, 2], [3, 4]]", "int[] a = [1, 2, 3, 4]"},
    {"int[] a = [[1, 2], [3]]", nullptr},
    {"int[] a = [[1], 2]", nullptr},
    {"int[] a = [None]", nullptr},
    {"int2[] a = [1, 2]", nullptr},
    {"point3f[] a = [(1, 2, 3), (4, 5, 6)]", "point3f[] a = [(1, 2, 3), (4, 5, 6)]"},
    {"string[] a = [\"x\", 'y']", "string[] a = [\"x\", \"y\"]"},
    {"bool[] a = [true, 0]", "bool[] a = [1, 0]"},
    {"int[ ] a", "int[] a"},
    {"int [] a", "int[] a"},
    {"int[\n] a", nullptr},
    {"int[]a", nullptr},
    {"PointFloat[] a = [(1, 2, 3)]", "PointFloat[] a = [(1, 2, 3)]"},
    {"PointIndex a = 1", "PointIndex a = 1"},
    {"nosuch a = [\"x\", b, (1, 2.50), @c@]", "nosuch a = [\"x\", b, (1, 2.5), @c@]"},
    {"nosuch a.timeSamples = {1: 2, 2: 3}", nullptr},
    {"int[] a = edit [append 1; prepend [2]; write 3 to [0]; erase [-1]]",
     "int[] a = edit [append 1; prepend [2]; write 3 to [0]; erase [-1]]"},
    {"int[] a = edit [insert 1 at [0]\n resize 3 fill 7 ; minsize 2\n maxsize 9]",
     "int[] a = edit [prepend 1; resize 3 fill 7; minsize 2; maxsize 9]"},
    {"int[] a = edit [append 1, append 2]", nullptr},
    {"int[] a = edit [minsize -1]", nullptr},
    {"int a = edit [append 1]", nullptr},
};
constexpr StatementCase kProperties[] = {
    {"int a = 1; int b = 2;", "int a = 1\nint b = 2"},
    {"int a = 1 int b = 2", nullptr},
    {"int a\n= 1", nullptr},
    {"int a = \n1", nullptr},
    {"int/**/a", nullptr},
    {"int /**/a /**/= /**/1 // c", "int a = 1"},
    {"int a:b:c", "int a:b:c"},
    {"int a:", nullptr},
    {"int def = 1", "int def = 1"},
    {"int a = None", "int a = None"},
    {"int a = AnimationBlock", "int a = AnimationBlock"},
    {"int a = none", nullptr},
    {"varying int a", nullptr},
    {"config int a", "uniform int a"},
    {"uniform custom int a", nullptr},
    {"custom uniform int a", "custom uniform int a"},
    {"int a\nfloat a", nullptr},
    {"int a\nuniform int a", nullptr},
    {"int a = 1\nint a = 2", "int a = 2"},
    {"int a\nrel a", "uniform int a"},
    {"rel a\nint a", nullptr},
    {"int a.timeSamples = {}", "int a.timeSamples = {\n}"},
    {"int a.timeSamples = {2: 3, 1: None,}", "int a.timeSamples = {\n    1: None,\n    2: 3,\n}"},
    {"int a.timeSamples = {1: 1, 1: 2}", "int a.timeSamples = {\n    1: 2,\n}"},
    {"int a.timeSamples = {1: 2; 2: 3}", nullptr},
    {"int a.timeSamples = {1 2}", nullptr},
    {"int a.connect = [<b.c>, </D.e>]", "int a.connect = [\n    </P/b.c>,\n    </D.e>,\n]"},
    {"int a.connect = None", "int a.connect = None"},
    {"prepend int a.connect = None", nullptr},
    {"prepend int a.connect = </A.b>", "prepend int a.connect = </A.b>"},
    {"int a.connect = [<b.c>, <b.c>]", nullptr},
    {"add int a = 1", nullptr},
    {"rel a = <../B>", "rel a = </B>"},
    {"rel a = <../../B>", nullptr},
    {"rel a = </P{v=x}Q>", nullptr},
    {"rel a = <//x>", nullptr},
    {"rel a = [ # none\n]", "rel a = None"},
    {"custom varying rel a", "custom varying rel a"},
    {"varying custom rel a", nullptr},
    {"append rel a = </B>\ndelete rel a = [</C>,</D>]",
     "delete rel a = [\n    </C>,\n    </D>,\n]\nappend rel a = </B>"},
    {"rel a.default = <x>", "rel a.default = <x>"},
    {"rel a [<x>]", "rel a"},
    {"int a (doc = \"x\")", "int a (\n    doc = \"x\"\n)"},
    {"int a\n(doc = \"x\")", nullptr},
    {"int a (displayUnit = cm; hidden = 1)", "int a (\n    displayUnit = cm\n    hidden = true\n)"},
    {"int a (displayUnit = foo)", nullptr},
    {"int a (kind = \"x\")", nullptr},
    {"def \"A\" {} def \"B\" {}", nullptr},
    {"def \"A\" {}\ndef \"A\" {}", nullptr},
    {"def \"A\" {};", nullptr},
    {"def \"1\" {}", nullptr},
    {"def A.B \"C\" {}", "def A.B \"C\"\n{\n}"},
    {"reorder nameChildren = [\"b\", \"a\"]", "reorder nameChildren = [\"b\", \"a\"]"},
    {"reorder nameChildren = []", nullptr},
    {"variantSet \"v\" = {}", "variantSet \"v\" = {}"},
    {"variantSet \"v\" = { }", nullptr},
    {"variantSet \"v\" = {\"a\" {} \"a b\" {}}", nullptr},
};
constexpr StatementCase kSplines[] = {
    {"double a.spline = {}", "double a.spline = {\n}"},
    {"double a.spline = {bezier, pre: linear, post: sloped(2), 1: 2; pre (1, 2); post curve (3, "
     "4)}",
     "double a.spline = {\n    bezier,\n    pre: linear,\n    post: sloped(2),\n"
     "    1: 2; pre (1, 2); post curve (3, 4),\n}"},
    {"double a.spline = {1: 2 & 3; post none, 0: 5}",
     "double a.spline = {\n    0: 5; post held,\n    1: 2 & 3; post none,\n}"},
    {"double a.spline = {1: 2, 1: 3}", "double a.spline = {\n    1: 2; post held,\n}"},
    {"double a.spline = {pre: loop repeat(3), loop: (1, 2, -3, 4, 5)}",
     "double a.spline = {\n    pre: loop repeat(3),\n    loop: (1, 2, 0, 4, 5),\n}"},
    {"double a.spline = {1: 2; post held; { string x = \"y\" }}",
     "double a.spline = {\n    1: 2; post held; { string x = \"y\" },\n}"},
    {"double a.spline = {1: 2;}", nullptr},
    {"double a.spline = {1: 2; post curve(1, 2)}", nullptr},
    {"double a.spline = {1: 2; post curve (-1, 2)}", nullptr},
    {"double a.spline = {1: 2; pre (1, 2, foo)}", nullptr},
    {"double a.spline = {loop: (1, 2, 3.5, 4, 5)}", nullptr},
    {"double a.spline = {nan: 2}", nullptr},
    {"float a.spline = {1: 1e300}", nullptr},
    {"int a.spline = {1: 2}", nullptr},
};
// Of variant sets and variants that are stated again. OpenUSD keeps what the second statement does
// not list as specs without a place in their parent, which no text and no listing shows.
constexpr StatementCase kRestated[] = {
    {R"(variantSet "v" = {"a" {}}
variantSet "v" = {"b" {}})",
     R"(variantSet "v" = {
    "b" {

    }
})"},
    {R"(variantSet "v" = {"a" {}}
variantSet "v" = {})",
     R"(variantSet "v" = {})"},
    {R"(variantSet "v" = {}
variantSet "v" = {"a" {}})",
     R"(variantSet "v" = {
    "a" {

    }
})"},
    {R"(variantSet "v" = {"a" {int p = 1
int q = 1
} "b" {}}
variantSet "v" = {"b" {} "a" {int p = 2
}})",
     R"(variantSet "v" = {
    "b" {

    }
    "a" {
        int p = 2
        int q = 1

    }
})"},
    {R"(variantSet "v" = {"a" {int p
}}
variantSet "v" = {"b" {}}
variantSet "v" = {"a" {int q
}})",
     R"(variantSet "v" = {
    "a" {
        int q

    }
})"},
    {R"(variantSet "v" = {"a" {int p
} "a" {int q
int p = 3
}})",
     R"(variantSet "v" = {
    "a" {
        int q

    }
})"},
    {R"(variantSet "v" = {"a" {def "A" {}
int p
}}
variantSet "v" = {"a" {def "B" {}
}})",
     R"(variantSet "v" = {
    "a" {
        int p

        def "B"
        {
        }

    }
})"},
    {R"(variantSet "v" = {"a" {def "A" {}
}}
variantSet "v" = {"a" {def "A" {}
}})",
     nullptr},
    {R"(variantSet "v" = {"a" {int p
}}
variantSet "v" = {"a" {float p
}})",
     nullptr},
    {R"(variantSet "v" = {"a" (doc = "d") {}}
variantSet "v" = {"a" (kind = "k") {}})",
     R"(variantSet "v" = {
    "a" (
        doc = "d"
        kind = "k"
    ) {

    }
})"},
    {R"(variantSet "v" = {"a" {variantSet "w" = {"1" {}}
}}
variantSet "v" = {"a" {variantSet "w" = {"2" {}}
}})",
     R"(variantSet "v" = {
    "a" {
        variantSet "w" = {
            "2" {

            }
        }

    }
})"},
    {R"(variantSet "v" = {"a" {variantSet "w" = {"1" {}}
}}
variantSet "v" = {"a" {variantSet "x" = {"2" {}}
}})",
     R"(variantSet "v" = {
    "a" {
        variantSet "w" = {
            "1" {

            }
        }
        variantSet "x" = {
            "2" {

            }
        }

    }
})"},
    {R"(variantSet "v" = {"a" {variantSet "w" = {"1" {}}
} "a" {variantSet "w" = {"2" {}}
}})",
     R"(variantSet "v" = {
    "a" {
        variantSet "w" = {
            "2" {

            }
        }

    }
})"},
    {R"(variantSet "v" = {"a" {variantSet "w" = {"1" {}}
variantSet "w" = {"2" {}}
}}
variantSet "v" = {"b" {}})",
     R"(variantSet "v" = {
    "b" {

    }
})"},
};

INSTANTIATE_TEST_SUITE_P(Scalars, StatementTest, testing::ValuesIn(kScalars));
INSTANTIATE_TEST_SUITE_P(Compounds, StatementTest, testing::ValuesIn(kCompounds));
INSTANTIATE_TEST_SUITE_P(Properties, StatementTest, testing::ValuesIn(kProperties));
INSTANTIATE_TEST_SUITE_P(Splines, StatementTest, testing::ValuesIn(kSplines));
INSTANTIATE_TEST_SUITE_P(Restated, StatementTest, testing::ValuesIn(kRestated));

TEST(UsdaReaderTest, AcceptsMetadataAsOpenUsdDoes) {
  for (const char* metadata : {"\"comment\"\n\"again\"",
                               "doc = \"x\"",
                               "kind = \"x\"",
                               "typeName = \"X\"",
                               "displayName = {}",
                               "customData = {int a = 1; dictionary d = { }}",
                               "customData = {int \"a b\" = 1}",
                               "customData = {int def = 1}",
                               "apiSchemas = None",
                               "prepend apiSchemas = None",
                               "apiSchemas = [\"A\", \"A\"]",
                               "prepend foo = [1, 2]",
                               "foo = 1\nprepend foo = [2]",
                               "Foo::Bar = 1",
                               "inherits = <A>",
                               "inherits = [</A>,\n#c\n</B>\n]",
                               "references = @a@ </B> (offset = 1; scale = 2)",
                               "references = <>",
                               "references = []",
                               "references = </B> (customData = {int a = 1})",
                               "references = [@a@, @a@(offset = 1)]",
                               "payload = @a@(offset = 1; offset = 2)",
                               "variants = {string a = \"`${X}`\"}",
                               "variants = {string a = \"\"}",
                               "variantSets = \"a\"",
                               "prefixSubstitutions = {\"a\": \"b\"}",
                               "permission = private",
                               "symmetryFunction =",
                               "hidden = true; active = true"}) {
    EXPECT_TRUE(Read(OnPrim(metadata)).ok()) << metadata << "\n" << Read(OnPrim(metadata)).status();
  }
}

TEST(UsdaReaderTest, RejectsMetadataAsOpenUsdDoes) {
  for (const char* metadata : {"variants = {string a = \"``\"}",
                               "comment = \"x\"",
                               "specifier = def",
                               "kind = x",
                               "displayName = None",
                               "customData = None",
                               "customData = 3",
                               "customData = {int a = 1 int b = 2}",
                               "customData = {nosuch a = 1}",
                               "customData = {int a = None}",
                               "apiSchemas = \"A\"",
                               "prepend apiSchemas = []",
                               "prepend displayName = [\"x\"]",
                               "inherits = [</A>, </A>]",
                               "prepend inherits = []",
                               "inherits = </A{v=x}B>",
                               "inherits = </A.b>",
                               "inherits = <>",
                               "references = @@",
                               "references = @a@(offset = 1 scale = 2)",
                               "references = [@a@, @a@]",
                               "references = @a@<B>",
                               "references = </B{v=x}C>",
                               "payload = @a@(customData = {})",
                               "relocates = {}",
                               "variants = {token a = \"b\"}",
                               "variants = {string a = \"b c\"}",
                               "variantSets = None",
                               "variantSets = \"a b\"",
                               "permission = x",
                               "active = off",
                               "displayUnit = cm",
                               "hidden = true active = true",
                               "hidden = true;;active = true",
                               "hidden = true,",
                               "foo:bar = 1",
                               "custom = true",
                               "primChildren = [\"a\"]",
                               "inherits = [</A>\n,</B>]"}) {
    EXPECT_EQ(Read(OnPrim(metadata)).status().code(), absl::StatusCode::kInvalidArgument)
        << metadata;
  }
}

TEST(UsdaReaderTest, ChecksLayerMetadata) {
  for (const char* metadata :
       {"subLayers = []", "subLayers = [@a@, @b@ (offset = 1; scale = 2),]", "subLayers = [@@]",
        "relocates = {</A/B>: </A/C>,}", "relocates = {</A>: <>}", "framesPerSecond = inf",
        "timeCodesPerSecond = 0", "colorConfiguration = \"a\"",
        "customLayerData = {string a = \"b\"}", "prepend apiSchemas = [\"x\"]", "limits = {}"}) {
    EXPECT_TRUE(Read(OnLayer(metadata)).ok()) << metadata;
  }
  for (const char* metadata :
       {"subLayers = None", "subLayers = @a@", "relocates = {<>: </A>}",
        "relocates = {</A>: </B.c>}", "framesPerSecond = 0", "kind = \"x\"", "comment = \"x\"",
        "customData = {}", "upAxis = Z", "permission = private", "inherits = </A>",
        "startTimeCode = \"1\""}) {
    EXPECT_FALSE(Read(OnLayer(metadata)).ok()) << metadata;
  }
}

TEST(UsdaReaderTest, ChecksTheHeader) {
  for (const char* header : {"#usda 1.0", "#usda 1.4", "#usda 1.0.32", "#usda  1.0", "#usda 1.0\t",
                             "#usda 01.0", "#usda 1.3.9", "#usda 1.0 and more", "#usda 1.0\r"}) {
    EXPECT_TRUE(Read(std::string(header) + "\ndef \"P\" {}\n").ok()) << header;
  }
  for (const char* header : {"", "#usda 1", "#usda 1.", "#usda\t1.0", "#usda 1.5", "#usda 2.0",
                             "#usda 0.9", "#usda 1.4.9", "#usda 1.0x", "#usda 1.256", "# usda 1.0",
                             "#sdf 1.4.32", " #usda 1.0", "\xef\xbb\xbf#usda 1.0"}) {
    EXPECT_FALSE(Read(std::string(header) + "\ndef \"P\" {}\n").ok()) << header;
  }
  Layer::Info sdf;
  sdf.identifier = "old.sdf";
  EXPECT_TRUE(ReadUsda("#sdf 1.4.32\ndef \"P\" {}\n", sdf).ok());
}

TEST(UsdaReaderTest, ChecksTheEndsOfStatements) {
  for (const char* body : {"", "()", "def \"P\" {}", "def \"P\" {} # c", "def \"P\"\n(\n)\n{\n}\n",
                           "def \"P\" { int a; }", "def \"P\" { def \"Q\" {}\n }", "/* a */",
                           "// x", "reorder rootPrims = \"P\"; def \"P\" {}"}) {
    EXPECT_TRUE(Read(std::string("#usda 1.0\n") + body).ok()) << body;
  }
  for (const char* body : {"(", "()()", "def \"P\" {} def \"Q\" {}", "def \"P\" {};", "over \"P\"",
                           "def \"P\" { int a }", "def \"P\" { def \"Q\" {} }", "def \"P\" { ; }",
                           "def \"P\" {}}", "/* a", "int a", "def \"P\" {", "def \"P\" {}\n(\n)"}) {
    EXPECT_FALSE(Read(std::string("#usda 1.0\n") + body).ok()) << body;
  }
}

TEST(UsdaReaderTest, CarriageReturnsEndStatementsButNoLines) {
  for (const char* body :
       {"def \"P\"\r\n{\r\n int a\r\n}\r\n", "\r\rdef \"P\"\r{\r int a\r int b\r}\n",
        "def \"P\" {}\n\r", "# c\r\ndef \"P\" {}\r\n\r\n",
        "def \"P\" (kind = \"x\"\rhidden = true) {}\n",
        "def \"P\" { def \"Q\" {}\r def \"R\" {}\r}\n",
        "reorder rootPrims = [\"P\"]\rdef \"P\" {}\n"}) {
    const auto layer = Read(std::string("#usda 1.0\r\n") + body);
    ASSERT_TRUE(layer.ok()) << body << layer.status();
    EXPECT_EQ((*layer)->tree().prims(kRootSpec).size(), 1u) << body;
  }
  for (const char* body :
       {"\ndef \"P\" {}\r", "\ndef \"P\" {}\rdef \"Q\" {}\n", "\rdef \"P\" {}\n"}) {
    EXPECT_FALSE(Read(std::string("#usda 1.0") + body).ok()) << body;
  }
  const auto comment = Read("#usda 1.0\n# c\rdef \"P\" {}\n");
  ASSERT_TRUE(comment.ok()) << comment.status();
  EXPECT_EQ((*comment)->tree().prims(kRootSpec).size(), 0u);
}

TEST(UsdaReaderTest, ADictionaryMayBeAPath) {
  const auto layer = Read(OnPrim("customData = </A>"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(
      *(*layer)->Get((*layer)->tree().prims(kRootSpec).first(), Fields().customData).Get<Path>(),
      *Path::Parse("/A"));
}

TEST(UsdaReaderTest, AKeywordIsAWholeWord) {
  const auto layer = Read(OnPrim("prepend\xc3\xa9 = 1"));
  ASSERT_TRUE(layer.ok()) << layer.status();
}

TEST(UsdaReaderTest, ErrorsNameFileLineAndColumn) {
  const auto layer = Read("#usda 1.0\ndef \"P\"\n{\n    int a = x\n}\n");
  EXPECT_EQ(layer.status().message(), "a.usda:4:13: expected an integer as value of this type");
}

TEST(UsdaReaderTest, RejectsWhatIsNoUtf8) {
  EXPECT_FALSE(Read("#usda 1.0\n# \xff\n").ok());
  EXPECT_FALSE(Read(InPrim("string a = \"\xc3\"")).ok());
  EXPECT_TRUE(Read("#usda 1.0 \xff\n").ok());  // the header line may say anything
  EXPECT_TRUE(Read(InPrim("string a = \"\xc3\xa9\"")).ok());
}

TEST(UsdaReaderTest, NestingIsBounded) {
  std::string prims = "#usda 1.0\n", lists = "int[] a = ", dictionaries = "customData = {";
  for (int i = 0; i < 20000; ++i) {
    prims += "def \"P\" {\n";
    lists += "[";
    dictionaries += "dictionary d = {";
  }
  for (const std::string& text : {prims, InPrim(lists), OnPrim(dictionaries)}) {
    EXPECT_EQ(Read(text).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(UsdaReaderTest, KeepsTheOrderOfTheText) {
  const auto layer = Read(InPrim("int b\nrel a\nint c\ndef \"Z\" {}\ndef \"A\" {}\nint a2"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  const SpecTree& tree = (*layer)->tree();
  const SpecId prim = tree.prims(kRootSpec).first();
  std::string names;
  for (const SpecId id : tree.properties(prim)) names += tree.name(id).str() + " ";
  for (const SpecId id : tree.prims(prim)) names += tree.name(id).str() + " ";
  EXPECT_EQ(names, "b a c a2 Z A ");
}

TEST(UsdaReaderTest, VariantsHoldWhatPrimsHold) {
  const auto layer = Read(InPrim(
      "variantSet \"v\" = {\n\"a\" (kind = \"x\") {\nrel r = <Q>\nvariantSet \"w\" = { \"b\" { def "
      "\"Q\" {}\n }}\n} }"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  const SpecTree& tree = (*layer)->tree();
  EXPECT_NE(tree.Find(*Path::Parse("/P{v=a}{w=b}Q")), kNoSpec);
  const SpecId target = tree.Find(*Path::Parse("/P{v=a}.r"));
  ASSERT_NE(target, kNoSpec);
  const auto paths = (*layer)->GetAs<ListOp<Path>>(target, Fields().targetPaths);
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->explicit_items, std::vector<Path>{*Path::Parse("/P/Q")});
  EXPECT_EQ((*layer)->GetAs<Token>(tree.Find(*Path::Parse("/P{v=a}")), Fields().kind), Token("x"));
}

TEST(UsdaReaderTest, ListEditsOfOneFieldAddUp) {
  const auto layer =
      Read(OnPrim("prepend apiSchemas = [\"A\"]\nappend apiSchemas = [\"B\"]\ninherits = "
                  "</A>\nprepend inherits = </B>"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  const SpecId prim = (*layer)->tree().prims(kRootSpec).first();
  const auto schemas = (*layer)->GetAs<ListOp<Token>>(prim, Fields().apiSchemas);
  ASSERT_TRUE(schemas);
  EXPECT_EQ(schemas->prepended, std::vector<Token>{Token("A")});
  EXPECT_EQ(schemas->appended, std::vector<Token>{Token("B")});
  const auto inherits = (*layer)->GetAs<ListOp<Path>>(prim, Fields().inheritPaths);
  ASSERT_TRUE(inherits);
  EXPECT_FALSE(inherits->is_explicit);  // the later statement wins
  EXPECT_TRUE(inherits->explicit_items.empty());
}

TEST(UsdaReaderTest, ManySiblingsAndManyFields) {
  std::string text = "#usda 1.0\n";
  for (int i = 0; i < 3000; ++i) {
    text += "def \"P" + std::to_string(i) + "\" { int a" + std::to_string(i) + " = 1\n }\n";
  }
  auto layer = Read(text);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ((*layer)->tree().size(), 6001u);
  EXPECT_FALSE(Read(text + "def \"P7\" {}\n").ok());
  std::string metadata;
  for (int i = 0; i < 100; ++i) metadata += "f" + std::to_string(i) + " = 1\n";
  layer = Read(OnPrim(metadata));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_TRUE((*layer)->Has((*layer)->tree().prims(kRootSpec).first(), Token("f99")));
}

TEST(UsdaReaderTest, LayersSayHowMuchMemoryTheyHold) {
  std::string numbers, words;
  for (int i = 0; i < 10000; ++i) {
    numbers += std::to_string(i) + ", ";
    words += "\"" + std::string(100, 'x') + "\", ";
  }
  const auto bytes = [](const std::string& properties) {
    const auto layer = Read(InPrim(properties));
    EXPECT_TRUE(layer.ok()) << layer.status();
    return (*layer)->byte_size();
  };
  const size_t empty = bytes("double[] a = []");
  EXPECT_GE(bytes("double[] a = [" + numbers + "]"), empty + 80000);
  EXPECT_GE(bytes("string[] a = [" + words + "]"), empty + 1000000);
  EXPECT_GE(bytes("double[] a.timeSamples = { 1: [" + numbers + "], 2: [" + numbers + "] }"),
            empty + 160000);
  EXPECT_GE(bytes("int a (customData = { double[] x = [" + numbers + "] })"), empty + 80000);
}

// What the statements of an attribute are written as, which must be read again.
std::string WrittenAttribute(Token type, const std::vector<std::pair<Token, Value>>& fields) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsureProperty(*Path::Parse("/P.a"), SpecType::kAttribute);
  builder.Set(spec, Fields().typeName, Value(type));
  for (const auto& [name, value] : fields) builder.Set(spec, name, value);
  const std::string text = WriteUsda(*std::move(builder).Build({}));
  EXPECT_TRUE(Read(text).ok()) << text << Read(text).status();
  const size_t open = text.find("    ") + 4;
  return text.substr(open, text.find("\n}\n") - open);
}

TEST(UsdaWriterTest, ValuesOfAnotherTypeAreWrittenUnderATypeThatReadsThem) {
  const Token default_ = Fields().default_;
  const Value asset(AssetPath{.authored = "x.png"});
  // As OpenUSD where that can be read.
  EXPECT_EQ(WrittenAttribute(Token("int"), {{default_, Value(1.5)}}), "int a = 1.5");
  EXPECT_EQ(WrittenAttribute(Token("token"), {{default_, Value(std::string("s"))}}),
            "token a = \"s\"");
  EXPECT_EQ(WrittenAttribute(Token("token"), {{default_, asset}}), "asset a = @x.png@");
  EXPECT_EQ(WrittenAttribute(Token("float"), {{default_, Value(Array<float>{1, 2})}}),
            "float[] a = [1, 2]");
  EXPECT_EQ(WrittenAttribute(Token("opaque"), {{default_, Value(1)}}), "int a = 1");
  EXPECT_EQ(WrittenAttribute(Token("no type"), {{default_, Value(1)}}), "int a = 1");
  EXPECT_EQ(WrittenAttribute(Token(), {}), "token a");
  EXPECT_EQ(WrittenAttribute(Token("float"), {{default_, Value(ValueBlock())}}), "float a = None");
}

TEST(UsdaWriterTest, AllStatementsOfAnAttributeHaveOneType) {
  const Token default_ = Fields().default_;
  const auto samples = [](Value first, Value second) {
    return std::pair(
        Fields().timeSamples,
        Value::FromSamples(MakeTimeSamples({{1, std::move(first)}, {2, std::move(second)}})));
  };
  const Value text(std::string("s"));
  EXPECT_EQ(WrittenAttribute(Token("float"), {samples(text, Value(ValueBlock()))}),
            "string a.timeSamples = {\n        1: \"s\",\n        2: None,\n    }");
  EXPECT_EQ(
      WrittenAttribute(Token("float3"), {{default_, Value(1)}, samples(Value(2.5), Value(1))}),
      "int a = 1\n    int a.timeSamples = {\n        1: 2.5,\n        2: 1,\n    }");
  // Nothing reads both.
  EXPECT_EQ(WrittenAttribute(Token("float"), {samples(text, Value(1))}), "float a");
}

TEST(UsdaWriterTest, TextThatIsNoValueDoesNotBecomeStatements) {
  const auto unregistered = [](const char* text) {
    return Value(UnregisteredValue{Value(std::string(text))});
  };
  const Token default_ = Fields().default_;
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("(1, \"two\")")}}),
            "foo a = (1, \"two\")");
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("1\nint b = 2")}}), "foo a");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("mine"), unregistered("1\nhidden = true")}}),
            "int a (\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("my field"), Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, MetadataOfAnotherTypeIsWrittenIfItCanBeRead) {
  const FieldTokens& f = Fields();
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(Token("d"))}}),
            "int a (\n        doc = \"d\"\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, RelationshipsSayTheirVariabilityAndDefault) {
  LayerBuilder builder;
  const SpecId prim = builder.EnsurePrim(*Path::Parse("/P"));
  const auto add = [&](const char* name) {
    return builder.FindOrAdd(prim, SpecType::kRelationship, Token(name));
  };
  add("unsaid");  // what is not said is varying; text that does not say it is uniform
  builder.Set(add("uniform"), Fields().variability, Value(Variability::kUniform));
  const SpecId path = add("path");
  builder.Set(path, Fields().default_, Value(*Path::Parse("/A")));
  const SpecId token = add("token");  // as crates hold it
  builder.Set(token, Fields().default_, Value(Token("/B")));
  const std::string text = WriteUsda(*std::move(builder).Build({}));
  for (const char* line :
       {"    varying rel unsaid\n", "    rel uniform\n", "    varying rel path.default = </A>\n",
        "    varying rel token.default = </B>\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

// The text of a source, taken `piece` at a time; the longest piece goes to `*longest`.
std::string Drain(ByteSource& source, size_t piece, size_t* longest) {
  RequestContext context;
  std::string all;
  for (;;) {
    std::string next;
    const absl::StatusOr<bool> more = source.Next(context, piece, &next);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return all;
    *longest = std::max(*longest, next.size());
    all += next;
  }
}

// Every structure, and attributes that are written in parts.
std::shared_ptr<const Layer> LargeLayer() {
  std::string points, samples;
  for (int i = 0; i < 10000; ++i) points += Concat(i == 0 ? "" : ", ", "(", i, ", 0.5, -1)");
  for (int i = 0; i < 9000; ++i) samples += Concat("    ", i, ": ", i * 0.25, ",\n");
  const std::string text = Concat(R"(#usda 1.0
(
  defaultPrim = "A"
)
def Mesh "A" (
  variants = { string v = "x" }
  prepend variantSets = "v"
)
{
  point3f[] points = [)",
                                  points, R"(] (
    doc = "many"
  )
  point3f[] points.timeSamples = {
    1: [)",
                                  points, R"(],
    2: None,
    3: [(1, 2, 3)],
  }
  custom double x.timeSamples = {
)",
                                  samples, R"(  }
  double x.connect = </A.y>
  duration long = 3
  rel r = [</A>, </B>]
  def "Child" {
    string s = "text"
  }
  over "Other" {
  }
  variantSet "v" = {
    "x" {
      int a = 1
      def "In" {
      }
    }
    "y" {
    }
  }
}
class "B" {
}
)");
  auto layer = ReadUsda(text, {});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *layer : nullptr;
}

TEST(UsdaWriterTest, TextMadeWhileItIsReadIsTheSame) {
  const std::shared_ptr<const Layer> layer = LargeLayer();
  ASSERT_NE(layer, nullptr);
  const std::string written = WriteUsda(*layer);
  EXPECT_EQ(written.substr(0, 10), "#usda 1.4\n") << "a duration needs it";
  size_t longest = 0;
  for (const size_t piece : {size_t{1}, size_t{5000}, size_t{1} << 30}) {
    longest = 0;
    EXPECT_EQ(Drain(*UsdaBytes(layer), piece, &longest), written) << piece;
    if (piece == 5000) EXPECT_LT(longest, written.size() / 4) << "arrays are made in parts";
  }
}

TEST(UsdaWriterTest, MakingTextObservesTheRequest) {
  RequestContext cancelled;
  cancelled.Cancel();
  std::string text;
  EXPECT_EQ(UsdaBytes(LargeLayer())->Next(cancelled, 1 << 20, &text).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor

// Statements that are read and written back, both as in OpenUSD.
#include <string>

#include "gtest/gtest.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

// Statements in a prim and how OpenUSD 26.11 writes them back; null if it rejects them.
struct StatementCase {
  const char* statement;
  const char* written;
};

class UsdaStatementsTest : public testing::TestWithParam<StatementCase> {};

TEST_P(UsdaStatementsTest, IsReadAsInOpenUsd) {
  const auto [statement, written] = GetParam();
  const auto layer = ReadText(InPrim(statement));
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
  // The written text is read back as the same layer.
  const auto again = ReadText(text);
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
    {"asset a = @a\tb@", "asset a = @@"},
    {"asset a = @x", nullptr},
    {"opaque a", "opaque a"},
    {"opaque a = 1", nullptr},
};
constexpr StatementCase kCompounds[] = {
    {"float3 a = (1, 2, 3,)", "float3 a = (1, 2, 3)"},
    {"float3 a = (/*x*/1, #c\n2,3\n)", "float3 a = (1, 2, 3)"},
    {"float3 a = (1, 2)", nullptr},
    {"float3 a = (1, 2, 3, 4)", "float3 a = (1, 2, 3)"},
    {"float3 a = ((1, 2, 3))", "float3 a = (1, 2, 3)"},
    {"float2 a = (1\n, 2)", nullptr},
    {"float2 a = (1 2)", nullptr},
    {"quatf a = (1, 2, 3, 4)", "quatf a = (1, 2, 3, 4)"},
    {"matrix2d a = ((1, 2), (3, 4),)", "matrix2d a = ( (1, 2), (3, 4) )"},
    {"matrix2d a = (1, 2, 3, 4)", "matrix2d a = ( (1, 2), (3, 4) )"},
    {"matrix2d a = ((1, 2, 3), (4))", "matrix2d a = ( (1, 2), (3, 4) )"},
    {"int a = (1)", "int a = 1"},
    {"int a = [1]", nullptr},
    {"int[] a = 1", nullptr},
    {"int[] a = []", "int[] a = []"},
    {"int[] a = [ ]", "int[] a = []"},
    {"int[] a = [\n]", nullptr},
    {"int[] a = [1,\n 2,\n]", "int[] a = [1, 2]"},
    {"int[] a = [,]", nullptr},
    {"int[] a = [1 2]", nullptr},
    {"int[] a = [[1, 2], [3, 4]]", "int[] a = [1, 2, 3, 4]"},
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
    {"int a = edit [append 1]", nullptr},
    {"int[] a = edit/**/[ /**/ write /**/ 1 /**/ to /**/ [ /**/ 0 /**/ ] /**/ ; /**/ ]",
     "int[] a = edit [write 1 to [0]]"},
    {"int[] a = edit [insert [1] at [0]; insert 2 at [-1]; insert [3] at [2]; append [-1]]",
     "int[] a = edit [prepend [1]; insert 2 at [-1]; insert [3] at [2]; append [-1]]"},
    {"int[] a = edit [minsize 0; minsize 2 fill 3; resize 0; maxsize 0]",
     "int[] a = edit [minsize 0; minsize 2 fill 3; resize 0; maxsize 0]"},
    {"int[] a = edit []", "int[] a = edit []"},
    {"int[] a = edit [erase [-0]; minsize -00]", "int[] a = edit [erase [0]; minsize 0]"},
    {"int[] a = edit [erase [0.0]]", nullptr},
    {"int[] a = edit [minsize -0.0]", nullptr},
    {"int[] a = edit [maxsize 0e5]", nullptr},
    {"float3[] a = [ /**/ ( /**/ 1 /**/ , /**/ 2 /**/ , /**/ 3 /**/ ) /**/ , /**/ (4,5,6),]",
     "float3[] a = [(1, 2, 3), (4, 5, 6)]"},
    {"float3[] a = [[(1, 2, 3)], [(4, 5, 6)]]", "float3[] a = [(1, 2, 3), (4, 5, 6)]"},
    {"int[] a = [[[1], [2]], [[3], [4]]]", "int[] a = [1, 2, 3, 4]"},
    {"string[] a = [\"x\", \"y\",\n\"z\"]", "string[] a = [\"x\", \"y\", \"z\"]"},
    {"int[] a = [1, -2, 3,4]", "int[] a = [1, -2, 3, 4]"},
    {"foo a = ((1, 2), (3, 4))", "foo a = ((1, 2), (3, 4))"},
    {"foo a = [ ]", "foo a = []"},
    {"foo a = [[1, -2], [x::y, 'z']]", "foo a = [[1, -2], [x::y, \"z\"]]"},
    {"foo a = <B>", "foo a = <B>"},
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
    {"custom int a", "custom int a"},
    {"custom\xc3\xa9 a", "custom custom\xc3\xa9 a"},
    {"custom rel a", "custom rel a"},
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
    {"double a.spline = {1: 2; pre (1, 2, foo)}", nullptr},
    {"double a.spline = {loop: (1, 2, 3.5, 4, 5)}", nullptr},
    {"int a.spline = {1: 2}", nullptr},
    {"double a.spline = { /**/ hermite /**/ , /**/ pre /**/ : /**/ sloped /**/ ( /**/ 2 /**/ ) }",
     "double a.spline = {\n    hermite,\n    pre: sloped(2),\n}"},
    {"double a.spline = {pre: loop /**/ reset /**/ ( /**/ 3 /**/ ) /**/ ,\npost: loop oscillate}",
     "double a.spline = {\n    pre: loop reset(3),\n    post: loop oscillate,\n}"},
    {"double a.spline = {pre: none, post: held}", "double a.spline = {\n    pre: none,\n}"},
    {"double a.spline = {loop /**/ : /**/ ( /**/ 1 /**/ , /**/ 2 /**/ , 0, 2147483647, -5 /**/ )}",
     "double a.spline = {\n    loop: (1, 2, 0, 2147483647, -5),\n}"},
    {"double a.spline = {loop: (1, 2, 2147483648, 3, 5)}",
     "double a.spline = {\n    loop: (1, 2, 0, 3, 5),\n}"},
    {"double a.spline = {1: 2 /**/ ; post linear, 2: 3 & 4/**/, 3: 4 & 5\npost none}",
     "double a.spline = {\n    1: 2; post linear,\n    2: 3 & 4; post held,\n"
     "    3: 4 & 5; post none,\n}"},
    {"double a.spline = {1 /**/ : /**/ 2 /**/ & /**/ 3 ; /**/ post /**/ linear /**/ ;\n/**/ pre "
     "/**/ ( /**/ 1 /**/ , /**/ 2 /**/ ) /**/ ,}",
     "double a.spline = {\n    1: 2 & 3; pre (1, 2); post linear,\n}"},
    {"double a.spline = {1: 2; pre (3, 4, custom); post curve (5, 6, custom)}",
     "double a.spline = {\n    bezier,\n    1: 2; pre (3, 4, custom); post curve (5, 6, "
     "custom),\n}"},
    {"double a.spline = {1: 2; { int x = 1 }; post held}",
     "double a.spline = {\n    1: 2; post held,\n}"},
    {"float a.spline = {1: 0.1; post curve (1, 0.3)}",
     "float a.spline = {\n    bezier,\n    1: 0.1; post curve (1, 0.3),\n}"},
    {"half a.spline = {1: 0.1}", "half a.spline = {\n    1: 0.0999756; post held,\n}"},
    {"timecode a.spline = {1: 2}", "timecode a.spline = {\n    1: 2; post held,\n}"},
    {"duration a.spline = {1: 2}", "duration a.spline = {\n    1: 2; post held,\n}"},
};
// Repeated statements of variant sets and variants. OpenUSD keeps the specs that the second
// statement does not mention, but not in the children of their parent, so that neither the written
// text nor a traversal shows them.
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

INSTANTIATE_TEST_SUITE_P(Scalars, UsdaStatementsTest, testing::ValuesIn(kScalars));
INSTANTIATE_TEST_SUITE_P(Compounds, UsdaStatementsTest, testing::ValuesIn(kCompounds));
INSTANTIATE_TEST_SUITE_P(Properties, UsdaStatementsTest, testing::ValuesIn(kProperties));
INSTANTIATE_TEST_SUITE_P(Splines, UsdaStatementsTest, testing::ValuesIn(kSplines));
INSTANTIATE_TEST_SUITE_P(Restated, UsdaStatementsTest, testing::ValuesIn(kRestated));

}  // namespace
}  // namespace stagedoor

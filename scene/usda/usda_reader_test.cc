#include "scene/usda/usda_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/array.h"
#include "scene/values/asset_path.h"
#include "scene/values/list_op.h"
#include "scene/values/spline.h"

namespace stagedoor {
namespace {

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
    EXPECT_TRUE(ReadText(OnPrim(metadata)).ok()) << metadata << "\n"
                                                 << ReadText(OnPrim(metadata)).status();
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
    EXPECT_EQ(ReadText(OnPrim(metadata)).status().code(), absl::StatusCode::kInvalidArgument)
        << metadata;
  }
}

TEST(UsdaReaderTest, ChecksLayerMetadata) {
  for (const char* metadata :
       {"subLayers = []", "subLayers = [@a@, @b@ (offset = 1; scale = 2),]", "subLayers = [@@]",
        "relocates = {</A/B>: </A/C>,}", "relocates = {</A>: <>}", "framesPerSecond = inf",
        "timeCodesPerSecond = 0", "colorConfiguration = \"a\"",
        "customLayerData = {string a = \"b\"}", "prepend apiSchemas = [\"x\"]", "limits = {}"}) {
    EXPECT_TRUE(ReadText(OnLayer(metadata)).ok()) << metadata;
  }
  for (const char* metadata :
       {"subLayers = None", "subLayers = @a@", "relocates = {<>: </A>}",
        "relocates = {</A>: </B.c>}", "framesPerSecond = 0", "kind = \"x\"", "comment = \"x\"",
        "customData = {}", "upAxis = Z", "permission = private", "inherits = </A>",
        "startTimeCode = \"1\""}) {
    EXPECT_FALSE(ReadText(OnLayer(metadata)).ok()) << metadata;
  }
}

TEST(UsdaReaderTest, ChecksTheHeader) {
  for (const char* header : {"#usda 1.0", "#usda 1.4", "#usda 1.0.32", "#usda  1.0", "#usda 1.0\t",
                             "#usda 01.0", "#usda 1.3.9", "#usda 1.0 and more", "#usda 1.0\r"}) {
    EXPECT_TRUE(ReadText(std::string(header) + "\ndef \"P\" {}\n").ok()) << header;
  }
  for (const char* header : {"", "#usda 1", "#usda 1.", "#usda\t1.0", "#usda 1.5", "#usda 2.0",
                             "#usda 0.9", "#usda 1.4.9", "#usda 1.0x", "#usda 1.256", "# usda 1.0",
                             "#sdf 1.4.32", " #usda 1.0", "\xef\xbb\xbf#usda 1.0"}) {
    EXPECT_FALSE(ReadText(std::string(header) + "\ndef \"P\" {}\n").ok()) << header;
  }
  Layer::Info sdf;
  sdf.identifier = "old.sdf";
  EXPECT_TRUE(ReadUsda("#sdf 1.4.32\ndef \"P\" {}\n", sdf).ok());
  EXPECT_TRUE(ReadUsda("#sdf 1.255.255\ndef \"P\" {}\n", sdf).ok());
  EXPECT_FALSE(ReadUsda("#sdf 1.4.256\ndef \"P\" {}\n", sdf).ok());
}

TEST(UsdaReaderTest, ChecksTheEndsOfStatements) {
  for (const char* body : {"", "()", "def \"P\" {}", "def \"P\" {} # c", "def \"P\"\n(\n)\n{\n}\n",
                           "def \"P\" { int a; }", "def \"P\" { def \"Q\" {}\n }", "/* a */",
                           "// x", "reorder rootPrims = \"P\"; def \"P\" {}"}) {
    EXPECT_TRUE(ReadText(std::string("#usda 1.0\n") + body).ok()) << body;
  }
  for (const char* body : {"(", "()()", "def \"P\" {} def \"Q\" {}", "def \"P\" {};", "over \"P\"",
                           "def \"P\" { int a }", "def \"P\" { def \"Q\" {} }", "def \"P\" { ; }",
                           "def \"P\" {}}", "/* a", "int a", "def \"P\" {", "def \"P\" {}\n(\n)"}) {
    EXPECT_FALSE(ReadText(std::string("#usda 1.0\n") + body).ok()) << body;
  }
}

TEST(UsdaReaderTest, CarriageReturnsEndStatementsButNotLines) {
  for (const char* body :
       {"def \"P\"\r\n{\r\n int a\r\n}\r\n", "\r\rdef \"P\"\r{\r int a\r int b\r}\n",
        "def \"P\" {}\n\r", "# c\r\ndef \"P\" {}\r\n\r\n",
        "def \"P\" (kind = \"x\"\rhidden = true) {}\n",
        "def \"P\" { def \"Q\" {}\r def \"R\" {}\r}\n",
        "reorder rootPrims = [\"P\"]\rdef \"P\" {}\n"}) {
    const auto layer = ReadText(std::string("#usda 1.0\r\n") + body);
    ASSERT_TRUE(layer.ok()) << body << layer.status();
    EXPECT_EQ((*layer)->tree().prims(kRootSpec).size(), 1u) << body;
  }
  for (const char* body :
       {"\ndef \"P\" {}\r", "\ndef \"P\" {}\rdef \"Q\" {}\n", "\rdef \"P\" {}\n"}) {
    EXPECT_FALSE(ReadText(std::string("#usda 1.0") + body).ok()) << body;
  }
  const auto comment = ReadText("#usda 1.0\n# c\rdef \"P\" {}\n");
  ASSERT_TRUE(comment.ok()) << comment.status();
  EXPECT_EQ((*comment)->tree().prims(kRootSpec).size(), 0u);
}

TEST(UsdaReaderTest, DictionaryFieldsMayHoldAPath) {
  const auto layer = ReadText(OnPrim("customData = </A>"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(
      *(*layer)->Get((*layer)->tree().prims(kRootSpec).first(), Fields().customData).Get<Path>(),
      *Path::Parse("/A"));
}

TEST(UsdaReaderTest, KeywordsAreWholeWords) {
  const auto layer = ReadText(OnPrim("prepend\xc3\xa9 = 1"));
  ASSERT_TRUE(layer.ok()) << layer.status();
}

TEST(UsdaReaderTest, ErrorsNameFileLineAndColumn) {
  const auto layer = ReadText("#usda 1.0\ndef \"P\"\n{\n    int a = x\n}\n");
  EXPECT_EQ(layer.status().message(), "a.usda:4:13: expected an integer for a value of this type");
}

TEST(UsdaReaderTest, RejectsInvalidUtf8) {
  EXPECT_FALSE(ReadText("#usda 1.0\n# \xff\n").ok());
  EXPECT_FALSE(ReadText(InPrim("string a = \"\xc3\"")).ok());
  EXPECT_TRUE(ReadText("#usda 1.0 \xff\n").ok());  // the rest of the header line is ignored
  EXPECT_TRUE(ReadText(InPrim("string a = \"\xc3\xa9\"")).ok());
}

TEST(UsdaReaderTest, NestingIsBounded) {
  std::string prims = "#usda 1.0\n", lists = "int[] a = ", dictionaries = "customData = {";
  for (int i = 0; i < 20000; ++i) {
    prims += "def \"P\" {\n";
    lists += '[';
    dictionaries += "dictionary d = {";
  }
  for (const std::string& text : {prims, InPrim(lists), OnPrim(dictionaries)}) {
    EXPECT_EQ(ReadText(text).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(UsdaReaderTest, KeepsTheOrderOfTheText) {
  const auto layer = ReadText(InPrim("int b\nrel a\nint c\ndef \"Z\" {}\ndef \"A\" {}\nint a2"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  const SpecTree& tree = (*layer)->tree();
  const SpecId prim = tree.prims(kRootSpec).first();
  std::string names;
  for (const SpecId id : tree.properties(prim)) names += tree.name(id).str() + " ";
  for (const SpecId id : tree.prims(prim)) names += tree.name(id).str() + " ";
  EXPECT_EQ(names, "b a c a2 Z A ");
}

TEST(UsdaReaderTest, VariantsHoldWhatPrimsHold) {
  const auto layer = ReadText(InPrim(
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

TEST(UsdaReaderTest, ListEditsOfOneFieldAccumulate) {
  const auto layer =
      ReadText(OnPrim("prepend apiSchemas = [\"A\"]\nappend apiSchemas = [\"B\"]\ninherits = "
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

TEST(UsdaReaderTest, ReadsManySiblingsAndManyFields) {
  std::string text = "#usda 1.0\n";
  for (int i = 0; i < 3000; ++i) {
    text += "def \"P" + std::to_string(i) + "\" { int a" + std::to_string(i) + " = 1\n }\n";
  }
  auto layer = ReadText(text);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ((*layer)->tree().size(), 6001u);
  EXPECT_FALSE(ReadText(text + "def \"P7\" {}\n").ok());
  std::string metadata;
  for (int i = 0; i < 100; ++i) metadata += "f" + std::to_string(i) + " = 1\n";
  layer = ReadText(OnPrim(metadata));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_TRUE((*layer)->Has((*layer)->tree().prims(kRootSpec).first(), Token("f99")));
}

TEST(UsdaReaderTest, LayersReportTheirMemoryUse) {
  std::string numbers, words;
  for (int i = 0; i < 10000; ++i) {
    numbers += std::to_string(i) + ", ";
    words += "\"" + std::string(100, 'x') + "\", ";
  }
  const auto bytes = [](const std::string& properties) {
    const auto layer = ReadText(InPrim(properties));
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

// As in OpenUSD. Strings keep it until they are written.
TEST(UsdaReaderTest, AssetPathsEndAtTheirFirstZeroByte) {
  const auto layer = ReadText(InPrim(R"(asset a = "x\x00y"
asset[] b = ["x\x00y", "\x00", @z@]
string c = "x\x00y")"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  const auto value = [&](const char* path) {
    return (*layer)->Get((*layer)->tree().Find(*Path::Parse(path)), Fields().default_);
  };
  EXPECT_EQ(value("/P.a"), Value(AssetPath{.authored = "x"}));
  EXPECT_EQ(value("/P.b"), Value(Array<AssetPath>{{.authored = "x"}, {}, {.authored = "z"}}));
  EXPECT_EQ(value("/P.c"), Value(std::string("x\0y", 3)));
}

}  // namespace
}  // namespace stagedoor

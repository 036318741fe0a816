// Metadata that is read and written back, both as in OpenUSD. The written text is shown on one
// line.
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

struct MetadataCase {
  const char* read;
  const char* written;
};

void ExpectWritten(const std::string& read, const std::string& written) {
  const auto layer = ReadText(read);
  ASSERT_TRUE(layer.ok()) << read << layer.status();
  const std::string text = WriteUsda(**layer);
  EXPECT_EQ(OnOneLine(text), written) << read;
  const auto again = ReadText(text);
  ASSERT_TRUE(again.ok()) << text << again.status();
  EXPECT_EQ(WriteUsda(**again), text);
}

// The metadata in parentheses; nothing if there is none.
std::string Brackets(std::string_view metadata) {
  return metadata.empty() ? "" : Concat("( ", metadata, " ) ");
}

constexpr MetadataCase kOfPrims[] = {
    {"\"a comment\"", "\"a comment\""},
    {"\"\"", ""},
    {"\"one\"; \"two\"", "\"two\""},
    {"doc = \"d\"; \"c\"; kind = \"k\"", "\"c\" doc = \"d\" kind = \"k\""},
    {"permission = private", "permission = private"},
    {"permission = public", "permission = public"},
    {"symmetryFunction = mirror", "symmetryFunction = mirror"},
    {"symmetryFunction = ", "symmetryFunction ="},
    {"symmetryArguments = {string a = \"b\"}", "symmetryArguments = { string a = \"b\" }"},
    {"symmetricPeer = \"x\"", "symmetricPeer = \"x\""},
    {"prefix = \"p\"; suffix = \"s\"", "prefix = \"p\" suffix = \"s\""},
    {"prefixSubstitutions = {\"a\": \"b\", \"c\": \"d\"}",
     "prefixSubstitutions = { \"a\": \"b\", \"c\": \"d\" }"},
    {"suffixSubstitutions = {\"a\": \"b\"}", "suffixSubstitutions = { \"a\": \"b\" }"},
    {"prefixSubstitutions = {}", "prefixSubstitutions = { }"},
    {"variants = {string a = \"x\"; string b = \"y\"}; variants = {string a = \"z\"; string c = "
     "\"w\"}",
     "variants = { string a = \"z\" string b = \"y\" string c = \"w\" }"},
    {"variants = {string a = \"`${X}`\"}", "variants = { string a = \"`${X}`\" }"},
    {"variants = {string a = \"\"}", "variants = { string a = \"\" }"},
    {"variants = {string a = \".x\"}", "variants = { string a = \".x\" }"},
    {"variantSets = \"v\"", "variantSets = \"v\""},
    {"variantSets = [\"v\", \"w\"]", "variantSets = [\"v\", \"w\"]"},
    {"add variantSets = \"v\"", "add variantSets = \"v\""},
    {"prepend variantSets = [\"v\", \"w\"]", "prepend variantSets = [\"v\", \"w\"]"},
    {"append variantSets = \"v\"", "append variantSets = \"v\""},
    {"delete variantSets = \"v\"", "delete variantSets = \"v\""},
    {"reorder variantSets = [\"v\", \"w\"]", "reorder variantSets = [\"v\", \"w\"]"},
    {"inherits = </A>", "inherits = </A>"},
    {"inherits = None", "inherits = None"},
    {"inherits = [</A>, </B>]", "inherits = [ </A>, </B> ]"},
    {"add inherits = </A>", "add inherits = </A>"},
    {"prepend inherits = [</A>]; append inherits = </B>; delete inherits = </C>; reorder inherits "
     "= [</A>, </B>]",
     "delete inherits = </C> prepend inherits = </A> append inherits = </B> reorder inherits = [ "
     "</A>, </B> ]"},
    {"specializes = <../A>", "specializes = </A>"},
    {"references = None", "references = None"},
    {"references = []", "references = None"},
    {"references = @a@", "references = @a@"},
    {"references = @a@</B>", "references = @a@</B>"},
    {"references = </B>", "references = </B>"},
    {"references = <>", "references = <>"},
    {"references = @a@ (offset = 1)", "references = @a@ (offset = 1)"},
    {"references = @a@ (scale = 2)", "references = @a@ (scale = 2)"},
    {"references = @a@ (offset = 1; scale = 2)", "references = @a@ (offset = 1; scale = 2)"},
    {"references = @a@ (offset = 1; customData = {int a = 1})",
     "references = [ @a@ ( offset = 1 customData = { int a = 1 } ) ]"},
    {"references = @a@ (scale = 2; customData = {int a = 1})",
     "references = [ @a@ ( scale = 2 customData = { int a = 1 } ) ]"},
    {"references = @a@ (customData = {})", "references = @a@"},
    {"references = [@a@, </B>]", "references = [ @a@, </B> ]"},
    {"prepend references = @a@; references = @b@", "references = @b@"},
    {"references = @a@; prepend references = @b@", "prepend references = @b@"},
    {"add references = [@a@]; delete references = @c@",
     "delete references = @c@ add references = @a@"},
    {"payload = @a@ (offset = 1)", "payload = @a@ (offset = 1)"},
    {"payload = None", "payload = None"},
    {"prepend payload = [@a@</B>, @c@]", "prepend payload = [ @a@</B>, @c@ ]"},
    {"apiSchemas = [\"A\", \"B\"]", "apiSchemas = [\"A\", \"B\"]"},
    {"apiSchemas = None", "apiSchemas = None"},
    {"apiSchemas = []", "apiSchemas = None"},
    {"add apiSchemas = [\"A\"]; prepend apiSchemas = [\"B\"]; append apiSchemas = [\"C\"]; delete "
     "apiSchemas = [\"D\"]; reorder apiSchemas = [\"C\", \"B\"]",
     "delete apiSchemas = [\"D\"] add apiSchemas = [\"A\"] prepend apiSchemas = [\"B\"] append "
     "apiSchemas = [\"C\"] reorder apiSchemas = [\"C\", \"B\"]"},
    {"prepend apiSchemas = [\"A\", \"A\"]", ""},
    {"prepend apiSchemas = None", "prepend apiSchemas = None"},
    {"clipSets = [\"a\"]", "clipSets = [\"a\"]"},
    {"prepend clipSets = [\"a\"]", "prepend clipSets = [\"a\"]"},
    {"active = false", "active = false"},
    {"hidden = 1", "hidden = true"},
    {"instanceable = true", "instanceable = true"},
    {"displayName = \"x\"", "displayName = \"x\""},
    {"displayGroupOrder = [\"a\", \"b\"]", "displayGroupOrder = [\"a\", \"b\"]"},
    {"assetInfo = {asset a = @x@; dictionary d = {int i = 1}}",
     "assetInfo = { asset a = @x@ dictionary d = { int i = 1 } }"},
    {"customData = {int a = 1; float[] b = [1, 2]; string \"c d\" = \"x\"; dictionary e = {bool f "
     "= 1; dictionary g = {}}}",
     "customData = { int a = 1 float[] b = [1, 2] string \"c d\" = \"x\" dictionary e = { bool f = "
     "1 dictionary g = { } } }"},
    {"customData = {double a = 1; double a = 2}", "customData = { double a = 2 }"},
    {"customData = {string p = </A>}", "customData = { string p = </A> }"},
    {"customData = {matrix2d m = ((1, 2), (3, 4)); timecode t = 2; token[] k = [\"a\"]}",
     "customData = { token[] k = [\"a\"] matrix2d m = ( (1, 2), (3, 4) ) timecode t = 2 }"},
    {"customData = </A>", "customData = </A>"},
    {"foo = 1", "foo = 1"},
    {"foo = \"a b\"", "foo = \"a b\""},
    {"foo = 'x\"y'", "foo = 'x\"y'"},
    {"foo = (1, 2.50)", "foo = (1, 2.5)"},
    {"foo = [1, \"x\", (2, 3)]", "foo = [1, \"x\", (2, 3)]"},
    {"foo = {int a = 1; dictionary b = {string c = \"d\"}}",
     "foo = { int a = 1 dictionary b = { string c = \"d\" } }"},
    {"foo = </A>", "foo = </A>"},
    {"foo = @a@", "foo = @a@"},
    {"foo = None", "foo = None"},
    {"foo = a::b", "foo = a::b"},
    {"prepend foo = [1, 2]", "prepend foo = [1, 2]"},
    {"append foo = [1]; delete foo = [2]; add foo = [3]; reorder foo = [4]; prepend foo = [5]",
     "delete foo = [2] add foo = [3] prepend foo = [5] append foo = [1] reorder foo = [4]"},
    {"foo = 1; prepend foo = [2]", "foo = 1"},
    {"prepend foo = [2]; foo = 1", "foo = 1"},
    {"prepend foo = None", "prepend foo = None"},
    {"prepend foo = [\"a\", \"b\"]", "prepend foo = [\"a\", \"b\"]"},
    {"prepend foo = [[1, 2], [3]]", "prepend foo = [[1, 2], [3]]"},
    {"kind = \"k\"; kind = \"l\"", "kind = \"l\""},
    {"clips = {dictionary default = {double2[] active = [(0, 0)]}}",
     "clips = { dictionary default = { double2[] active = [(0, 0)] } }"},
    {"documentation = \"x\"", "doc = \"x\""},
    {"payloadAssetDependencies = []", "payloadAssetDependencies = []"},
};

constexpr MetadataCase kOfLayers[] = {
    {"\"c\"", "\"c\""},
    {"doc = \"d\"", "doc = \"d\""},
    {"defaultPrim = \"A\"", "defaultPrim = \"A\""},
    {"subLayers = []", ""},
    {"subLayers = [@a@]", "subLayers = [ @a@ ]"},
    {"subLayers = [@a@ (offset = 1), @b@ (scale = 2), @c@ (offset = 1; scale = 3), @d@ (), @e@,]",
     "subLayers = [ @a@ (offset = 1), @b@ (scale = 2), @c@ (offset = 1; scale = 3), @d@, @e@ ]"},
    {"relocates = {}", "relocates = { }"},
    {"relocates = {</A>: </B>, </C>: <>}", "relocates = { </A>: </B>, </C>: <> }"},
    {"relocates = {<A/B>: <A/C>}", "relocates = { </A/B>: </A/C> }"},
    {"relocates = {</A>: <..>}", "relocates = { </A>: <> }"},
    {"customLayerData = {int a = 1}", "customLayerData = { int a = 1 }"},
    {"framesPerSecond = 25", "framesPerSecond = 25"},
    {"startTimeCode = 1; endTimeCode = 2", "endTimeCode = 2 startTimeCode = 1"},
    {"timeCodesPerSecond = 24.5", "timeCodesPerSecond = 24.5"},
    {"upAxis = \"Y\"", "upAxis = \"Y\""},
    {"metersPerUnit = 0.01", "metersPerUnit = 0.01"},
    {"expressionVariables = {string A = \"b\"; int[] c = [1]}",
     "expressionVariables = { string A = \"b\" int[] c = [1] }"},
    {"foo = 1", "foo = 1"},
    {"prepend foo = [1]", "prepend foo = [1]"},
    {"colorConfiguration = @a@", "colorConfiguration = @a@"},
    {"owner = \"me\"", "owner = \"me\""},
    {"hasOwnedSubLayers = true", "hasOwnedSubLayers = true"},
    {"sessionOwner = \"x\"", "sessionOwner = \"x\""},
};

constexpr MetadataCase kOfAttributes[] = {
    {"\"c\"", "\"c\""},
    {"doc = \"d\"", "doc = \"d\""},
    {"displayUnit = deg", "displayUnit = deg"},
    {"displayName = \"x\"; displayGroup = \"g\"", "displayGroup = \"g\" displayName = \"x\""},
    {"colorSpace = \"c\"", "colorSpace = \"c\""},
    {"elementSize = 3", "elementSize = 3"},
    {"interpolation = \"vertex\"", "interpolation = \"vertex\""},
    {"allowedTokens = [\"a\", \"b\"]", "allowedTokens = [\"a\", \"b\"]"},
    {"permission = private", "permission = private"},
    {"symmetryFunction = f", "symmetryFunction = f"},
    {"customData = {int x = 1}", "customData = { int x = 1 }"},
    {"assetInfo = {string a = \"b\"}", "assetInfo = { string a = \"b\" }"},
    {"foo = (1, 2)", "foo = (1, 2)"},
    {"prepend foo = [1]", "prepend foo = [1]"},
    {"hidden = true", "hidden = true"},
    {"limits = {dictionary soft = {double minimum = 1}}",
     "limits = { dictionary soft = { double minimum = 1 } }"},
    {"weight = 1.5", "weight = 1.5"},
    {"unauthoredValuesIndex = 1", "unauthoredValuesIndex = 1"},
    {"bindMaterialAs = \"x\"", "bindMaterialAs = \"x\""},
    {"connectability = \"interfaceOnly\"", "connectability = \"interfaceOnly\""},
};

TEST(UsdaMetadataTest, PrimMetadataIsReadAndWrittenBack) {
  for (const MetadataCase& c : kOfPrims) {
    ExpectWritten(OnPrim(c.read), Concat("def \"P\" ", Brackets(c.written), "{ }"));
  }
  // A type name is written as part of the declaration instead.
  ExpectWritten(OnPrim("typeName = \"X\""), "def X \"P\" { }");
}

TEST(UsdaMetadataTest, LayerMetadataIsReadAndWrittenBack) {
  for (const MetadataCase& c : kOfLayers) {
    std::string written = Brackets(c.written);
    if (!written.empty()) written.pop_back();
    ExpectWritten(OnLayer(c.read), written);
  }
}

TEST(UsdaMetadataTest, AttributeMetadataIsReadAndWrittenBack) {
  for (const MetadataCase& c : kOfAttributes) {
    ExpectWritten(InPrim(Concat("int a (", c.read, ")")),
                  Concat("def \"P\" { int a ", Brackets(c.written), "}"));
  }
}

}  // namespace
}  // namespace stagedoor

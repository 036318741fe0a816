// References and payloads: targets, time offsets, errors (Core Specification, 10.3.2.1, 10.3.2.2).
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

TEST(ArcsTest, ListEditsOfSublayersCombine) {
  const Texts texts = {{"root", R"((subLayers = [@sub@])
def "P" (
  prepend references = @r@</A>
  append references = @r@</B>
  delete references = @r@</C>
) {}
def "Q" (references = @r@</A>) {}
def "R" (add references = [@r@</C>, @r@</A>]; reorder references = [@r@</D>, @r@</C>]) {}
def "None" (references = None) {}
)"},
                       {"sub", R"(
over "P" (references = [@r@</C>, @r@</D>]) {}
over "Q" (references = @r@</D>) {}
over "R" (references = [@r@</C>, @r@</D>]) {}
over "None" (references = @r@</C>) {}
)"},
                       {"r", "def \"A\" {}\ndef \"B\" {}\ndef \"C\" {}\ndef \"D\" {}\n"}};
  ComposedScene scene(texts);
  EXPECT_EQ(scene.Stack("/P"), "root/P sub/P r/A r/D r/B");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q sub/Q r/A");
  EXPECT_EQ(scene.Stack("/R"), "root/R sub/R r/D r/A r/C");
  EXPECT_EQ(scene.Stack("/None"), "root/None sub/None");
}

TEST(ArcsTest, ListEditsCombineForPayloadsAndClasses) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (prepend payload = @r@</A>; delete payload = @r@</C>) {}
def "I" (append inherits = </A>; delete inherits = </C>) {}
def "S" (prepend specializes = </A>; delete specializes = </C>) {}
class "A" {}
class "C" {}
class "D" {}
)"},
                       {"sub", R"(
over "P" (payload = [@r@</C>, @r@</D>]) {}
over "I" (inherits = [</C>, </D>]) {}
over "S" (specializes = [</C>, </D>]) {}
)"},
                       {"r", "def \"A\" {}\ndef \"C\" {}\ndef \"D\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P sub/P r/A r/D");
  EXPECT_EQ(scene.Stack("/I"), "root/I sub/I root/D root/A");
  EXPECT_EQ(scene.Stack("/S"), "root/S sub/S root/A root/D");
}

TEST(ArcsTest, TargetTheDefaultPrimWithoutAPrimPath) {
  ComposedScene scene({{"root", R"(
def "Root" (references = @r@) {}
def "Nested" (payload = @n@) {}
def "Sub" (references = @s@) {}
)"},
                       {"r", "(defaultPrim = \"R\")\ndef \"Q\" {}\ndef \"R\" {}\n"},
                       {"n", R"((defaultPrim = "/N/X")
def "N" (references = </M>) {
  def "X" {}
}
def "M" {
  def "X" {}
}
)"},
                       {"s", "(subLayers = [@r@])\n"}});
  EXPECT_EQ(scene.Stack("/Root"), "root/Root r/R");
  EXPECT_EQ(scene.Stack("/Nested"), "root/Nested n/N/X n/M/X");
  EXPECT_EQ(scene.Stack("/Sub"), "root/Sub");
  EXPECT_EQ(scene.Children("/Sub"), "");
  EXPECT_EQ(scene.Errors("/Sub"), "UnresolvedPrimPath ");
  EXPECT_EQ(scene.Messages("/Sub"),
            "root </Sub>: the reference to @s@<> has no prim path, and s has no defaultPrim; "
            "add one of them\n");
}

TEST(ArcsTest, InternalArcsWithoutAPrimPathTargetTheStacksDefaultPrim) {
  ComposedScene scene(
      {{"root", "def \"P\" (references = @r@</R>) {}\n"}, {"r", R"((defaultPrim = "D")
def "R" (payload = <>) {}
def "D" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R r/D");
}

TEST(ArcsTest, SubRootTargetsBringAncestralArcs) {
  ComposedScene scene({{"root", "def \"P\" (references = @r@</R/X>) {}\n"}, {"r", R"(
def "R" (references = </Q>; inherits = </C>; payload = </O>; specializes = </S>) {
  def "X" {}
}
class "C" {
  def "X" {}
}
def "Q" {
  def "X" (references = </Z>) {}
}
def "O" {
  def "X" {}
}
class "S" {
  def "X" {}
}
def "Z" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R/X r/C/X r/Q/X r/Z r/O/X r/S/X");
}

TEST(ArcsTest, OffsetsOfReferencesAndSublayersAreConcatenated) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@ (offset = 100; scale = 10)])
def "P" {}
)"},
                       {"sub", R"(
over "P" (references = @r@</R> (offset = 5; scale = 2)) {}
)"},
                       {"r", R"((subLayers = [@t@ (offset = 7)])
def "R" (payload = @o@</O> (offset = 3)) {}
)"},
                       {"t", "over \"R\" {}\n"},
                       {"o", "def \"O\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P sub/P r/R t/R o/O");
  EXPECT_EQ(scene.Offsets("/P"), "0,1 100,10 150,20 290,20 210,20");
}

// An arc has the offset of the strongest layer that names it, whatever that does with it.
TEST(ArcsTest, ArcsThatAStrongerLayerNamesHaveItsOffset) {
  struct Case {
    std::string edit, stack, offsets;
  };
  const Case cases[] = {
      {"", "a/P b/P r/R", "1,1 3,1 1,1"},
      {"prepend", "a/P b/P r/R r/S", "1,1 3,1 1,1 3,1"},
      {"append", "a/P b/P r/S r/R", "1,1 3,1 3,1 1,1"},
      {"add", "a/P b/P r/R r/S", "1,1 3,1 1,1 3,1"},
      {"reorder", "a/P b/P r/R r/S", "1,1 3,1 1,1 3,1"},
  };
  for (const std::string kind : {"references", "payload"}) {
    for (const Case& c : cases) {
      ComposedScene scene({{"root", "(subLayers = [@a@ (offset = 1), @b@ (offset = 3)])\n"},
                           {"a", Concat("over \"P\" (", c.edit, " ", kind, " = [@r@</R>]) {}\n")},
                           {"b", Concat("def \"P\" (", kind, " = [@r@</R>, @r@</S>]) {}\n")},
                           {"r", "def \"R\" {}\ndef \"S\" {}\n"}});
      EXPECT_EQ(scene.Stack("/P"), c.stack) << c.edit;
      EXPECT_EQ(scene.Offsets("/P"), c.offsets) << c.edit;
    }
  }
}

// Many arcs are found by look-up.
TEST(ArcsTest, ManyArcsThatAStrongerLayerAddsHaveItsOffset) {
  std::string arcs;
  for (int i = 0; i < 20; ++i) arcs += Concat(i ? ", " : "", "@r@</R", i, ">");
  ComposedScene scene({{"root", "(subLayers = [@a@ (offset = 1), @b@ (offset = 3)])\n"},
                       {"a", Concat("over \"P\" (add references = [", arcs, "]) {}\n")},
                       {"b", Concat("def \"P\" (references = [", arcs, "]) {}\n")},
                       {"r", "def \"R7\" {}\ndef \"R19\" {}\n"}});
  EXPECT_EQ(scene.Offsets("/P"), "1,1 3,1 1,1 1,1");
}

TEST(ArcsTest, TimesAreScaledByTheRatesOfTheLayers) {
  ComposedScene scene({{"root", R"((timeCodesPerSecond = 48)
def "P" (references = @r@</R> (offset = 10)) {}
)"},
                       {"r", R"((timeCodesPerSecond = 24)
def "R" (payload = @o@</O>) {}
)"},
                       {"o", "(framesPerSecond = 12)\ndef \"O\" {}\n"}});
  EXPECT_EQ(scene.Offsets("/P"), "0,1 10,2 10,4");
}

TEST(ArcsTest, TheRateOfTheAuthoringLayerApplies) {
  ComposedScene scene({{"root", R"((timeCodesPerSecond = 48
subLayers = [@sub@])
def "P" {}
)"},
                       {"sub", R"((timeCodesPerSecond = 12)
over "P" (references = @r@</R> (offset = 1)) {}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Offsets("/P"), "0,1 0,4 4,2");
}

// The target's layers have the offsets of the stack already.
TEST(ArcsTest, InternalReferencesIgnoreSublayerOffsets) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@ (offset = 100)])
def "Q" {}
)"},
                       {"sub", R"(
def "P" (references = </Q> (offset = 5; scale = 2)) {}
over "Q" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "sub/P root/Q sub/Q");
  EXPECT_EQ(scene.Offsets("/P"), "100,1 5,2 205,2");
}

TEST(ArcsTest, InvalidOffsetsAreIgnored) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@ (offset = 100)])
def "P" {}
)"},
                       {"sub", R"(
over "P" (references = @r@</R> (offset = 5; scale = 0)) {}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Errors("/P"), "InvalidReferenceOffset ");
  EXPECT_EQ(scene.Messages("/P"),
            "sub </P>: the reference to @r@</R> has an invalid layer offset, which is ignored; "
            "the scale must be positive\n");
  EXPECT_EQ(scene.Offsets("/P"), "0,1 100,1 0,1");
}

TEST(ArcsTest, InternalReferencesMapTheWholeNamespace) {
  ComposedScene scene({{"root", R"(
def "P" (references = </Q>) {}
def "Q" {
  def "X" {}
}
def "E" (references = @r@</R>) {}
)"},
                       {"r", "def \"R\" {}\ndef \"Other\" {}\n"}});
  EXPECT_EQ(scene.Target("/P", "root/Q", "/Q/X"), "/P/X");
  EXPECT_EQ(scene.Target("/P", "root/Q", "/E"), "/E");
  EXPECT_EQ(scene.Target("/P", "root/Q", "/P"), "");
  EXPECT_EQ(scene.Target("/E", "r/R", "/Other"), "");
}

TEST(ArcsTest, ArcsInVariantsMapToPathsWithoutSelections) {
  ComposedScene scene({{"root", R"(
def "P" (variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" (references = @r@</R>; inherits = </C>) {} }
}
class "C" {}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Target("/P", "r/R", "/R/X"), "/P/X");
  EXPECT_EQ(scene.Target("/P", "root/C", "/C/X"), "/P/X");
  EXPECT_EQ(scene.Target("/P", "root/P{v=x}", "/P/X"), "/P/X");
}

// The text format has no such targets, but layers of other formats may.
TEST(ArcsTest, TargetsMustBePrims) {
  const std::pair<const char*, const char*> cases[] = {
      {"/R{v=x}", "</R{v=x}>"}, {"/R.x", "</R.x>"}, {"/", "</>"}, {"../R", "<../R>"}};
  for (const auto& [target, shown] : cases) {
    const Path path = *Path::Parse(target);
    LayerBuilder root;
    const SpecId prim = root.EnsurePrim(*Path::Parse("/P"));
    root.Set(prim, Fields().references,
             Value(ListOp<Reference>::Prepended({{.asset = "r", .prim_path = path}})));
    root.Set(prim, Fields().inheritPaths, Value(ListOp<Path>::Prepended({path})));
    auto layers = std::make_unique<TextLayers>(Texts{{"r", "def \"R\" {}\n"}});
    layers->Add(std::move(root).Build({.identifier = "root"}));
    ComposedScene scene(std::move(layers));
    const std::string reference =
        Concat("root </P>: the reference to @r@", shown,
               " must target a prim; use an absolute path without variant selections\n");
    const std::string inherit =
        Concat("the inherit arc to ", shown,
               " must target a prim; use a path without variant selections\n");
    EXPECT_EQ(scene.Stack("/P"), "root/P");
    EXPECT_EQ(scene.Messages("/P"), reference + (path.IsAbsolute() ? inherit : ""));
  }
}

TEST(ArcsTest, ReferencesThatFormCyclesAreErrors) {
  ComposedScene scene({{"root", R"(
def "Self" (references = </Self>) {}
def "Child" (references = </Child/X>) {
  def "X" {}
}
def "P" {
  def "X" (payload = </P>) {}
}
def "Far" (references = @r@</R>) {}
def "Twice" (references = [@r@</S>, @r@</S/X>]) {}
)"},
                       {"r", R"(
def "R" (references = </S/X>) {}
def "S" {
  def "X" (references = @r@</R>) {}
}
)"}});
  EXPECT_EQ(scene.Errors("/Self"), "ArcCycle ");
  EXPECT_EQ(scene.Messages("/Self"),
            "cannot follow the reference to </Self> in root from </Self>: the arcs form a cycle; "
            "remove one of them\n");
  EXPECT_EQ(scene.Errors("/Child"), "ArcCycle ");
  EXPECT_EQ(scene.Errors("/P/X"), "ArcCycle ");
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X");
  EXPECT_EQ(scene.Errors("/Far"), "ArcCycle ");
  EXPECT_EQ(scene.Stack("/Far"), "root/Far r/R r/S/X");
  EXPECT_EQ(scene.Stack("/Twice"), "root/Twice r/S r/S/X r/R");
  EXPECT_EQ(scene.Stack("/Twice/X"), "r/S/X r/R");
}

TEST(ArcsTest, ReferencesMayBringASiteTwice) {
  ComposedScene scene({{"root", "def \"P\" (references = [@r@</A>, @r@</B>]) {}\n"}, {"r", R"(
def "A" (references = </C>) {}
def "B" (references = </C>) {}
def "C" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/A r/C r/B r/C");
}

TEST(ArcsTest, MissingTargetsAreErrors) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</Gone>) {}
def "Inner" (payload = </Nowhere/X>) {}
def "Asset" (references = @none@</R>) {}
def "Brought" (references = </Q/X>) {}
def "Q" (references = @r@</R>) {}
def "Variant" (references = </V/X>) {}
def "V" (variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" {
    def "X" {}
  } }
}
)"},
                       {"r", "def \"R\" {\n def \"X\" {}\n}\n"}});
  EXPECT_EQ(scene.Errors("/P"), "UnresolvedPrimPath ");
  EXPECT_EQ(scene.Messages("/P"),
            "cannot resolve the reference at </P> to @r@</Gone>: the prim does not exist; "
            "check the prim path\n");
  EXPECT_EQ(
      scene.Messages("/Inner"),
      "cannot resolve the payload at </Inner> to @root@</Nowhere/X>: the prim does not exist; "
      "check the prim path\n");
  EXPECT_EQ(scene.Errors("/Asset"), "InvalidAssetPath ");
  EXPECT_EQ(scene.Messages("/Asset"), "root </Asset>: cannot open asset 'none': none\n");
  EXPECT_EQ(scene.Errors("/Brought"), "");
  EXPECT_EQ(scene.Stack("/Brought"), "root/Brought r/R/X");
  EXPECT_EQ(scene.Errors("/Variant"), "");
}

TEST(ArcsTest, MissingTargetsOfAncestralArcsAreErrors) {
  ComposedScene scene({{"root", R"(
def "P" (references = </Q/X>) {}
def "Q" (references = @r@</Gone>) {
  def "X" {}
}
def "N" (references = </M/X>) {}
def "M" (references = @r@</R>) {
  def "X" {}
}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Errors("/P"), "UnresolvedPrimPath ");
  EXPECT_EQ(scene.Errors("/Q/X"), "");
  EXPECT_EQ(scene.Errors("/N"), "");
}

TEST(ArcsTest, ArcsToMutedLayersAreErrors) {
  CompositionOptions options;
  options.muted_layers = {"r"};
  ComposedScene scene({{"root", "def \"P\" (references = [@r@</R>, @s@</S>]) {}\n"},
                       {"r", "def \"R\" {}\n"},
                       {"s", "def \"S\" {}\n"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P s/S");
  EXPECT_EQ(scene.Errors("/P"), "MutedAssetPath ");
  EXPECT_EQ(scene.Messages("/P"),
            "root: cannot compose the arc to 'r': the layer is muted; unmute it\n");
}

TEST(ArcsTest, ExpressionsMayYieldEmptyAssetPaths) {
  ComposedScene scene({{"root", R"((expressionVariables = { string NAME = "r" })
def "P" (references = [@`if(false, "r")`@</R>, @`'r'`@</R>]) {}
def "Q" (payload = @`if(eq(1, 1), '')`@</R>) {}
def "Bad" (references = @`${NOPE}`@</R>; payload = @`${NONE}`@</R>) {}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R");
  EXPECT_EQ(scene.Errors("/P"), "");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q");
  EXPECT_EQ(scene.Errors("/Q"), "");
  EXPECT_EQ(scene.Messages("/Bad"),
            "root: cannot evaluate reference `${NOPE}`: No value for variable 'NOPE'\n"
            "root: cannot evaluate payload `${NONE}`: No value for variable 'NONE'\n");
}

// The prim stack of a prim that references </R> in the layer whose name a variable holds.
std::string StackWithAssetPath(const std::string& name) {
  Dictionary variables;
  variables.Set("NAME", Value(name));
  const Reference reference{.asset = "`${NAME}`", .prim_path = *Path::Parse("/R")};
  LayerBuilder root;
  root.Set(kRootSpec, Fields().expressionVariables, Value(variables));
  root.Set(root.EnsurePrim(*Path::Parse("/P")), Fields().references,
           Value(ListOp<Reference>::Prepended({reference})));
  root.EnsurePrim(*Path::Parse("/R"));
  const std::string text = "def \"R\" {}\n";
  auto layers = std::make_unique<TextLayers>(
      Texts{{"r r", text}, {"r\u00a0", text}, {"r\u20ac", text}, {"\x1f", text}, {"r\x7f", text}});
  layers->Add(std::move(root).Build({.identifier = "root"}));
  return ComposedScene(std::move(layers)).Stack("/P");
}

// As in OpenUSD, a path with control characters yields an internal reference.
TEST(ArcsTest, AssetPathsFromExpressionsHaveNoControlCharacters) {
  for (const std::string name : {"r r", "r\u00a0", "r\u20ac"}) {
    EXPECT_EQ(StackWithAssetPath(name), "root/P " + name + "/R");
  }
  for (const char* name : {"r\n", "\x1f", "r\x7f", "r\u0080", "r\u009f", "r\xff", "\xe2\x82"}) {
    EXPECT_EQ(StackWithAssetPath(name), "root/P root/R") << name;
  }
}

}  // namespace
}  // namespace stagedoor

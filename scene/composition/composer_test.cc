// A museum, as OpenUSD's Pcp has it: tiny scenes, each with what its prims are composed from.
#include "scene/composition/composer.h"

#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

TEST(ComposerTest, SublayersAreWeakerAndRetimed) {
  ComposedScene scene(
      {{"root", "(subLayers = [@a@ (offset = 5; scale = 2), @b@])\ndef \"P\"\n{\n}\n"},
       {"a", "(subLayers = [@c@ (offset = 10; scale = 3)])\nover \"P\"\n{\n}\n"},
       {"b", "(timeCodesPerSecond = 48)\nover \"P\"\n{\n}\n"},
       {"c", "over \"P\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P c/P b/P");
  const PrimIndexRef ref = scene.Compose("/P");
  EXPECT_EQ(ref.OffsetOf(ref.index->prim_stack()[2]), (LayerOffset{25, 6}));
  EXPECT_EQ(ref.OffsetOf(ref.index->prim_stack()[3]), (LayerOffset{0, 0.5}));
}

TEST(ComposerTest, ALayerIncludedTwiceKeepsItsFirstOffset) {
  ComposedScene scene({{"root", "(subLayers = [@a@ (offset = 5), @b@])\ndef \"P\"\n{\n}\n"},
                       {"a", "(subLayers = [@c@ (scale = 2)])\n"},
                       {"b", "(subLayers = [@c@ (offset = 1)])\n"},
                       {"c", "over \"P\" (references = </Q>)\n{\n}\nclass \"Q\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P c/P c/P c/Q c/Q");
  const PrimIndexRef ref = scene.Compose("/P");
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(ref.OffsetOf(ref.index->prim_stack()[i]), (LayerOffset{5, 2}));
  }
}

TEST(ComposerTest, SublayerErrorsAreReported) {
  ComposedScene scene({{"root", "(subLayers = [@a@ (scale = -1), @gone@])\ndef \"P\"\n{\n}\n"},
                       {"a", "(subLayers = [@root@])\nover \"P\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P");
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerOffset InvalidSublayerPath SublayerCycle ");
}

// Wherever expressions are allowed: sublayers, arcs, variant selections.
TEST(ComposerTest, ExpressionsThatGrowExponentiallyAreErrors) {
  std::string variables;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "${V" + std::to_string(i + 1) + "}";
    variables += "string V" + std::to_string(i) + " = '`\"" + next + next + "\"`'\n";
  }
  const std::string expression = "`\"${V0}\"`";
  ComposedScene scene(Texts{
      {"root", "(expressionVariables = {\n" + variables + "string V40 = \"x\"\n}\nsubLayers = [@" +
                   expression + "@])\ndef \"P\" (references = @" + expression + "@; payload = @" +
                   expression + "@</A>; variants = { string v = '" + expression +
                   "' }; variantSets = \"v\")\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P");
  EXPECT_EQ(scene.StackErrors(), "VariableExpressionError ");
  EXPECT_EQ(scene.Errors("/P"),
            "VariableExpressionError VariableExpressionError VariableExpressionError ");
  EXPECT_TRUE(scene.context().Check().ok());
}

TEST(ComposerTest, MutedLayersAreIgnored) {
  CompositionOptions options;
  options.muted_layers = {"a"};
  ComposedScene scene({{"root", "(subLayers = [@a@])\ndef \"P\" (references = @a@</P>)\n{\n}\n"},
                       {"a", "over \"P\"\n{\n}\n"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P");
  EXPECT_EQ(scene.Errors("/P"), "MutedAssetPath ");
}

TEST(ComposerTest, ArcsInStrengthOrder) {
  ComposedScene scene(Texts{{"root", kEveryArc}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/I root/P{v=x} root/Ref root/Pay root/S");
  EXPECT_EQ(scene.Children("/P"), "InVariant ");
  EXPECT_EQ(scene.Compose("/P").index->Dump(),
            "root root /P\n    root\n"
            "  inherit root /I [/ -> /, /I -> /P]\n      root\n"
            "  variant root /P{v=x}\n      root\n"
            "  reference root /Ref [/ -> /, /Ref -> /P]\n      root\n"
            "  payload root /Pay [/ -> /, /Pay -> /P]\n      root\n"
            "  specialize root /S [/ -> /, /S -> /P]\n      root\n");
}

TEST(ComposerTest, PayloadsFollowThePredicate) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P"; };
  ComposedScene scene({{"root", kEveryArc}}, options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/I root/P{v=x} root/Ref root/S");
  EXPECT_TRUE(scene.Compose("/P").index->has_payloads());
  EXPECT_FALSE(scene.Compose("/P").index->payload_loaded());
}

TEST(ComposerTest, ClassesAreImpliedAcrossReferences) {
  const Texts texts = {{"root", R"(
class "C"
{
}
def "P" (references = @ref@</R>)
{
    class "L"
    {
    }
    over "X"
    {
    }
})"},
                       {"ref", R"(
class "C"
{
}
def "R" (inherits = </C>)
{
    class "L"
    {
    }
    def "X" (specializes = </R/L>)
    {
    }
})"}};
  ComposedScene scene(texts);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C ref/R ref/C");
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X ref/R/X root/P/L ref/R/L");
}

TEST(ComposerTest, SelectionsComeFromStrongerLayersAndFallbacks) {
  const Texts texts = {{"root", R"(
def "P" (references = @ref@</R>; variants = { string v = "b" })
{
}
def "Q" (references = @ref@</R>)
{
}
def "N" (references = @ref@</S>)
{
})"},
                       {"ref", R"(
def "R" (variants = { string v = "a" }; variantSets = "v")
{
    variantSet "v" = {
        "a" {
        }
        "b" {
        }
    }
}
def "S" (variantSets = "w")
{
    variantSet "w" = {
        "one" {
        }
        "two" {
        }
    }
})"}};
  CompositionOptions options;
  options.variant_fallbacks = {{"w", {"none", "two"}}};
  ComposedScene scene(texts, options);
  EXPECT_EQ(scene.Stack("/P"), "root/P ref/R ref/R{v=b}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q ref/R ref/R{v=a}");
  EXPECT_EQ(scene.Stack("/N"), "root/N ref/S ref/S{w=two}");
  EXPECT_EQ(scene.Compose("/P").index->variant_selections(), (VariantSelections{{"v", "b"}}));
}

TEST(ComposerTest, RelocatesMoveAndDelete) {
  ComposedScene scene(Texts{{"root", R"((
    relocates = { </P/A>: </P/B>, </P/D>: <> }
)
def "P" (references = @ref@</R>)
{
    over "B"
    {
    }
    over "A"
    {
    }
})"},
                            {"ref", R"(
def "R"
{
    def "A"
    {
        def "X"
        {
        }
    }
    def "B"
    {
    }
    def "D"
    {
    }
})"}});
  EXPECT_EQ(scene.Children("/P"), "B ");
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B ref/R/A");
  EXPECT_EQ(scene.Stack("/P/B/X"), "ref/R/A/X");
  EXPECT_EQ(scene.Stack("/P/D"), "");
  EXPECT_EQ(scene.Errors("/P/B"), "OpinionAtRelocationSource ");
}

TEST(ComposerTest, InvalidRelocatesAreIgnored) {
  ComposedScene scene(Texts{{"root", R"((
    relocates = { </P/A>: </P/A>, </P/B>: </P/X>, </P/C>: </P/X>, </P/E>: </P/F>, </P/F>: </P/G> }
)
def "P"
{
})"}});
  EXPECT_EQ(scene.StackErrors(),
            "InvalidAuthoredRelocation InvalidSameTargetRelocations "
            "InvalidConflictingRelocation InvalidConflictingRelocation ");
}

TEST(ComposerTest, ArcErrorsAreReported) {
  ComposedScene scene(Texts{{"root", R"(
def "A" (references = </A/B>)
{
}
def "Gone" (references = [@none@, </Nowhere>])
{
}
def "NoDefault" (references = @ref@)
{
}
def "Times" (references = @ref@</R> (scale = 0))
{
}
def "Bad" (references = @`${NOPE}`@)
{
})"},
                            {"ref", "def \"R\"\n{\n}\n"}});
  EXPECT_EQ(scene.Errors("/A"), "ArcCycle ");
  EXPECT_EQ(scene.Errors("/Gone"), "InvalidAssetPath UnresolvedPrimPath ");
  EXPECT_EQ(scene.Errors("/NoDefault"), "UnresolvedPrimPath ");
  EXPECT_EQ(scene.Errors("/Times"), "InvalidReferenceOffset ");
  EXPECT_EQ(scene.Stack("/Times"), "root/Times ref/R");
  EXPECT_EQ(scene.Errors("/Bad"), "VariableExpressionError ");
}

TEST(ComposerTest, ExpressionVariablesReachReferencedStacks) {
  ComposedScene scene(Texts{{"root", R"((
    expressionVariables = { string WHICH = "b" }
)
def "P" (references = @`"mid"`@</M>)
{
})"},
                            {"mid", R"((
    expressionVariables = { string WHICH = "a" }
)
def "M" (references = @`"leaf_${WHICH}"`@</L>)
{
})"},
                            {"leaf_a", "def \"L\"\n{\n}\n"},
                            {"leaf_b", "def \"L\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P mid/M leaf_b/L");
}

TEST(ComposerTest, InstancesNeedAnArcToShare) {
  ComposedScene scene(Texts{{"root", R"(
def "Proto"
{
    def "X"
    {
    }
}
def "A" (instanceable = true; references = </Proto>)
{
    over "X"
    {
    }
    def "Own"
    {
    }
}
def "B" (instanceable = true; references = </Proto>)
{
}
def "C" (instanceable = true)
{
    def "Own"
    {
    }
})"}});
  EXPECT_TRUE(scene.Compose("/A").index->instanceable());
  EXPECT_EQ(scene.Children("/A"), "X ");
  EXPECT_EQ(scene.Stack("/A/X"), "root/Proto/X");
  EXPECT_EQ(scene.Compose("/A").InstanceKey(), scene.Compose("/B").InstanceKey());
  EXPECT_FALSE(scene.Compose("/C").index->instanceable());
  EXPECT_EQ(scene.Children("/C"), "Own ");
}

TEST(ComposerTest, SharedOpinionsReachTargetsBelowInstances) {
  // </B> is an instance because of </C/Z>, which has opinions from the reference of its parent
  // </C>.
  const std::string text = R"(
class "C" (references = @asset@</A>)
{
    def "Z" (instanceable = true)
    {
    }
}
def "B" (inherits = </C/Z>)
{
    def "Own"
    {
    }
}
def "ByReference" (references = </B/Y>)
{
}
def "ByInherit" (inherits = </B/Y>)
{
}
def "BySpecialize" (specializes = </B/Y>)
{
}
def "OfOwn" (references = </B/Own>)
{
}
)";
  ComposedScene scene(
      {{"root", text}, {"asset", "def \"A\"\n{\n def \"Z\"\n {\n  def \"Y\"\n  {\n  }\n }\n}\n"}});
  for (const char* path : {"/ByReference", "/ByInherit", "/BySpecialize"}) {
    EXPECT_EQ(scene.Stack(path), "root" + std::string(path) + " asset/A/Z/Y");
  }
  EXPECT_EQ(scene.Stack("/OfOwn"), "root/OfOwn");
}

}  // namespace
}  // namespace stagedoor

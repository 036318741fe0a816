// Variant sets: which variant is selected, and how strong its opinions are (Core Specification,
// 10.3.2.5).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

TEST(VariantsTest, SetsKeepTheOrderOfTheirList) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (variants = { string v = "x"
string w = "y" }; variantSets = ["w", "v"]) {
  variantSet "v" = { "x" {} }
  variantSet "w" = { "y" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{w=y} root/P{v=x}");
}

TEST(VariantsTest, UnlistedSetsAreIgnored) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (variants = { string v = "x" }; delete variantSets = "v") {
  variantSet "v" = { "x" {} }
}
)"},
                       {"sub", "over \"P\" (variantSets = [\"v\"]) {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P sub/P");
}

TEST(VariantsTest, SelectionsOfStrongerOpinionsWin) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (references = @r@</R>) {}
def "Q" (references = @r@</R>; inherits = </C>) {}
class "C" (variants = { string v = "b" }) {}
def "N" (references = [@r@</R>, @r@</S>]) {}
def "L" (references = @r@</S>; payload = @r@</R>) {}
)"},
                       {"sub", "over \"P\" (variants = { string v = \"c\" }) {}\n"},
                       {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} "c" {} }
}
def "S" (variants = { string v = "b" }) {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P sub/P r/R r/R{v=c}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/C r/R r/R{v=b}");
  EXPECT_EQ(scene.Stack("/N"), "root/N r/R r/R{v=a} r/S");
  EXPECT_EQ(scene.Stack("/L"), "root/L r/S r/R r/R{v=b}");
}

TEST(VariantsTest, AllPrimsWithTheSetTakeTheSameSelection) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@r@</R>, @r@</S>]) {}
)"},
                       {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
def "S" (variants = { string v = "b" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R r/R{v=a} r/S r/S{v=a}");
}

TEST(VariantsTest, FallbacksOfOtherSetsAreSkipped) {
  CompositionOptions options;
  options.variant_fallbacks = {{"v", {"other", "", "b"}}};
  ComposedScene scene({{"root", R"(
def "P" (variantSets = ["v", "w"]) {
  variantSet "v" = { "a" {} "b" {} }
  variantSet "w" = { "other" {} }
}
)"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=b}");
}

TEST(VariantsTest, TheFirstExistingFallbackIsUsedWithoutASelection) {
  CompositionOptions options;
  options.variant_fallbacks = {{"v", {"none", "b", "a"}}, {"w", {"none"}}};
  ComposedScene scene({{"root", R"(
def "P" (variantSets = ["v", "w"]) {
  variantSet "v" = { "a" {} "b" {} }
  variantSet "w" = { "a" {} }
}
def "Q" (references = </P>; variants = { string v = "a"
string w = "a" }) {}
def "Gone" (references = </P>; variants = { string v = "gone" }) {}
def "Empty" (references = </P>; variants = { string v = "" }) {}
)"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=b}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/P root/P{v=a} root/P{w=a}");
  EXPECT_EQ(scene.Stack("/Gone"), "root/Gone root/P");
  EXPECT_EQ(scene.Stack("/Empty"), "root/Empty root/P root/P{v=b}");
}

TEST(VariantsTest, AnEmptySelectionHidesWeakerOnes) {
  ComposedScene scene(
      {{"root", "def \"P\" (references = @r@</R>; variants = { string v = \"\" }) {}\n"}, {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R");
}

TEST(VariantsTest, SelectionsInVariantsCountForOtherSets) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (variants = { string v = "x" }; variantSets = ["w", "v"]) {
  variantSet "v" = { "x" (variants = { string w = "y" }) {} }
  variantSet "w" = { "y" {} "z" {} }
}
def "Q" (variants = { string v = "x"
string w = "z" }; variantSets = ["v", "w"]) {
  variantSet "v" = { "x" (variants = { string w = "y" }) {} }
  variantSet "w" = { "y" {} "z" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{w=y} root/P{v=x}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/Q{v=x} root/Q{w=z}");
}

// Although the fallback of the other set is tried first.
TEST(VariantsTest, SelectionsInFallbackVariantsCountForOtherSets) {
  CompositionOptions options;
  options.variant_fallbacks = {{"v", {"x"}}, {"w", {"z"}}};
  ComposedScene scene({{"root", R"(
def "P" (variantSets = ["v", "w"]) {
  variantSet "v" = { "x" (references = @r@</R>) {} }
  variantSet "w" = { "y" {} "z" {} }
}
def "Q" (variantSets = ["u", "v"]) {
  variantSet "u" = { "y" {} }
  variantSet "v" = { "x" (variants = { string u = "y" }) {} }
}
)"},
                       {"r", "def \"R\" (variants = { string w = \"y\" }) {}\n"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=x} r/R root/P{w=y}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/Q{u=y} root/Q{v=x}");
}

// Although a stronger selection is found later (10.3.2.5.1).
TEST(VariantsTest, EarlierSelectionsApplyToWeakerPrims) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (references = </R>; variants = { string w = "y" }; variantSets = ["v", "w"]) {
  variantSet "v" = { "a" {} "b" {} }
  variantSet "w" = { "y" (variants = { string v = "b" }) {} }
}
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=a} root/P{w=y} root/R root/R{v=a}");
}

TEST(VariantsTest, VariantsNest) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (variants = { string v = "x"
string w = "y" }; variantSets = "v") {
  variantSet "v" = { "x" (variantSets = "w") {
    variantSet "w" = { "y" {
      def "X" {}
    } }
  } }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=x} root/P{v=x}{w=y}");
  EXPECT_EQ(scene.Stack("/P/X"), "root/P{v=x}{w=y}X");
  EXPECT_EQ(scene.Compose("/P").index->variant_selections(),
            (VariantSelections{{"v", "x"}, {"w", "y"}}));
}

TEST(VariantsTest, VariantsContributeToThePrimsBelow) {
  ComposedScene scene(Texts{{"root", R"((subLayers = [@sub@])
def "P" (variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" {
    over "X" {}
  } "y" {
    def "Y" {}
  } }
  over "X" {}
}
)"},
                            {"sub", R"(
over "P" {
  variantSet "v" = { "x" {
    def "X" {}
  } }
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X root/P{v=x}X sub/P{v=x}X");
  EXPECT_EQ(scene.Children("/P"), "X ");
}

TEST(VariantsTest, VariantsOfTheTargetsAncestorsApply) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R/X>) {}
def "Q" (inherits = </C/X>) {}
class "C" (references = @r@</R>; variants = { string v = "b" }) {}
)"},
                       {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {
    def "X" (references = </A>) {}
  } "b" {
    def "X" (payload = </B>) {}
  } }
}
def "A" {}
def "B" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R{v=a}X r/A");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q r/R{v=b}X r/B");
}

TEST(VariantsTest, VariantsOfTheTargetsAncestorsTakeFallbacks) {
  CompositionOptions options;
  options.variant_fallbacks = {{"v", {"b"}}};
  ComposedScene scene({{"root", "def \"P\" (references = @r@</R/X>) {}\n"}, {"r", R"(
def "R" (variantSets = "v") {
  variantSet "v" = { "a" {
    def "X" {}
  } "b" {
    def "X" {}
  } }
}
)"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R{v=b}X");
}

TEST(VariantsTest, VariantsOfTheNearestAncestorAreStrongest) {
  ComposedScene scene({{"root", "def \"P\" (references = @r@</R/X/Y>) {}\n"}, {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {
    def "X" {
      def "Y" {}
    }
  } }
  def "X" (variants = { string w = "b" }; variantSets = "w") {
    variantSet "w" = { "b" {
      def "Y" {}
    } }
  }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R/X{w=b}Y r/R{v=a}X/Y");
}

TEST(VariantsTest, VariantsHoldArcsOfAllTypes) {
  ComposedScene scene({{"root", R"(
def "P" (variants = { string v = "x" }; variantSets = "v"; references = @r@</Q>) {
  variantSet "v" = { "x" (
    inherits = </C>
    references = @r@</R>
    payload = @r@</O>
    specializes = </S>
  ) {} }
}
class "C" {}
class "S" {}
)"},
                       {"r", "def \"R\" {}\ndef \"O\" {}\ndef \"Q\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=x} root/C r/R r/O r/Q root/S");
}

TEST(VariantsTest, PayloadsInVariantsFollowThePredicate) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P"; };
  const Texts texts = {{"root", R"(
def "P" (references = @r@</R>) {}
def "Q" (references = @r@</R>) {}
)"},
                       {"r", R"(
def "R" (variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" (payload = </O>) {} }
}
def "O" {}
)"}};
  ComposedScene scene(texts, options);
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R r/R{v=x}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q r/R r/R{v=x} r/O");
}

TEST(VariantsTest, TheSessionLayerSelectsVariants) {
  ComposedScene scene(
      {{"session", "over \"P\" (variants = { string v = \"b\" }) {}\n"}, {"root", R"(
def "P" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "session/P root/P root/P{v=b}");
}

TEST(VariantsTest, ExpressionsUseTheVariablesOfTheirStack) {
  ComposedScene scene({{"root", R"((expressionVariables = { string W = "b" })
def "P" (references = @r@</R>) {}
def "Q" (references = @r@</S>) {}
def "Bad" (references = @r@</S>; variants = { string v = "`${NOPE}`" }) {}
def "None" (references = @r@</S>; variants = { string v = "`None`" }) {}
)"},
                       {"r", R"((expressionVariables = { string W = "a" })
def "R" (variants = { string v = "`${W}`" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
def "S" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {} "b" {} }
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R r/R{v=b}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q r/S r/S{v=a}");
  EXPECT_EQ(scene.Stack("/Bad"), "root/Bad r/S r/S{v=a}");
  EXPECT_EQ(scene.Errors("/Bad"), "VariableExpressionError ");
  EXPECT_EQ(
      scene.Messages("/Bad"),
      "root </Bad>: cannot evaluate variant selection `${NOPE}`: No value for variable 'NOPE'\n");
  EXPECT_EQ(scene.Stack("/None"), "root/None r/S");
  EXPECT_EQ(scene.Errors("/None"), "");
}

TEST(VariantsTest, SelectionsForAncestorsComeFromTheReferencingPrim) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; variants = { string v = "b" }) {
  def "X" (references = </P/Y>) {}
}
)"},
                       {"r", R"(
def "R" (variants = { string v = "a" }; variantSets = "v") {
  variantSet "v" = { "a" {
    def "Y" {}
  } "b" {
    def "Y" {}
  } }
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X r/R{v=b}Y");
}

TEST(VariantsTest, SetsNeedNotBeIdentifiers) {
  for (const char* name : {"look-dev", "1v", "123", ".a", "a|b"}) {
    const std::string n = name;
    ComposedScene scene(Texts{{"root", "def \"P\" (variants = { string \"" + n + "\" = \"" + n +
                                           "\" }; variantSets = \"" + n + "\") {\n variantSet \"" +
                                           n + "\" = { \"" + n + "\" {} }\n}\n"}});
    EXPECT_EQ(scene.Stack("/P"), "root/P root/P{" + n + "=" + n + "}");
  }
}

}  // namespace
}  // namespace stagedoor

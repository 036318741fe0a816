// Which opinions are stronger, between arcs of a prim, its ancestors and its targets (Core
// Specification, 10.4).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

TEST(StrengthOrderTest, ArcsOfOneListKeepItsOrder) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@r@</B>, @r@</A>]; inherits = [</J>, </I>]; specializes = [</T>, </S>]) {}
class "I" {}
class "J" {}
class "S" {}
class "T" {}
)"},
                       {"r", "def \"A\" {}\ndef \"B\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/J root/I r/B r/A root/T root/S");
}

TEST(StrengthOrderTest, RelocatesAreWeakerThanVariantsAndStrongerThanReferences) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/B> })
def "P" (references = @r@</R>) {
  over "B" (references = </Q>; variants = { string v = "x" }; variantSets = "v") {
    variantSet "v" = { "x" {} }
  }
}
def "Q" {}
)"},
                       {"r", "def \"R\" {\n def \"A\" {}\n}\n"}});
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B root/P/B{v=x} r/R/A root/Q");
}

TEST(StrengthOrderTest, ArcsOfThePrimAreStrongerThanThoseOfItsAncestors) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; inherits = </C>; variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" {
    def "X" {}
  } }
  over "X" (references = </Q>; inherits = </D>) {}
}
def "Q" {}
class "C" {
  def "X" {}
}
class "D" {}
)"},
                       {"r", "def \"R\" {\n def \"X\" {}\n}\n"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X root/D root/C/X root/P{v=x}X root/Q r/R/X");
}

TEST(StrengthOrderTest, OpinionsOfAReferencedStackStayTogether) {
  ComposedScene scene({{"root", "def \"P\" (references = [@a@</A>, @b@</B>]) {}\n"},
                       {"a", R"(
def "A" (references = </A2>; payload = </A3>) {}
def "A2" {}
def "A3" {}
)"},
                       {"b", "def \"B\" (inherits = </B2>) {}\nclass \"B2\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/A a/A2 a/A3 b/B b/B2");
}

TEST(StrengthOrderTest, ImpliedClassesFollowTheOrderOfTheirOrigins) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@b@</B>, @a@</A>]) {}
class "C" {}
class "D" {}
)"},
                       {"a", "def \"A\" (inherits = </C>) {}\nclass \"C\" {}\n"},
                       {"b", "def \"B\" (inherits = </D>) {}\nclass \"D\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/D root/C b/B b/D a/A a/C");
}

TEST(StrengthOrderTest, AuthoredClassesAreStrongerThanImpliedOnes) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; inherits = </D>) {}
class "C" {}
class "D" {}
)"},
                       {"r", "def \"R\" (inherits = </C>) {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/D root/C r/R");
}

TEST(StrengthOrderTest, SpecializesOfReferencedPrimsAreStrongerThanThoseOfThePrim) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; specializes = </T>) {}
class "S" {}
class "T" {}
)"},
                       {"r", "def \"R\" (specializes = </S>) {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R root/S root/T");
}

TEST(StrengthOrderTest, SpecializesIsWeakerThanReferencesOfAncestors) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {
  over "X" (specializes = </S>) {}
}
class "S" {}
)"},
                       {"r", "def \"R\" {\n def \"X\" {}\n}\n"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X r/R/X root/S");
}

TEST(StrengthOrderTest, SpecializesIsWeakerThanSiblingReferences) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@a@</A>, @b@</B>]) {}
class "S" {}
)"},
                       {"a", "def \"A\" (specializes = </S>) {}\nclass \"S\" {}\n"},
                       {"b", "def \"B\" (references = </B2>) {}\ndef \"B2\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/A b/B b/B2 root/S a/S");
}

TEST(StrengthOrderTest, SpecializesFollowTheOrderOfTheirReferences) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@b@</B>, @a@</A>]) {}
class "S" {}
class "T" {}
)"},
                       {"a", "def \"A\" (specializes = </S>) {}\nclass \"S\" {}\n"},
                       {"b", "def \"B\" (specializes = </T>) {}\nclass \"T\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P b/B a/A root/T b/T root/S a/S");
}

TEST(StrengthOrderTest, SpecializesOfThePrimAreStrongerThanThoseOfItsAncestors) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (specializes = </S>) {
  def "X" (specializes = </T>) {}
}
class "S" {
  def "X" {}
}
class "T" {}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X root/T root/S/X");
}

// Although the nested arc is introduced deeper in namespace.
TEST(StrengthOrderTest, NestedSpecializesAreWeakerThanTheSpecializedPrim) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (specializes = </S>) {}
class "S" {
  def "X" (specializes = </T>) {}
}
class "T" {
  def "Y" (specializes = </U>) {}
}
def "Q" (specializes = [</S/X>, </V>]) {}
class "U" {}
class "V" {}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/S/X root/T");
  EXPECT_EQ(scene.Stack("/P/X/Y"), "root/T/Y root/U");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/S/X root/T root/V");
  EXPECT_EQ(scene.Stack("/Q/Y"), "root/T/Y root/U");
}

TEST(StrengthOrderTest, ImpliedSpecializesAreStrongerThanWhatImpliesThem) {
  ComposedScene scene({{"root", "def \"P\" (references = @a@</A>) {}\nclass \"S\" {}\n"},
                       {"a", "def \"A\" (references = @b@</B>) {}\nclass \"S\" {}\n"},
                       {"b", "def \"B\" (specializes = </S>) {}\nclass \"S\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/A b/B root/S a/S b/S");
}

TEST(StrengthOrderTest, ClassesOfSpecializedPrimsAreImpliedBelowThem) {
  ComposedScene scene({{"root", R"(
def "P" (references = @a@</A>) {}
class "C" {}
class "S" {}
class "T" {}
)"},
                       {"a", R"(
def "A" (specializes = </S>) {}
class "S" (inherits = </C>; specializes = </T>) {}
class "C" {}
class "T" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/A root/S root/C a/S a/C root/T a/T");
}

// As in usd-core: the arc implied by the variant replaces the one implied by the reference, which
// was found before, but is not implied to the root layer stack again.
TEST(StrengthOrderTest, AStrongerOriginReplacesImpliedSpecializes) {
  ComposedScene scene({{"root", R"(
def "P" (references = @b@</B>; variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" (references = @a@</A>) {} }
}
class "S" {}
class "T" {}
)"},
                       {"a", "def \"A\" (specializes = </S>) {}\nclass \"S\" {}\n"},
                       {"b", R"(
def "B" (specializes = [</T>, </S>]) {}
class "S" {}
class "T" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=x} a/A b/B a/S root/T b/T b/S");
}

TEST(StrengthOrderTest, SpecializesOfClassesAreImpliedWithThem) {
  ComposedScene scene({{"root", R"(
def "P" (references = @a@</A>) {}
class "C" {}
class "S" {}
)"},
                       {"a", R"(
def "A" (references = @b@</B>) {}
class "C" (specializes = </T>) {}
class "S" {}
class "T" {}
)"},
                       {"b", R"(
def "B" (inherits = </C>) {}
class "C" (specializes = </S>) {}
class "S" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C a/A a/C b/B b/C a/T root/S a/S b/S");
}

TEST(StrengthOrderTest, DeeperSpecializesAreStrongerWhateverTheirArcs) {
  ComposedScene scene({{"root", R"(
def "P" (references = @a@</A>; specializes = </R>) {
  over "X" (specializes = </T>) {}
}
class "R" {
  over "X" (specializes = </V>) {}
}
class "S" {
  over "X" {}
}
class "T" {}
class "U" {}
class "V" {}
)"},
                       {"a", R"(
def "A" (specializes = </S>) {
  def "X" (specializes = </U>) {}
}
class "S" {
  def "X" (inherits = </W>) {}
}
class "U" {}
class "W" {}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"),
            "root/P/X a/A/X root/U a/U root/T root/S/X a/S/X a/W root/R/X root/V");
}

TEST(StrengthOrderTest, SpecializesOfRelocatedPrimsAreWeakest) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/B> })
def "P" (references = @r@</R>) {
  over "B" (specializes = </S>; references = </Q>) {}
}
class "S" {}
class "T" {}
def "Q" (specializes = </U>) {}
class "U" {}
)"},
                       {"r", R"(
def "R" {
  def "A" (specializes = </T>) {}
}
class "T" {}
)"}});
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B r/R/A root/Q root/T r/T root/U root/S");
}

TEST(StrengthOrderTest, ReferencesOfSpecializedPrimsAreWeakerThanThoseOfThePrim) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; specializes = [</S>, </T>]) {}
class "S" (references = @r@</Q>; payload = @r@</O>) {}
class "T" {}
)"},
                       {"r", "def \"R\" {}\ndef \"Q\" {}\ndef \"O\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R root/S r/Q r/O root/T");
}

TEST(StrengthOrderTest, SpecializesInVariantsAreWeakestToo) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" (specializes = </S>; inherits = </C>) {} }
}
class "C" {}
class "S" {}
)"},
                       {"r", "def \"R\" (specializes = </T>) {}\nclass \"T\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/P{v=x} root/C r/R root/S r/T");
}

TEST(StrengthOrderTest, ASpecializedPrimTakesItsStrongestPosition) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (specializes = [</S>, </T>]) {}
class "S" (specializes = </U>) {}
class "T" (specializes = </U>) {}
class "U" {}
def "Q" (inherits = </C>; specializes = </U>) {}
class "C" (specializes = </T>) {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/S root/U root/T");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/C root/T root/U");
}

}  // namespace
}  // namespace stagedoor

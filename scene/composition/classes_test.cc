// Inherits and specializes, and the arcs that they imply upstream (Core Specification, 10.3.2.3).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

TEST(ClassesTest, ClassesAreImpliedInEveryUpstreamLayerStack) {
  ComposedScene scene({{"root", "def \"P\" (references = @a@</A>) {}\nclass \"C\" {}\n"},
                       {"a", "def \"A\" (payload = @b@</B>) {}\nclass \"C\" {}\n"},
                       {"b", "def \"B\" (inherits = </C>) {}\nclass \"C\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C a/A a/C b/B b/C");
}

TEST(ClassesTest, NestedClassesAreImpliedBelowTheReferencingPrim) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {
  class "C" {
    def "Y" {}
  }
}
class "R" {
  class "C" {}
}
)"},
                       {"r", R"(
def "R" {
  class "C" {}
  def "X" (inherits = </R/C>) {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/C r/R/X r/R/C");
  EXPECT_EQ(scene.Children("/P/X"), "Y ");
}

TEST(ClassesTest, ClassHierarchiesAreImpliedAsAWhole) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {}
class "D" (references = @r@</Other>) {}
)"},
                       {"r", R"(
def "R" (inherits = </C>) {}
class "C" (inherits = </D>) {}
class "D" {}
def "Other" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/D r/Other r/R r/C r/D");
}

TEST(ClassesTest, ReferencesOfAClassBringTheirClassesToTheInstance) {
  ComposedScene scene({{"root", R"(
def "P" (inherits = </C>) {}
class "C" (references = @r@</R>) {}
class "D" {}
)"},
                       {"r", "def \"R\" (inherits = </D>) {}\nclass \"D\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C root/D r/R r/D");
}

TEST(ClassesTest, NestedClassesBringAncestralArcs) {
  ComposedScene scene({{"root", R"(
def "P" (inherits = </Classes/C>) {}
def "Q" (references = @r@</R>) {}
def "S" (specializes = </Classes/C>) {}
class "Classes" (references = @r@</Lib>) {
  class "C" {}
}
)"},
                       {"r", R"(
def "R" (inherits = </Classes/C>) {}
def "Lib" {
  class "C" {}
}
class "Classes" {
  class "C" {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/Classes/C r/Lib/C");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/Classes/C r/Lib/C r/R r/Classes/C");
  EXPECT_EQ(scene.Stack("/S"), "root/S root/Classes/C r/Lib/C");
}

TEST(ClassesTest, AClassContributesOnceHoweverManyArcsLeadToIt) {
  ComposedScene scene(Texts{{"root", R"(
def "P" (inherits = [</A>, </B>]) {}
class "A" (inherits = </C>) {}
class "B" (inherits = </C>) {}
class "C" {}
def "Q" (inherits = </C>; references = </R>) {}
def "R" (inherits = </C>) {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/A root/C root/B");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/C root/R");
}

TEST(ClassesTest, ClassesOfSeveralReferencesAreImpliedOnce) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@a@</A>, @b@</B>]) {}
def "Q" (references = [@b@</B>, @a@</A>]; inherits = </C>) {}
class "C" {}
class "S" {}
)"},
                       {"a", R"(
def "A" (inherits = </C>; references = </A2>) {}
def "A2" (specializes = </S>) {}
class "C" {}
class "S" {}
)"},
                       {"b", R"(
def "B" (inherits = </C>; specializes = </S>) {}
class "C" (specializes = </S>) {}
class "S" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C a/A a/C a/A2 b/B b/C root/S a/S b/S");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/C b/B b/C a/A a/C a/A2 root/S b/S a/S");
}

TEST(ClassesTest, ClassesAreImpliedAlongEveryPath) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@r@</A>, @m@</M>]) {}
class "S" {}
)"},
                       {"m", "def \"M\" (references = @r@</B>) {}\nclass \"S\" {}\n"},
                       {"r", R"(
def "A" (specializes = </S>) {}
def "B" (specializes = </S>) {}
class "S" {}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/A m/M r/B root/S r/S m/S");
}

TEST(ClassesTest, ClassesOfTheTargetsAncestorsAreImplied) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R/X>) {}
class "C" {
  def "X" {}
}
class "S" {
  def "X" {}
}
)"},
                       {"r", R"(
def "R" (inherits = </C>; specializes = </S>) {
  def "X" {}
}
class "C" {
  def "X" {}
}
class "S" {
  def "X" {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C/X r/R/X r/C/X root/S/X r/S/X");
}

TEST(ClassesTest, ClassPathsMapToThePrimAndOthersToThemselves) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {
  class "L" {}
}
class "C" {}
)"},
                       {"r", R"(
def "R" (inherits = </C>) {
  class "L" {}
  def "X" (inherits = </R/L>) {}
}
class "C" {}
)"}});
  EXPECT_EQ(scene.Target("/P", "root/C", "/C/X"), "/P/X");
  EXPECT_EQ(scene.Target("/P", "root/C", "/P"), "");
  EXPECT_EQ(scene.Target("/P", "root/C", "/R"), "/R");
  EXPECT_EQ(scene.Target("/P", "root/C", "/Other"), "/Other");
  EXPECT_EQ(scene.Target("/P", "r/C", "/C"), "/P");
  EXPECT_EQ(scene.Target("/P", "r/C", "/R/X"), "");
  EXPECT_EQ(scene.Target("/P", "r/C", "/Other"), "");
  EXPECT_EQ(scene.Target("/P/X", "root/P/L", "/P/L/Y"), "/P/X/Y");
  EXPECT_EQ(scene.Target("/P/X", "root/P/L", "/P/Z"), "/P/Z");
  EXPECT_EQ(scene.Target("/P/X", "root/P/L", "/R"), "/R");
}

// The prim </R> of the root layer is not the </R> that </P> references.
TEST(ClassesTest, ImpliedClassesLeaveUnrelatedPrimsAlone) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {
  over "C" {
    over "Here" {}
  }
}
def "R" {
  def "Z" {}
}
)"},
                       {"r", R"(
def "R" {
  class "C" {}
  def "I" (inherits = </R/C>) {}
}
)"}});
  ASSERT_EQ(scene.Stack("/P/I"), "root/P/C r/R/I r/R/C");
  EXPECT_EQ(scene.Target("/P/I", "root/P/C", "/P/C/Here"), "/P/I/Here");
  EXPECT_EQ(scene.Target("/P/I", "root/P/C", "/R/Z"), "/R/Z");
  EXPECT_EQ(scene.Target("/P/I", "root/P/C", "/P/X"), "/P/X");
  EXPECT_EQ(scene.Target("/P/I", "r/R/C", "/R/C/Here"), "/P/I/Here");
  EXPECT_EQ(scene.Target("/P/I", "r/R/C", "/R/Z"), "/P/Z");
}

TEST(ClassesTest, RelativePathsAreAnchoredAtThePrim) {
  ComposedScene scene(Texts{{"root", R"(
def "P" {
  class "C" {}
  def "X" (inherits = <../C>) {}
  def "Y" (specializes = <../C>; variants = { string v = "x" }; variantSets = "v") {
    variantSet "v" = { "x" (inherits = <../D>) {} }
  }
  class "D" {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X root/P/C");
  EXPECT_EQ(scene.Stack("/P/Y"), "root/P/Y root/P/Y{v=x} root/P/D root/P/C");
}

TEST(ClassesTest, ClassesAreImpliedInVariantsOfTheReferencingPrim) {
  ComposedScene scene({{"root", R"(
def "P" (variants = { string v = "x" }; variantSets = "v") {
  class "C" {}
  variantSet "v" = { "x" (references = @r@</R>) {
    class "C" {}
  } }
}
)"},
                       {"r", R"(
def "R" {
  class "C" {}
  def "X" (inherits = </R/C>) {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/C root/P{v=x}C r/R/X r/R/C");
  EXPECT_EQ(scene.Dump("/P/X"),
            "root root /P/X\n"
            "  inherit root /P/C origin=3 [/ -> /, /P/C -> /P/X]\n      root\n"
            "  variant root /P{v=x}X ancestral\n"
            "    inherit root /P{v=x}C origin=5 [/ -> /, /P/C -> /P/X]\n        root\n"
            "    reference r /R/X ancestral [/R -> /P]\n        r\n"
            "      inherit r /R/C [/R -> /P, /R/C -> /P/X]\n          r\n");
}

// The copy of a specializes node below the root is ancestral if the node it was copied from is.
TEST(ClassesTest, PropagatedSpecializesKeepWhetherTheyAreAncestral) {
  ComposedScene scene(Texts{{"root", R"(
class "S" {
  def "X" {}
}
def "P" (specializes = </S>) {}
def "Q" (references = </P>) {}
def "R" {
  def "X" (specializes = </S>) {}
}
def "T" (references = </R>) {}
def "U" (references = </P/X>) {}
)"}});
  EXPECT_EQ(scene.Dump("/U"),
            "root root /U\n    root\n"
            "  reference root /P/X [/ -> /, /P/X -> /U]\n"
            "    specialize root /S/X culled ancestral [/ -> /, /S -> /P, /S/X -> /U]\n"
            "  specialize root /S/X ancestral origin=2 [/ -> /, /S -> /P, /S/X -> /U]\n"
            "      root\n");
  EXPECT_EQ(scene.Dump("/Q/X"),
            "root root /Q/X\n"
            "  reference root /P/X culled ancestral [/ -> /, /P -> /Q]\n"
            "    specialize root /S/X culled ancestral [/ -> /, /S -> /Q]\n"
            "  specialize root /S/X ancestral origin=2 [/ -> /, /S -> /Q]\n      root\n");
  EXPECT_EQ(scene.Dump("/T/X"),
            "root root /T/X\n"
            "  reference root /R/X ancestral [/ -> /, /R -> /T]\n      root\n"
            "    specialize root /S inert [/ -> /, /R -> /T, /S -> /T/X]\n"
            "  specialize root /S origin=2 [/ -> /, /R -> /T, /S -> /T/X]\n      root\n");
}

TEST(ClassesTest, InheritsThatFormCyclesAreErrors) {
  ComposedScene scene(Texts{{"root", R"(
def "Self" (inherits = </Self>) {}
def "P" {
  def "X" (inherits = </P>) {}
}
class "A" (inherits = </B>) {}
class "B" (specializes = </A>) {}
)"}});
  EXPECT_EQ(scene.Errors("/Self"), "ArcCycle ");
  EXPECT_EQ(scene.Errors("/P/X"), "ArcCycle ");
  EXPECT_EQ(scene.Errors("/A"), "ArcCycle ");
  EXPECT_EQ(scene.Stack("/A"), "root/A root/B");
}

TEST(ClassesTest, ChildrenOfAnInheritedPrimAreNotImpliedTwice) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {
  over "X" {}
  over "Y" {}
}
class "C" {
  def "X" {}
  def "Y" {}
}
)"},
                       {"r", R"(
def "R" (inherits = </C>) {}
class "C" {
  def "X" (inherits = </C/Y>) {}
  def "Y" {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X root/P/Y root/C/X root/C/Y r/C/X r/C/Y");
}

TEST(ClassesTest, ClassesAreInheritedThroughRelocates) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/B> })
def "P" (references = @r@</R>) {
  over "B" {}
  over "C" {
    def "Y" {}
  }
}
)"},
                       {"r", R"(
def "R" {
  class "C" {}
  def "A" (inherits = </R/C>) {
    def "Z" (specializes = </R/C>) {}
  }
}
)"}});
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B root/P/C r/R/A r/R/C");
  EXPECT_EQ(scene.Stack("/P/B/Y"), "root/P/C/Y");
  EXPECT_EQ(scene.Stack("/P/B/Z"), "r/R/A/Z root/P/C r/R/C");
}

TEST(ClassesTest, RelocatedClassesAreInheritedFromTheirNewPath) {
  ComposedScene scene({{"root", R"((relocates = { </P/C>: </P/D> })
def "P" (references = @r@</R>) {
  over "D" {}
}
)"},
                       {"r", R"(
def "R" {
  class "C" {}
  def "X" (inherits = </R/C>) {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/D r/R/X r/R/C");
}

TEST(ClassesTest, APrimMayInheritAndSpecializeTheSameClass) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>; inherits = </C>; specializes = </C>) {}
class "C" {}
)"},
                       {"r", "def \"R\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C r/R");
}

TEST(ClassesTest, AncestralClassesContainTheClassesBelowThem) {
  ComposedScene scene({{"root", R"(
def "P" (inherits = </C>) {
  def "X" (references = @r@</R>) {}
}
class "C" {
  over "X" {
    class "L" {}
  }
}
)"},
                       {"r", R"(
def "R" {
  class "L" {}
  def "Y" (inherits = </R/L>) {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X/Y"), "root/C/X/L r/R/Y r/R/L");
}

}  // namespace
}  // namespace stagedoor

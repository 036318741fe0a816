// Relocates: prims at another path than in the layers that define them (Core Specification,
// 10.3.2.6).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

// The asset whose prims most tests relocate.
constexpr char kRig[] = R"(
def "R" {
  def "A" {
    def "X" {
      def "Y" {}
    }
  }
  def "B" {}
  def "C" {}
}
)";

TEST(RelocatesTest, MovesToAnotherParent) {
  ComposedScene scene({{"root", R"((relocates = { </P/A/X>: </P/B/Z> })
def "P" (references = @r@</R>) {
  over "B" {
    over "Z" {}
  }
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P/A"), "");
  EXPECT_EQ(scene.Children("/P/B"), "Z ");
  EXPECT_EQ(scene.Stack("/P/B/Z"), "root/P/B/Z r/R/A/X");
  EXPECT_EQ(scene.Stack("/P/B/Z/Y"), "r/R/A/X/Y");
  EXPECT_EQ(scene.Stack("/P/A/X"), "");
}

TEST(RelocatesTest, RenamedChildrenKeepTheirPosition) {
  ComposedScene scene(
      {{"root", R"((relocates = { </P/B>: </P/Z>, </P/A/X>: </P/N>, </P/C/W>: </P/M> })
def "P" (references = @r@</R>) {
  over "Last" {}
}
)"},
       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "A Z C M N Last ");
}

TEST(RelocatesTest, ExistingPrimsAtTheTargetAreReplaced) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/C> })
def "P" (references = @r@</R>) {
  over "C" {}
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "B C ");
  EXPECT_EQ(scene.Stack("/P/C"), "root/P/C r/R/A");
  EXPECT_EQ(scene.Stack("/P/C/X"), "r/R/A/X");
}

TEST(RelocatesTest, AnEmptyTargetDeletes) {
  ComposedScene scene({{"root", R"((relocates = { </P/A/X>: <>, </P/B>: <> })
def "P" (references = @r@</R>) {
  over "B" {
    over "Own" {}
  }
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "A C ");
  EXPECT_EQ(scene.Children("/P/A"), "");
  EXPECT_EQ(scene.Stack("/P/B"), "");
  EXPECT_EQ(scene.Stack("/P/B/Own"), "");
}

TEST(RelocatesTest, RelocatesOfReferencedStacksApplyToTheReferencingPrim) {
  ComposedScene scene({{"root", R"(
def "P" (references = @m@</M>) {
  over "A" {}
  over "B" {
    over "X" {}
  }
}
)"},
                       {"m", R"((relocates = { </M/A>: </M/B> })
def "M" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "B C ");
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B r/R/A");
  EXPECT_EQ(scene.Stack("/P/B/X"), "root/P/B/X r/R/A/X");
  EXPECT_EQ(scene.Stack("/P/A"), "");
}

TEST(RelocatesTest, RelocatesContinueAcrossReferences) {
  ComposedScene scene({{"root", R"((relocates = { </P/B>: </P/C> })
def "P" (references = @m@</M>) {
  over "C" {}
}
)"},
                       {"m", R"((relocates = { </M/A>: </M/B> })
def "M" (references = @r@</R>) {
  over "B" {}
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "C ");
  EXPECT_EQ(scene.Stack("/P/C"), "root/P/C m/M/B r/R/A");
  EXPECT_EQ(scene.Stack("/P/C/X"), "r/R/A/X");
}

TEST(RelocatesTest, RelocatesNestBelowRelocatedPrims) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/N>, </P/N/X>: </P/N/Z> })
def "P" (references = @r@</R>) {
  over "N" {
    over "Z" {}
  }
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P/N"), "Z ");
  EXPECT_EQ(scene.Stack("/P/N/Z"), "root/P/N/Z r/R/A/X");
  EXPECT_EQ(scene.Stack("/P/N/Z/Y"), "r/R/A/X/Y");
  EXPECT_EQ(scene.Target("/P/N/Z", "r/R/A/X", "/R/A/X/Y"), "/P/N/Z/Y");
  EXPECT_EQ(scene.Target("/P/N/Z", "r/R/A/X", "/R/A"), "/P/N");
}

TEST(RelocatesTest, RelocatesNestToAnyDepth) {
  ComposedScene scene({{"root", R"((relocates = {
  </P/A>: </P/N>,
  </P/N/X>: </P/N/Z>,
  </P/N/Z/Y>: </P/W>,
})
def "P" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Stack("/P/W"), "r/R/A/X/Y");
  EXPECT_EQ(scene.Target("/P/B", "r/R/B", "/R/A/X/Y"), "/P/W");
  EXPECT_EQ(scene.Target("/P/W", "r/R/A/X/Y", "/R/A/X/Y/V"), "/P/W/V");
}

TEST(RelocatesTest, TargetPathsOfReferencedPrimsAreMapped) {
  ComposedScene scene({{"root", R"((relocates = { </P/A/X>: </P/Z>, </P/C>: <> })
def "P" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Target("/P/B", "r/R/B", "/R/A/X/Y"), "/P/Z/Y");
  EXPECT_EQ(scene.Target("/P/B", "r/R/B", "/R/A"), "/P/A");
  EXPECT_EQ(scene.Target("/P/Z", "r/R/A/X", "/R/A/X"), "/P/Z");
}

TEST(RelocatesTest, RelocatesOfAllLayersAreMerged) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@]
relocates = { </P/A>: </P/Strong> })
def "P" (references = @r@</R>) {}
)"},
                       {"sub", "(relocates = { </P/A>: </P/Weak>, </P/B>: </P/Other> })\n"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "Strong Other C ");
  EXPECT_EQ(scene.StackErrors(), "");
}

TEST(RelocatesTest, RelativePathsAreAnchoredAtTheRoot) {
  ComposedScene scene({{"root", R"((relocates = { <P/A>: <P/Z>, <P/B>: <> })
def "P" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "Z C ");
}

TEST(RelocatesTest, OpinionsAtTheSourceAreErrors) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@]
relocates = { </P/A>: </P/Z> })
def "P" (references = @r@</R>) {
  over "A" (references = @r@</R/B>) {
    over "Q" {}
  }
}
)"},
                       {"sub", "over \"P\" {\n over \"A\" {}\n}\n"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Stack("/P/Z"), "r/R/A");
  EXPECT_EQ(scene.Errors("/P/Z"), "OpinionAtRelocationSource OpinionAtRelocationSource ");
  EXPECT_EQ(scene.Messages("/P/Z"),
            "root: opinions at </P/A> are ignored because the prim was relocated to </P/Z>; "
            "move them there\n"
            "sub: opinions at </P/A> are ignored because the prim was relocated to </P/Z>; "
            "move them there\n");
  EXPECT_EQ(scene.Children("/P/Z"), "X ");
}

TEST(RelocatesTest, ArcsToTheSourceAreErrors) {
  ComposedScene scene(
      {{"root", R"((relocates = { </P/A>: </P/Z> })
def "P" (references = @r@</R>) {}
def "ToSource" (references = </P/A>) {}
def "BelowSource" (inherits = </P/A/X>) {}
def "ToTarget" (references = </P/Z>) {}
def "Far" (references = @m@</M/A>) {}
)"},
       {"m", "(relocates = { </M/A>: </M/Z> })\ndef \"M\" (references = @r@</R>) {}\n"},
       {"r", kRig}});
  EXPECT_EQ(scene.Errors("/ToSource"), "AutoGenerated_PcpErrorType_2 ");
  EXPECT_EQ(scene.Stack("/ToSource"), "root/ToSource");
  EXPECT_EQ(scene.Errors("/BelowSource"), "AutoGenerated_PcpErrorType_2 ");
  EXPECT_EQ(scene.Errors("/Far"), "AutoGenerated_PcpErrorType_2 ");
  EXPECT_EQ(scene.Messages("/Far"),
            "cannot target </M/A> in m: the prim was relocated; target its new path\n");
  EXPECT_EQ(scene.Stack("/ToTarget"), "root/ToTarget r/R/A");
  EXPECT_EQ(scene.Errors("/ToTarget"), "");
}

TEST(RelocatesTest, SourcesRelocatedInAReferencedStackHaveNoOpinions) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/M> })
def "P" (references = @r@</R>) {}
)"},
                       {"r", R"((relocates = { </R/A>: </R/N> })
def "R" {
  def "A" {
    def "X" {}
  }
}
)"}});
  EXPECT_EQ(scene.Stack("/P/M"), "");
  EXPECT_EQ(scene.Children("/P/M"), "");
  EXPECT_EQ(scene.Stack("/P/M/X"), "");
  EXPECT_EQ(scene.Messages("/P/M"),
            "cannot target </R/A> in r: the prim was relocated; target its new path\n");
}

TEST(RelocatesTest, AncestralArcsOfTheNewParentDoNotReachTheTarget) {
  ComposedScene scene({{"root", R"((relocates = { </P/A/X>: </P/B/Z> })
def "Far" (references = </P/B/Z>) {}
def "P" (references = @r@</R>) {
  over "B" (references = @o@</O>; variants = { string v = "x" }; variantSets = "v") {
    variantSet "v" = { "x" {
      over "Z" {}
    } }
  }
}
)"},
                       {"o", R"(
def "O" (variants = { string v = "x" }; variantSets = "v") {
  def "Z" {}
  def "N" {}
  variantSet "v" = { "x" {
    def "Z" {}
  } }
}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Stack("/P/B/Z"), "root/P/B{v=x}Z r/R/A/X");
  EXPECT_EQ(scene.Stack("/Far"), "root/Far root/P/B{v=x}Z r/R/A/X");
  EXPECT_EQ(scene.Children("/P/B"), "Z N ");
}

TEST(RelocatesTest, RelocatesAreImpliedSoThatClassesPropagate) {
  ComposedScene scene({{"root", R"(
def "P" (references = @m@</M>) {
  over "B" {}
  over "C" {}
}
)"},
                       {"m", R"((relocates = { </M/A>: </M/B> })
def "M" (references = @r@</Q>) {
  over "C" {}
}
)"},
                       {"r", R"(
def "Q" {
  class "C" {}
  def "A" (inherits = </Q/C>) {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B root/P/C m/M/C r/Q/A r/Q/C");
  EXPECT_EQ(scene.Dump("/P/B"),
            "root root /P/B\n    root\n"
            "  inherit root /P/C origin=4 [/ -> /, /P/C -> /P/B]\n      root\n"
            "  relocate root /P/A inert origin=5\n"
            "  reference m /M/B ancestral [/M -> /P]\n"
            "    inherit m /M/C inert origin=6 [/M -> /P, /M/C -> /P/B]\n"
            "    relocate m /M/A inert [/M -> /P]\n"
            "      inherit m /M/C origin=8 [/M -> /P, /M/C -> /P/B]\n          m\n"
            "      reference r /Q/A ancestral [/Q -> /P, /Q/A -> /P/B]\n          r\n"
            "        inherit r /Q/C [/Q -> /P, /Q/C -> /P/B]\n            r\n");
}

TEST(RelocatesTest, RelocatesOfClassesApplyToTheInheritingPrim) {
  ComposedScene scene({{"root", R"((relocates = { </C/A>: </C/Z> })
class "C" (references = @r@</R>) {}
def "P" (inherits = </C>) {
  over "Z" {}
}
def "S" (specializes = </C>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.Children("/P"), "Z B C ");
  EXPECT_EQ(scene.Stack("/P/Z"), "root/P/Z r/R/A");
  EXPECT_EQ(scene.Children("/S"), "Z B C ");
  EXPECT_EQ(scene.Stack("/S/Z"), "r/R/A");
}

// The error message for a layer with this one relocate.
std::string FaultOf(const std::string& relocate) {
  ComposedScene scene(Texts{{"root", "(relocates = { " + relocate + " })\n"}});
  return scene.StackMessages();
}

TEST(RelocatesTest, InvalidRelocatesAreExplained) {
  const std::pair<const char*, const char*> cases[] = {
      {"</P>: </Q>", "</P> to </Q>: root prims cannot be relocated"},
      {"</P>: <>", "</P> to <>: root prims cannot be relocated"},
      {"</P/A>: </P/A>", "</P/A> to </P/A>: the source and the target are the same"},
      {"</P/A>: </P/A/B>", "</P/A> to </P/A/B>: the target is below the source"},
      {"</P/A/B>: </P/A>", "</P/A/B> to </P/A>: the target is an ancestor of the source"},
  };
  for (const auto& [relocate, fault] : cases) {
    EXPECT_EQ(FaultOf(relocate), std::string("root: cannot relocate ") + fault + "\n");
  }
  EXPECT_EQ(FaultOf("</P/A>: </Q>"), "");
}

TEST(RelocatesTest, RelocatesToTheSameTargetAreAllIgnored) {
  ComposedScene scene({{"root", R"((relocates = { </P/A>: </P/Z>, </P/B>: </P/Z>, </P/C>: </P/D> })
def "P" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.StackErrors(), "InvalidSameTargetRelocations ");
  EXPECT_EQ(scene.StackMessages(), "cannot relocate several prims to </P/Z>: </P/A> </P/B>\n");
  EXPECT_EQ(scene.Children("/P"), "A B D ");
}

TEST(RelocatesTest, ConflictingRelocatesAreIgnored) {
  ComposedScene scene({{"root", R"((relocates = {
  </P/A>: </P/B/N>,
  </P/B>: </P/M>,
  </Q/A>: </Q/D>,
  </Q/A/X>: </Q/E>,
  </S/A>: </S/C>,
  </S/C>: </S/D>,
})
def "P" (references = @r@</R>) {}
def "Q" (references = @r@</R>) {}
def "S" (references = @r@</R>) {}
)"},
                       {"r", kRig}});
  EXPECT_EQ(scene.StackErrors(),
            "InvalidConflictingRelocation InvalidConflictingRelocation "
            "InvalidConflictingRelocation InvalidConflictingRelocation ");
  EXPECT_EQ(scene.StackMessages(),
            "cannot relocate </P/A>: it conflicts with the relocate of </P/B>\n"
            "cannot relocate </Q/A/X>: it conflicts with the relocate of </Q/A>\n"
            "cannot relocate </S/A>: it conflicts with the relocate of </S/C>\n"
            "cannot relocate </S/C>: it conflicts with the relocate of </S/A>\n");
  EXPECT_EQ(scene.Children("/P"), "A M C ");
  EXPECT_EQ(scene.Children("/Q"), "D B C ");
  EXPECT_EQ(scene.Children("/S"), "A B C ");
}

}  // namespace
}  // namespace stagedoor

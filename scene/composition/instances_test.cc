// Which prims are instances, and which of them can share a prototype (Core Specification, 11.3.3).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

bool IsInstance(ComposedScene& scene, const std::string& path) {
  return scene.Compose(path).index->instanceable();
}
bool Share(ComposedScene& scene, const std::string& a, const std::string& b) {
  return scene.Compose(a).InstanceKey() == scene.Compose(b).InstanceKey();
}

constexpr char kProto[] = R"(
def "R" {
  def "X" {}
}
class "C" {
  def "X" {}
}
)";

TEST(InstancesTest, AnyDirectArcMakesAnInstance) {
  const Texts texts = {{"root", R"(
def "R" (instanceable = true; references = @r@</R>) {}
def "I" (instanceable = true; inherits = </C>) {}
def "S" (instanceable = true; specializes = </C>) {}
def "V" (instanceable = true; variants = { string v = "x" }; variantSets = "v") {
  variantSet "v" = { "x" {
    def "X" {}
  } }
}
def "Gone" (instanceable = true; references = @r@</Gone>) {}
def "Off" (instanceable = false; references = @r@</On>) {}
def "Weak" (references = @r@</On>) {}
def "Parent" (references = @r@</R>) {
  over "X" (instanceable = true) {}
}
class "C" {}
)"},
                       {"r", R"(
def "R" {
  def "X" {}
}
def "On" (instanceable = true) {}
)"}};
  ComposedScene scene(texts);
  EXPECT_TRUE(IsInstance(scene, "/R"));
  EXPECT_TRUE(IsInstance(scene, "/I"));
  EXPECT_TRUE(IsInstance(scene, "/S"));
  EXPECT_TRUE(IsInstance(scene, "/V"));
  EXPECT_FALSE(IsInstance(scene, "/Gone"));
  EXPECT_FALSE(IsInstance(scene, "/Off"));
  EXPECT_TRUE(IsInstance(scene, "/Weak"));
  EXPECT_FALSE(IsInstance(scene, "/Parent/X"));
}

TEST(InstancesTest, LocalOpinionsBelowInstancesAreIgnored) {
  ComposedScene scene({{"root", R"(
def "P" (instanceable = true; references = @r@</R>; inherits = </C>) {
  over "X" (references = @r@</C>) {
    def "Own" {}
  }
  def "Own" {}
}
class "C" {
  over "X" {}
  def "Y" {}
}
)"},
                       {"r", kProto}});
  EXPECT_EQ(scene.Children("/P"), "X Y ");
  EXPECT_EQ(scene.Stack("/P/X"), "root/C/X r/R/X");
  EXPECT_EQ(scene.Children("/P/X"), "");
  EXPECT_EQ(scene.Stack("/P/Own"), "");
}

TEST(InstancesTest, AncestralOpinionsBelowInstancesAreIgnored) {
  ComposedScene scene({{"root", R"(
def "P" (references = @m@</M>) {
  over "I" {
    over "X" {}
  }
}
)"},
                       {"m", R"(
def "M" {
  def "I" (instanceable = true; references = @r@</R>) {
    over "X" {}
  }
}
)"},
                       {"r", kProto}});
  EXPECT_EQ(scene.Stack("/P/I"), "root/P/I m/M/I r/R");
  EXPECT_EQ(scene.Stack("/P/I/X"), "r/R/X");
}

TEST(InstancesTest, ReferencesToPrimsBelowInstancesGetSharedOpinions) {
  ComposedScene scene({{"root", R"(
def "P" (references = @m@</I/X>) {}
def "Q" (references = </I/X>) {}
def "I" (instanceable = true; references = @r@</R>) {
  over "X" {}
}
)"},
                       {"m", R"(
def "I" (instanceable = true; references = @r@</R>) {
  over "X" {}
}
)"},
                       {"r", kProto}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R/X");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q r/R/X");
}

TEST(InstancesTest, InstancesShareWithEqualArcsOffsetsAndSelections) {
  ComposedScene scene({{"root", R"(
def "A" (instanceable = true; references = @r@</V>) {}
def "Same" (instanceable = true; references = @r@</V>) {
  over "X" {}
}
def "Selected" (instanceable = true; references = @r@</V>; variants = { string v = "x" }) {}
def "Expressed" (instanceable = true; references = @r@</V>; variants = { string v = "`'y'`" }) {}
def "Unused" (instanceable = true; references = @r@</V>; variants = { string w = "x" }) {}
def "Later" (instanceable = true; references = @r@</V> (offset = 1)) {}
def "Slower" (instanceable = true; references = @r@</V> (scale = 2)) {}
def "Other" (instanceable = true; references = @r@</R>) {}
def "More" (instanceable = true; references = [@r@</V>, @r@</R>]) {}
def "Payload" (instanceable = true; payload = @r@</V>) {}
)"},
                       {"r", R"(
def "V" (variants = { string v = "y" }; variantSets = "v") {
  variantSet "v" = { "x" {} "y" {} }
}
def "R" {}
)"}});
  EXPECT_TRUE(Share(scene, "/A", "/Same"));
  EXPECT_TRUE(Share(scene, "/A", "/Expressed"));
  for (const char* other :
       {"/Selected", "/Unused", "/Later", "/Slower", "/Other", "/More", "/Payload"}) {
    EXPECT_FALSE(Share(scene, "/A", other)) << other;
  }
}

TEST(InstancesTest, SelectionsOfAnyLayerOfAStackCount) {
  ComposedScene scene({{"root", R"(
def "A" (instanceable = true; references = @r@</V>) {}
def "B" (instanceable = true; references = @r@</V>; variants = { string v = "y" }) {}
)"},
                       {"r", R"((subLayers = [@s@, @t@])
def "V" (variantSets = "v") {
  variantSet "v" = { "x" {} "y" {} }
}
)"},
                       {"s", "over \"V\" (variants = { string v = \"y\" }) {}\n"},
                       {"t", "over \"V\" (variants = { string v = \"x\" }) {}\n"}});
  EXPECT_TRUE(Share(scene, "/A", "/B"));
}

TEST(InstancesTest, SpecializesOfReferencedPrimsAreShared) {
  ComposedScene scene({{"root", R"(
def "P" (instanceable = true; references = @r@</R>) {
  over "X" {}
}
def "Q" (specializes = </S>) {
  over "X" (instanceable = true) {}
}
class "S" {
  def "X" {}
}
)"},
                       {"r", R"(
def "R" (specializes = </S>) {}
class "S" {
  def "X" {}
}
)"}});
  EXPECT_EQ(scene.Stack("/P/X"), "root/S/X r/S/X");
  EXPECT_FALSE(IsInstance(scene, "/Q/X"));
}

TEST(InstancesTest, OffsetsAreEqualAfterRounding) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@ (offset = 0.1)])
def "A" (instanceable = true; references = @r@</R> (offset = 0.3)) {}
def "B" {}
)"},
                       {"sub", R"(
over "B" (instanceable = true; references = @r@</R> (offset = 0.2)) {}
)"},
                       {"r", kProto}});
  EXPECT_TRUE(Share(scene, "/A", "/B"));
}

TEST(InstancesTest, InstancesWithDifferentPayloadsLoadedDoNotShare) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/B"; };
  ComposedScene scene({{"root", R"(
def "A" (instanceable = true; references = @r@</R>) {}
def "B" (instanceable = true; references = @r@</R>) {}
def "C" (instanceable = true; references = @r@</R>) {}
)"},
                       {"r", R"(
def "R" (payload = @o@</O>) {}
)"},
                       {"o", "def \"O\" {}\n"}},
                      options);
  EXPECT_FALSE(Share(scene, "/A", "/B"));
  EXPECT_TRUE(Share(scene, "/A", "/C"));
}

}  // namespace
}  // namespace stagedoor

// Payloads of which some are not loaded (Core Specification, 10.3.2.2).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

constexpr char kAsset[] = R"(
def "R" (payload = </O>) {
  def "X" (payload = </O>) {}
}
def "O" {
  def "Y" {}
}
)";

TEST(PayloadsTest, LoadRulesApplyToThePathOnTheStage) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P/X"; };
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {}
def "Q" (references = @r@</R>) {}
)"},
                       {"r", kAsset}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R r/O");
  EXPECT_EQ(scene.Stack("/P/X"), "r/R/X");
  EXPECT_EQ(scene.Stack("/Q/X"), "r/R/X r/O");
  EXPECT_EQ(scene.Children("/P/X"), "");
  EXPECT_TRUE(scene.Compose("/P/X").index->has_payloads());
  EXPECT_FALSE(scene.Compose("/P/X").index->payload_loaded());
  EXPECT_TRUE(scene.Compose("/Q/X").index->payload_loaded());
  EXPECT_FALSE(scene.Compose("/Q/Y").index->has_payloads());
}

TEST(PayloadsTest, PayloadsOfClassesFollowTheInheritingPrim) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P"; };
  ComposedScene scene({{"root", R"(
def "P" (inherits = </C>) {}
def "Q" (specializes = </C>) {}
class "C" (payload = @r@</O>) {}
)"},
                       {"r", kAsset}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q root/C r/O");
}

TEST(PayloadsTest, PayloadsOfInternalTargetsFollowTheReferencingPrim) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/Q"; };
  ComposedScene scene({{"root", R"(
def "P" (references = </Q>) {}
def "Q" (payload = @r@</O>) {}
def "Below" (references = </Q/Y>) {}
)"},
                       {"r", kAsset}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/Q r/O");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q");
  EXPECT_EQ(scene.Stack("/Below"), "root/Below r/O/Y");
}

TEST(PayloadsTest, PayloadsOfTheTargetsAncestorsAreAlwaysLoaded) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P"; };
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R/X>) {}
def "Q" (payload = @r@</S/X>) {}
)"},
                       {"r", R"(
def "R" (payload = </O>) {
  def "X" {}
}
def "O" {
  def "X" (payload = </Z>) {}
}
def "Z" {}
def "S" (references = </R>) {}
)"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R/X r/O/X");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q r/R/X r/O/X r/Z");
}

// The ancestors of a class in an asset are not prims of the stage, so their payloads are always
// loaded, also where prims share an index.
TEST(PayloadsTest, PayloadsAboveAClassAreAlwaysLoaded) {
  CompositionOptions options;
  options.include_payload = [](Path) { return false; };
  ComposedScene scene({{"root", "def \"P\" (references = @r@</R>) {}\n"}, {"r", R"(
def "R" {
  def "K" {
    def "Z" (inherits = </B/Z>) {}
  }
}
class "B" (payload = </C>) {}
class "C" {
  def "Z" {}
}
)"}},
                      options);
  EXPECT_EQ(scene.Stack("/P/K/Z"), "r/R/K/Z r/C/Z");
}

}  // namespace
}  // namespace stagedoor

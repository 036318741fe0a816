// Names of children and properties, and their order (Core Specification, 11.3.1, 11.3.2), and which
// nodes are culled.
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

TEST(ChildNamesTest, NamesOfWeakerOpinionsComeFirst) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (references = [@r@</R>, @r@</S>]) {
  def "N" {}
  def "A" {}
}
)"},
                       {"sub", "over \"P\" {\n over \"M\" {}\n over \"A\" {}\n}\n"},
                       {"r", R"(
def "R" {
  def "B" {}
  def "A" {}
}
def "S" {
  def "Z" {}
  def "B" {}
}
)"}});
  EXPECT_EQ(scene.Children("/P"), "Z B A M N ");
}

TEST(ChildNamesTest, EachLayerReordersInTurn) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (references = @r@</R>) {
  reorder nameChildren = ["D", "B", "None"]
}
)"},
                       {"sub", R"(
over "P" {
  reorder nameChildren = ["B", "A"]
  def "D" {}
}
)"},
                       {"r", R"(
def "R" {
  def "A" {}
  def "B" {}
  def "C" {}
}
)"}});
  EXPECT_EQ(scene.Children("/P"), "D A B C ");
}

std::string Properties(ComposedScene& scene, const std::string& path) {
  std::string text;
  const PrimIndexRef ref = scene.Compose(path);
  for (const Token name : ref.index->property_names()) text += name.str() + " ";
  return text;
}

TEST(ChildNamesTest, PropertyNamesComeFromAllOpinions) {
  ComposedScene scene({{"root", R"((subLayers = [@sub@])
def "P" (references = @r@</R>; inherits = </Gone>) {
  int z
  int a
}
)"},
                       {"sub", "over \"P\" {\n int m\n}\n"},
                       {"r", "def \"R\" {\n int z\n rel y\n}\n"}});
  EXPECT_EQ(Properties(scene, "/P"), "z y m a ");
}

TEST(ChildNamesTest, NodesWithoutOpinionsBelowAreCulled) {
  const Texts texts = {
      {"root", R"(
def "P" (references = [@r@</R>, @r@</S>]; inherits = </C>; specializes = </T>) {
  over "X" {}
}
class "C" {}
class "T" {}
)"},
      {"r", "def \"R\" {\n def \"X\" {}\n}\ndef \"S\" (inherits = </C>) {}\nclass \"C\" {}\n"}};
  ComposedScene scene(texts);
  EXPECT_EQ(scene.Dump("/P/X"),
            "root root /P/X\n    root\n"
            "  reference r /R/X ancestral [/R -> /P]\n      r\n");
}

TEST(ChildNamesTest, NodesWithValueClipsAreNotCulled) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@r@</R>, @r@</S>]) {
  over "X" {}
}
)"},
                       {"r", R"(
def "R" (clips = { dictionary default = { string primPath = "/C" } }) {}
def "S" {}
)"}});
  EXPECT_EQ(scene.Dump("/P/X"),
            "root root /P/X\n    root\n"
            "  reference r /R/X ancestral [/R -> /P]\n");
}

TEST(ChildNamesTest, OriginsOfImpliedClassesAreKept) {
  ComposedScene scene({{"root", R"(
def "P" (references = @r@</R>) {}
class "C" {
  def "X" {}
}
class "S" {
  def "X" {}
}
)"},
                       {"r", "def \"R\" (inherits = </C>; specializes = </S>) {}\n"}});
  EXPECT_EQ(scene.Dump("/P/X"),
            "root root /P/X\n"
            "  inherit root /C/X ancestral origin=3 [/ -> /, /C -> /P]\n      root\n"
            "  reference r /R/X culled ancestral [/R -> /P]\n"
            "    inherit r /C/X culled ancestral [/C -> /P]\n"
            "    specialize r /S/X culled ancestral [/S -> /P]\n"
            "  specialize root /S/X ancestral origin=4 [/ -> /, /S -> /P]\n      root\n");
}

TEST(ChildNamesTest, SubRootClassesAreNotCulled) {
  ComposedScene scene(Texts{{"root", R"(
def "P" {
  def "A" (inherits = </P/C>; references = </Q>) {
    def "X" {}
  }
  class "C" {}
}
def "Q" (inherits = </D>) {}
class "D" {}
)"}});
  EXPECT_EQ(scene.Dump("/P/A/X"),
            "root root /P/A/X\n    root\n"
            "  inherit root /P/C/X ancestral [/ -> /, /P/C -> /P/A]\n");
}

// The root's copy of "C" has no opinions about /P/X/Z and is culled there; the class that one level
// below is implied at it brings in opinions, but no children.
TEST(ChildNamesTest, ClassesOfCulledNodesBringNoChildren) {
  ComposedScene scene({{"root", R"(
def "P" (payload = @r@</P>) {}
def "D" {
  def "Z" {
    def "Z" {}
  }
}
)"},
                       {"r", R"(
def "P" {
  def "X" (specializes = </C>) {}
}
def "C" (specializes = </D>) {
  def "Z" {
    over "Y" (inherits = </D/Z>) {}
  }
}
)"}});
  EXPECT_EQ(scene.Children("/P/X/Z"), "Z Y ");
  EXPECT_EQ(scene.Stack("/P/X/Z/Y"), "root/D/Z r/C/Z/Y");
  EXPECT_EQ(scene.Children("/P/X/Z/Y"), "");
}

// The parent and the origin of a kept node are kept with it, and so are their origins.
TEST(ChildNamesTest, OriginsOfKeptParentsAreKept) {
  ComposedScene scene({{"root", R"(
over "C" {
  def "X" (references = @r@</A/Y>) {}
}
)"},
                       {"r", "over \"A\" (references = @s@</A>) {}\n"},
                       {"s", R"(
def "A" (specializes = </C>) {}
def "C" {
  def "Y" (inherits = </A>) {}
}
)"}});
  const PrimIndexRef ref = scene.Compose("/C/X/Y");
  for (const PrimIndexNode& node : ref.index->nodes().subspan(1)) {
    EXPECT_GE(node.origin, 0) << node.path.ToString();
  }
  EXPECT_EQ(scene.Stack("/C/X/Y"), "s/C/Y s/A");
}

}  // namespace
}  // namespace stagedoor

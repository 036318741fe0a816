// Prims with so many arcs that nodes are found through a SiteIndex.
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

constexpr int kMany = 100;

// Prims </C0> to </C99>, each with a reference to the next one; the last one's is to `end`.
std::string Chain(const std::string& end) {
  std::string text;
  for (int i = 0; i < kMany; ++i) {
    const std::string next = i + 1 < kMany ? "/C" + std::to_string(i + 1) : end;
    text += "def \"C" + std::to_string(i) + "\" (references = <" + next + ">) {}\n";
  }
  return text;
}

size_t SpecsOf(ComposedScene& scene, const std::string& path) {
  return scene.Compose(path).index->prim_stack().size();
}

TEST(LongWaysTest, ReturningToAPrimOfTheChainIsACycle) {
  for (const char* end : {"/C0", "/C50", "/P", "/P/X", "/P/X/Y"}) {
    ComposedScene scene(Texts{{"root", Chain(end) + R"(
def "P" {
  def "X" (references = </C0>) {
    def "Y" {}
  }
}
)"}});
    EXPECT_EQ(scene.Errors("/P/X"), "ArcCycle ") << end;
    EXPECT_EQ(SpecsOf(scene, "/P/X"), 101u) << end;
  }
}

TEST(LongWaysTest, EndingElsewhereIsNotACycle) {
  for (const char* end : {"/Q", "/P/Z"}) {
    ComposedScene scene(Texts{{"root", Chain(end) + R"(
def "P" {
  def "X" (references = </C0>) {}
  def "Z" {}
}
def "Q" {}
)"}});
    EXPECT_EQ(scene.Errors("/P/X"), "") << end;
    EXPECT_EQ(SpecsOf(scene, "/P/X"), 102u) << end;
  }
}

TEST(LongWaysTest, EndingAtADistantAncestorIsACycle) {
  std::string text = Chain("/D"), path = "/D";
  text += "def \"D\" {\n";
  for (int i = 0; i < 40; ++i) {
    text += std::string("def \"X\"") + (i == 39 ? " (references = </C0>)" : "") + " {\n";
    path += "/X";
  }
  for (int i = 0; i < 41; ++i) text += "}\n";
  ComposedScene scene(Texts{{"root", text}});
  EXPECT_EQ(scene.Errors(path), "ArcCycle ");
  EXPECT_EQ(SpecsOf(scene, path), 101u);
}

TEST(LongWaysTest, ManyArcsToOneClassBringItOnce) {
  std::string classes, text = "class \"D\" {}\n";
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "C" + std::to_string(i);
    text += "class \"" + name + "\" (inherits = </D>) {}\n";
    classes += (i == 0 ? "</" : ", </") + name + ">";
  }
  text += "def \"P\" (inherits = [" + classes + "]) {}\n";
  ComposedScene scene(Texts{{"root", text}});
  EXPECT_EQ(scene.Stack("/P").substr(0, 29), "root/P root/C0 root/D root/C1");
  EXPECT_EQ(SpecsOf(scene, "/P"), 102u);
}

TEST(LongWaysTest, ManyReferencesKeepTheirOrder) {
  std::string references, text = "def \"R\" {}\n", expected = "root/P";
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "C" + std::to_string(i);
    text += "def \"" + name + "\" {}\n";
    references += (i == 0 ? "</" : ", </") + name + ">";
    expected += " root/" + name;
  }
  text += "def \"P\" (references = [" + references + "]) {}\n";
  ComposedScene scene(Texts{{"root", text}});
  EXPECT_EQ(scene.Stack("/P"), expected);
}

}  // namespace
}  // namespace stagedoor

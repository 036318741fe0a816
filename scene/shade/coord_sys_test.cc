#include "scene/shade/coord_sys.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class CoordSysTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  std::string Bindings(std::string_view path) {
    CoordSysBindings bindings(scene_.context());
    const auto* found = bindings.Find(stage_->FindPrim(P(path)));
    if (found == nullptr) return "none";
    std::string text;
    for (const CoordSysBinding& binding : *found) {
      text += Concat(binding.name.text(), " ", binding.relationship.ToString(), " ",
                     binding.target.ToString(), "\n");
    }
    return text;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

constexpr std::string_view kScene = R"(
def "A" (
  prepend apiSchemas = ["CoordSysAPI:model", "CoordSysAPI:paint", "CoordSysAPI:multi:x"]
) {
  rel coordSys:model:binding = </World>
  rel coordSys:paint:binding = [</P>, </Q>]
  rel coordSys:multi:x:binding = </X>
  rel coordSys:unapplied:binding = </U>
  def "B" (
    prepend apiSchemas = ["CoordSysAPI:model", "CoordSysAPI:paint"]
  ) {
    rel coordSys:model:binding = </Inner>
    rel coordSys:paint:binding
    def "C" (
      prepend apiSchemas = ["CoordSysAPI:forwarded", "CoordSysAPI:empty"]
    ) {
      rel coordSys:forwarded:binding = </A.coordSys:paint:binding>
      rel coordSys:empty:binding = []
      rel coordSys:model:binding = </Unapplied>
      def "D" {
      }
    }
  }
}
def "Apart" {
}
)";

TEST_F(CoordSysTest, AppliedInstancesBindInOrder) {
  Open(kScene);
  EXPECT_EQ(Bindings("/A"),
            "model /A.coordSys:model:binding /World\n"
            "paint /A.coordSys:paint:binding /P\n"
            "multi:x /A.coordSys:multi:x:binding /X\n");
  EXPECT_EQ(Bindings("/Apart"), "none");
}

TEST_F(CoordSysTest, BindingsAreInheritedByName) {
  Open(kScene);
  EXPECT_EQ(Bindings("/A/B"),
            "model /A/B.coordSys:model:binding /Inner\n"
            "paint /A.coordSys:paint:binding /P\n"
            "multi:x /A.coordSys:multi:x:binding /X\n");
  EXPECT_EQ(Bindings("/A/B/C"),
            "forwarded /A/B/C.coordSys:forwarded:binding /P\n"
            "model /A/B.coordSys:model:binding /Inner\n"
            "paint /A.coordSys:paint:binding /P\n"
            "multi:x /A.coordSys:multi:x:binding /X\n");
}

TEST_F(CoordSysTest, PrimsWithoutBindingsShareThoseAbove) {
  Open(kScene);
  CoordSysBindings bindings(scene_.context());
  const auto* found = bindings.Find(stage_->FindPrim(P("/A/B/C/D")));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found, bindings.Find(stage_->FindPrim(P("/A/B/C"))));
  EXPECT_NE(found, bindings.Find(stage_->FindPrim(P("/A/B"))));
}

}  // namespace
}  // namespace stagedoor

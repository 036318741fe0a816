#include "scene/render/render_pass.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

using Texts = std::vector<std::string>;

class RenderPassTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  uint8_t Membership(std::string_view pass, std::string_view prim) {
    return RenderPassMembership(scene_.context(), stage_->FindPrim(P(pass))).Find(P(prim));
  }
  static Texts PathTexts(const std::vector<Path>& paths) {
    Texts texts;
    for (const Path path : paths) texts.push_back(path.ToString());
    return texts;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(RenderPassTest, PassesSayWhatToRun) {
  scene_.Write("nuke.usda", "def \"N\" {\n}\n");
  Open(R"(
def RenderPass "Beauty" {
  token passType = "prman"
  string[] command = ["prman", "{fileName}"]
  asset fileName = @./nuke.usda@
  rel renderSource = </Write.more>
  rel inputPasses = [</Shadows>, </Gone>]
}
def "Write" {
  rel more = </Settings>
}
def RenderSettings "Settings" {
}
def RenderPass "Shadows" (active = false) {
}
class RenderPass "Class" {
}
)");
  const std::vector<Prim> passes = ListRenderPasses(scene_.context(), *stage_);
  ASSERT_EQ(passes.size(), 1u);
  const RenderPass pass = ReadRenderPass(scene_.context(), passes[0]);
  EXPECT_EQ(pass.type.text(), "prman");
  ASSERT_EQ(pass.command.size(), 2u);
  EXPECT_EQ(pass.command[1], "{fileName}");
  EXPECT_EQ(pass.file_name.resolved, "/nuke.usda");
  EXPECT_EQ(PathTexts(pass.sources), Texts{"/Settings"});
  EXPECT_EQ(PathTexts(pass.inputs), (Texts{"/Shadows", "/Gone"}));
}

TEST_F(RenderPassTest, CollectionsHaveBits) {
  Open(R"(
def RenderPass "Plain" {
}
def RenderPass "Beauty" {
  rel collection:renderVisibility:excludes = </A/Hidden>
  bool collection:cameraVisibility:includeRoot = false
  rel collection:cameraVisibility:includes = </A/Seen>
  rel collection:prune:includes = </A/Gone>
  pathExpression collection:matte:membershipExpression = "//{isa:Mesh}"
}
def "A" {
  def "Hidden" {
  }
  def "Seen" {
  }
  def "Gone" {
  }
  def Mesh "M" {
  }
}
)");
  EXPECT_EQ(Membership("/Plain", "/A"), 1 + 2) << "what is not excluded is visible";
  EXPECT_EQ(Membership("/Beauty", "/A"), 1);
  EXPECT_EQ(Membership("/Beauty", "/A/Hidden"), 0);
  EXPECT_EQ(Membership("/Beauty", "/A/Seen"), 1 + 2);
  EXPECT_EQ(Membership("/Beauty", "/A/Gone"), 1 + 4);
  EXPECT_EQ(Membership("/Beauty", "/A/M"), 1 + 8);
}

TEST_F(RenderPassTest, MembershipsOfInstanceProxiesNeedNoPaths) {
  Open(R"(
def RenderPass "Beauty" {
  bool collection:cameraVisibility:includeRoot = false
  rel collection:cameraVisibility:includes = [</A>, </B/Part/Unseen>]
}
def Xform "Model" {
  def Xform "Part" {
    def Mesh "Unseen" {
    }
    def Mesh "Far" {
    }
  }
}
def Xform "A" (
  instanceable = true
  references = </Model>
) {
}
def Xform "B" (
  instanceable = true
  references = </Model>
) {
}
)");
  RenderPassMembership members(scene_.context(), stage_->FindPrim(P("/Beauty")));
  const auto find = [&](std::string_view path) { return members.Find(stage_->FindPrim(path)); };
  EXPECT_EQ(find("/A/Part"), 1 + 2);
  const size_t paths = PathStats().count;
  EXPECT_EQ(find("/A/Part/Far"), 1 + 2);
  EXPECT_EQ(PathStats().count, paths) << "no path was created";
  EXPECT_EQ(find("/B/Part"), 1);
  EXPECT_EQ(find("/B/Part/Unseen"), 1 + 2) << "it has a rule";
  EXPECT_EQ(find("/B/Part/Far"), 1);
}

}  // namespace
}  // namespace stagedoor

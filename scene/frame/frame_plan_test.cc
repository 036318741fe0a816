// Which prims a frame draws, where and when.
#include "scene/frame/frame_plan.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scene/frame/testing/frame_fixture.h"

namespace stagedoor {
namespace {

class FramePlanTest : public FrameTest {};

TEST_F(FramePlanTest, DrawsGprimsInStageOrder) {
  Plan(R"(
def Mesh "M" {
  def GeomSubset "S" {}
}
def Xform "A" {
  def Sphere "Ball" {
    def Points "Below" {}
  }
  def Camera "C" {}
  def SphereLight "L" {}
  def Cube "Off" (active = false) {}
  class Cube "Class" {}
  over Cube "Over" {}
  def Volume "V" {}
  def "Untyped" {}
}
def BasisCurves "B" {}
)");
  EXPECT_EQ(Rows(), "/M /A/Ball /A/Ball/Below /A/V /B");
}

TEST_F(FramePlanTest, DrawsInstanceProxies) {
  Plan(R"(
class "Model" {
  def Mesh "M" {}
  def Xform "Inner" (
    instanceable = true
    inherits = </Part>
  ) {}
}
class "Part" {
  def Cube "C" {}
}
def Xform "A" (
  instanceable = true
  inherits = </Model>
) {}
def Xform "B" (
  instanceable = true
  inherits = </Model>
) {}
)");
  EXPECT_EQ(Rows(), "/A/M /A/Inner/C /B/M /B/Inner/C");
}

TEST_F(FramePlanTest, PurposesAreInherited) {
  const std::string_view text = R"(
def Xform "A" {
  uniform token purpose = "render"
  def Mesh "M" {}
  def Mesh "P" {
    uniform token purpose = "proxy"
  }
}
def Mesh "D" {}
def Mesh "G" {
  uniform token purpose = "guide"
}
)";
  Plan(text);
  EXPECT_EQ(Rows(), "/A/M /D");
  EXPECT_EQ(Row("/A/M").purpose, Token("render"));
  EXPECT_EQ(Row("/D").purpose, Token("default"));
  selection_.purposes = {Token("guide"), Token("proxy")};
  Plan();
  EXPECT_EQ(Rows(), "/A/P /G");
}

TEST_F(FramePlanTest, TypesAreSelectedWithThoseDerivedFromThem) {
  Open("def Mesh \"M\" {}\ndef Cube \"C\" {}\ndef Points \"P\" {}\n");
  selection_.types = {Token("PointBased"), Token("Sphere")};
  Plan();
  EXPECT_EQ(Rows(), "/M /P");
  selection_.types = {Token("NoSuchType")};
  Plan();
  EXPECT_EQ(Rows(), "");
}

constexpr std::string_view kTree = R"(
def Xform "A" {
  def Xform "B" {
    def Mesh "M" {}
    def Mesh "N" {}
  }
  def Mesh "O" {}
}
def Xform "C" {
  def Mesh "P" {}
}
)";

TEST_F(FramePlanTest, RootsAreWalkedOnceAndInStageOrder) {
  Open(kTree);
  selection_.roots = FindAll({"/C", "/A/B/N", "/A/B", "/C", "/A/B/M"});
  Plan();
  EXPECT_EQ(Rows(), "/A/B/M /A/B/N /C/P");
}

TEST_F(FramePlanTest, ExcludedSubtreesAreLeftOut) {
  Open(kTree);
  selection_.excluded = FindAll({"/A/B", "/C/P"});
  Plan();
  EXPECT_EQ(Rows(), "/A/O");
  selection_.roots = FindAll({"/A/B/M", "/C"});
  Plan();
  EXPECT_EQ(Rows(), "") << "roots below excluded prims too";
}

TEST_F(FramePlanTest, RootsHaveWhatIsAboveThem) {
  Open(R"(
def Xform "A" {
  uniform token purpose = "render"
  double xformOp:translateX.timeSamples = { 0: 0, 1: 1 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  token visibility = "invisible"
  def Xform "B" {
    def Mesh "M" {}
  }
}
)");
  selection_.roots = FindAll({"/A/B"});
  Plan();
  EXPECT_EQ(Row("/A/B/M").purpose, Token("render"));
  EXPECT_TRUE(Row("/A/B/M").moves);
  EXPECT_FALSE(Row("/A/B/M").visible);
  const FrameId id = Row("/A/B/M").id;
  selection_.roots = {stage_->PseudoRoot()};
  Plan();
  EXPECT_EQ(Row("/A/B/M").id, id) << "whatever the roots are";
}

// ---- Draw modes

TEST_F(FramePlanTest, ModelsWithADrawModeStandInForTheirDescendants) {
  Plan(R"(
def Xform "Set" (kind = "group") {
  uniform token model:drawMode = "cards"
  def Xform "Model" (kind = "component") {
    def Mesh "M" {}
  }
  def Xform "Drawn" (kind = "component") {
    uniform token model:drawMode = "default"
    def Mesh "M" {}
  }
  def Xform "Group" (kind = "group") {
    uniform bool model:applyDrawMode = true
    uniform token model:drawMode = "origin"
    def Mesh "M" {}
  }
  def Xform "Odd" (kind = "component") {
    uniform token model:drawMode = "odd"
    def Mesh "M" {}
  }
  def Mesh "Loose" {}
}
)");
  EXPECT_EQ(Rows(), "/Set/Model /Set/Drawn/M /Set/Group /Set/Odd/M /Set/Loose");
  EXPECT_EQ(Row("/Set/Model").draw_mode, Token("cards"));
  EXPECT_EQ(Row("/Set/Group").draw_mode, Token("origin"));
  EXPECT_TRUE(Row("/Set/Loose").draw_mode.empty());
  EXPECT_TRUE(GeometryOf("/Set/Model").is_stand_in);
  EXPECT_FALSE(GeometryOf("/Set/Loose").is_stand_in);
}

TEST_F(FramePlanTest, StandInsAreFilteredAsOthersAre) {
  const std::string_view text = R"(
def Xform "Model" (kind = "component") {
  uniform token model:drawMode = "bounds"
  uniform token purpose = "guide"
  def Mesh "M" {
    uniform token purpose = "default"
  }
}
)";
  Plan(text);
  EXPECT_EQ(Rows(), "") << "what a stand-in hides is hidden anyway";
  selection_.purposes = {Token("guide")};
  selection_.types = {Token("Mesh")};
  Plan();
  EXPECT_EQ(Rows(), "");
}

// ---- Point instancers

constexpr std::string_view kInstancer = R"(
def Xform "World" {
  def PointInstancer "I" {
    rel prototypes = [</World/I/Protos/Tree>, </Gone>, </Rock>]
    def Scope "Protos" {
      def Xform "Tree" {
        double xformOp:translateX.timeSamples = { 0: 0, 1: 1 }
        uniform token[] xformOpOrder = ["xformOp:translateX"]
        def Mesh "Leaf" {}
      }
    }
  }
}
def Mesh "Rock" {}
)";

TEST_F(FramePlanTest, PrototypesAreDrawnByTheirInstancersOnly) {
  Plan(kInstancer);
  EXPECT_EQ(Rows(), "/World/I /Rock /World/I/Protos/Tree/Leaf@/World/I/Protos/Tree /Rock@/Rock");
  ASSERT_EQ(plan_->prototypes.size(), 2u);
  EXPECT_EQ(GeometryOf("/World/I").prototypes, (std::vector<uint32_t>{0, kNoIndex, 1}));
  EXPECT_TRUE(GeometryOf("/World/I").is_instancer);
}

TEST_F(FramePlanTest, PartsOfPrototypesHaveIdsOfTheirOwn) {
  Plan(kInstancer);
  EXPECT_NE(Row("/Rock").id, Row("/Rock@/Rock").id);
  EXPECT_EQ(plan_->prototypes[1].id, Row("/Rock@/Rock").id) << "the root itself is drawn";
  EXPECT_EQ(Row("/Rock").geometry, Row("/Rock@/Rock").geometry);
  const FrameId leaf = Row("/World/I/Protos/Tree/Leaf@/World/I/Protos/Tree").id;
  EXPECT_NE(leaf, plan_->prototypes[0].id);
  std::set<FrameId> ids;
  for (const FramePrim& row : plan_->prims) ids.insert(row.id);
  for (const FrameGeometry& geometry : plan_->geometry) ids.insert(geometry.id);
  EXPECT_EQ(ids.size(), plan_->prims.size() + plan_->geometry.size());
  selection_.roots = FindAll({"/World/I/Protos"});
  Plan();
  EXPECT_NE(Row("/World/I/Protos/Tree/Leaf").id, leaf) << "also if only one of them is drawn";
}

TEST_F(FramePlanTest, PrototypesMayBeOvers) {
  Plan(R"(
def PointInstancer "I" {
  rel prototypes = [</Overs/Tree>, </Class/Tree>, </Off>]
}
over "Overs" {
  def Xform "Tree" {
    def Mesh "Leaf" {
      def GeomSubset "S" {}
    }
  }
}
class "Class" {
  def Mesh "Tree" {}
}
def Mesh "Off" (active = false) {}
)");
  EXPECT_EQ(Rows(), "/I /Overs/Tree/Leaf@/Overs/Tree");
  EXPECT_EQ(GeometryOf("/I").prototypes, (std::vector<uint32_t>{0, kNoIndex, kNoIndex}));
  EXPECT_EQ(plan_->subsets.size(), 1u);
}

TEST_F(FramePlanTest, ExcludedPrototypesAreNotDrawn) {
  Open(kInstancer);
  selection_.excluded = FindAll({"/World/I/Protos", "/Rock"});
  Plan();
  EXPECT_EQ(Rows(), "/World/I");
  EXPECT_EQ(GeometryOf("/World/I").prototypes,
            (std::vector<uint32_t>{kNoIndex, kNoIndex, kNoIndex}));
}

TEST_F(FramePlanTest, ARootBelowAnInstancerIsDrawn) {
  Open(kInstancer);
  selection_.roots = FindAll({"/World/I/Protos"});
  Plan();
  EXPECT_EQ(Rows(), "/World/I/Protos/Tree/Leaf");
}

TEST_F(FramePlanTest, InstancersMayNestAndShare) {
  Plan(R"(
def PointInstancer "I" {
  rel prototypes = [</I/Branch>]
  def Xform "Branch" {
    def PointInstancer "Leaves" {
      rel prototypes = [</I/Branch/Leaves/Leaf>]
      def Mesh "Leaf" {}
    }
  }
}
def PointInstancer "J" {
  rel prototypes = [</I/Branch>, </I/Branch/Leaves/Leaf>]
}
)");
  EXPECT_EQ(Rows(), "/I /J /I/Branch/Leaves@/I/Branch /I/Branch/Leaves/Leaf@/I/Branch/Leaves/Leaf");
  EXPECT_EQ(GeometryOf("/I").prototypes, (std::vector<uint32_t>{0}));
  EXPECT_EQ(GeometryOf("/J").prototypes, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(GeometryOf("/I/Branch/Leaves@/I/Branch").prototypes, (std::vector<uint32_t>{1}));
}

TEST_F(FramePlanTest, PrototypesDoNotContainThemselves) {
  Plan(R"(
def PointInstancer "I" {
  rel prototypes = [</P>]
}
def Xform "P" {
  def PointInstancer "J" {
    rel prototypes = [</Q>]
  }
}
def Xform "Q" {
  def PointInstancer "K" {
    rel prototypes = [</P>, </Q>, </R>]
  }
}
def Mesh "R" {}
)");
  EXPECT_EQ(GeometryOf("/I").prototypes, (std::vector<uint32_t>{0}));
  EXPECT_EQ(GeometryOf("/P/J@/P").prototypes, (std::vector<uint32_t>{1}));
  EXPECT_EQ(GeometryOf("/Q/K@/Q").prototypes, (std::vector<uint32_t>{kNoIndex, kNoIndex, 2}));
}

// ---- Transforms and visibility

TEST_F(FramePlanTest, PrimsMoveWithTheirAncestors) {
  Plan(R"(
def Xform "A" {
  double xformOp:translateX.timeSamples = { 0: 0, 1: 1 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Mesh "M" {}
  def Scope "S" {
    def Mesh "M" {}
  }
  def Mesh "Resets" {
    uniform token[] xformOpOrder = ["!resetXformStack!"]
  }
}
def Mesh "Once" {
  double xformOp:translateX.timeSamples = { 0: 3 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
def Mesh "Spline" {
  double xformOp:translateX.spline = { 0: 1; post linear, 1: 2 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
}
)");
  std::string moving;
  for (const uint32_t row : plan_->moving_prims) moving += NameOf(plan_->prims[row]) + " ";
  EXPECT_EQ(moving, "/A/M /A/S/M /Spline ");
}

TEST_F(FramePlanTest, PartsOfPrototypesMoveAgainstTheRootOnly) {
  Plan(kInstancer);
  EXPECT_FALSE(Row("/World/I/Protos/Tree/Leaf@/World/I/Protos/Tree").moves);
  EXPECT_TRUE(GeometryOf("/World/I").instances_vary) << "the root moves with the instances";
}

TEST_F(FramePlanTest, InvisibleAncestorsHidePrims) {
  Plan(R"(
def Xform "Hidden" {
  token visibility = "invisible"
  def Mesh "M" {
    token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
  }
}
def Xform "Blinks" {
  token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
  def Mesh "M" {}
}
def Mesh "Once" {
  token visibility.timeSamples = { 0: "invisible" }
}
def Mesh "Seen" {
  token visibility = "inherited"
}
)");
  EXPECT_FALSE(Row("/Hidden/M").visible);
  EXPECT_FALSE(Row("/Hidden/M").blinks) << "invisible at all times";
  EXPECT_TRUE(Row("/Blinks/M").blinks);
  EXPECT_TRUE(Row("/Once").blinks) << "it is visible at default time";
  EXPECT_FALSE(Row("/Seen").blinks);
  EXPECT_TRUE(Row("/Seen").visible);
  EXPECT_EQ(plan_->blinking_prims, (std::vector<uint32_t>{1, 2}));
}

TEST_F(FramePlanTest, PrototypesAreVisibleWhereverTheyAre) {
  Plan(R"(
def PointInstancer "I" {
  rel prototypes = [</Protos/Seen>, </Protos/Hidden>]
}
def Scope "Protos" {
  token visibility = "invisible"
  def Xform "Seen" {
    def Mesh "M" {}
  }
  def Mesh "Hidden" {
    token visibility = "invisible"
  }
}
)");
  EXPECT_TRUE(Row("/Protos/Seen/M@/Protos/Seen").visible);
  EXPECT_FALSE(Row("/Protos/Hidden@/Protos/Hidden").visible);
  EXPECT_FALSE(Row("/Protos/Seen/M").visible);
}

// ---- Limits

TEST_F(FramePlanTest, MemoryIsReserved) {
  Plan(kTree);
  EXPECT_EQ(plan_->reserved.bytes(), plan_->byte_size());
  EXPECT_GT(plan_->byte_size(), plan_->prims.size() * sizeof(FramePrim));
  RequestContext small(RequestContext::Clock::time_point::max(),
                       {.max_bytes = plan_->byte_size() - 1});
  EXPECT_EQ(MakeFramePlan(small, *stage_, selection_).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(FramePlanTest, StopsWithTheRequest) {
  Open(kTree);
  RequestContext over;
  over.Cancel();
  EXPECT_EQ(MakeFramePlan(over, *stage_, selection_).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(FramePlanTest, InstanceProxiesAreLimited) {
  scene_.mutable_environment().max_proxies = 100;
  std::string text = "class \"L0\" {\ndef Mesh \"M\" {}\n}\n";
  for (int level = 1; level < 8; ++level) {
    text += Concat("class \"L", level, "\" {\n");
    for (const char* name : {"a", "b", "c"}) {
      text += Concat("def Xform \"", name, "\" (\ninstanceable = true\ninherits = </L", level - 1,
                     ">\n) {}\n");
    }
    text += "}\n";
  }
  text += "def Xform \"World\" (inherits = </L7>) {}\n";
  Open(text);
  EXPECT_EQ(MakeFramePlan(context(), *stage_, selection_).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(FramePlanTest, PlansAreTheSameEachTime) {
  Plan(kInstancer);
  const auto first = plan_;
  Plan();
  ASSERT_EQ(first->prims.size(), plan_->prims.size());
  for (size_t i = 0; i < first->prims.size(); ++i) {
    EXPECT_EQ(first->prims[i].id, plan_->prims[i].id);
  }
  ASSERT_EQ(first->geometry.size(), plan_->geometry.size());
  for (size_t i = 0; i < first->geometry.size(); ++i) {
    EXPECT_EQ(first->geometry[i].id, plan_->geometry[i].id);
  }
}

}  // namespace
}  // namespace stagedoor

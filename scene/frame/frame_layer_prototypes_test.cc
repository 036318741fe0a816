#include <string>
#include <vector>

#include "scene/frame/testing/frame_layer_fixture.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/point_instancer.h"

namespace stagedoor {
namespace {

class FrameLayerPrototypesTest : public FrameLayerTest {
 protected:
  // The rows of the layer's own frame, in order, with the prototypes that they are parts of.
  std::string FlatRows() {
    FrameSelection all = selection_;
    all.roots = {flat_->PseudoRoot()};
    all.excluded.clear();
    const auto plan = MakeFramePlan(context(), *flat_, all);
    EXPECT_TRUE(plan.ok()) << plan.status();
    std::vector<std::string> names;
    for (const FramePrim& row : (*plan)->prims) {
      names.push_back(row.prim.PathText());
      if (row.prototype == kNoIndex) continue;
      names.back() += "@" + (*plan)->prototypes[row.prototype].prim.PathText();
    }
    return Join(names, " ");
  }
};

TEST_F(FrameLayerPrototypesTest, InstancersKeepTheirPrototypes) {
  Make(R"(
def PointInstancer "I" (
  prepend inactiveIds = [8]
) {
  rel prototypes = [</I/P>, </I/Q>]
  int[] protoIndices = [0, 1, 0]
  int64[] ids = [7, 8, 9]
  int64[] invisibleIds.timeSamples = { 0: [], 1: [9] }
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 2: [(0, 2, 0), (1, 2, 0), (2, 2, 0)] }
  quath[] orientations = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)]
  double xformOp:translateX = 5
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Xform "P" {
    double xformOp:translateY = 6
    uniform token[] xformOpOrder = ["xformOp:translateY"]
    def Xform "Group" {
      double xformOp:translateZ = 7
      uniform token[] xformOpOrder = ["xformOp:translateZ"]
      def Cube "C" {}
    }
  }
  def Sphere "Q" {
    double xformOp:scaleX = 8
    uniform token[] xformOpOrder = ["xformOp:scaleX"]
  }
}
)",
       TimeCode::At(1));
  EXPECT_EQ(Targets("/I", "prototypes"), "/I/P /I/Q");
  EXPECT_EQ(FlatValue("/I", "positions"), "[(0, 1, 0), (1, 1, 0), (2, 1, 0)]");
  EXPECT_EQ(FlatValue("/I", "invisibleIds"), "[9]");
  EXPECT_EQ(FlatValue("/I/P", "xformOpOrder"), "[\"xformOp:transform\"]") << "its own transform";
  const auto transforms = [&](const Prim& instancer) {
    const auto found =
        ComputeInstanceTransforms(context(), instancer, TimeCode::At(1), TimeCode::At(1));
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->transforms : std::vector<Matrix4d>();
  };
  EXPECT_EQ(transforms(Find("/I")).size(), 1u) << "one is invisible, one inactive";
  EXPECT_EQ(transforms(Flat("/I")), transforms(Find("/I")));
  XformCache cache(TimeCode::At(1));
  const Matrix4d group = cache.Local(context(), Flat("/I/P/Group"));
  EXPECT_EQ(group.m[3][2], 7);
  EXPECT_TRUE(IsInPlace("/I", 1));
}

TEST_F(FrameLayerPrototypesTest, RatesOfChangeBecomePositions) {
  Make(R"((
  timeCodesPerSecond = 1
)
def PointInstancer "I" {
  rel prototypes = </I/P>
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 1: [(0, 0, 0)], 2: [(9, 9, 9)] }
  vector3f[] velocities.timeSamples = { 1: [(4, 0, 0)], 2: [(0, 0, 0)] }
  def Cube "P" {}
}
def Points "Dust" {
  point3f[] points.timeSamples = { 1: [(0, 0, 0)], 2: [(9, 9, 9)] }
  vector3f[] velocities.timeSamples = { 1: [(0, 4, 0)], 2: [(0, 0, 0)] }
}
)",
       TimeCode::At(1), kShutter);
  EXPECT_EQ(SampleTimes("/I", "positions"), (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(FlatValue("/I", "positions", TimeCode::At(1.5)), "[(2, 0, 0)]");
  EXPECT_EQ(FlatValue("/I", "velocities"), "-");
  EXPECT_EQ(FlatValue("/Dust", "points", TimeCode::At(0.5)), "[(0, -2, 0)]");
}

TEST_F(FrameLayerPrototypesTest, PrototypesThatAreAlsoDrawnStayInTheirPlace) {
  Make(R"(
def Xform "Where" {
  double xformOp:translateX = 5
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Scope "Library" {
    def Xform "P" {
      double xformOp:translateY = 6
      uniform token[] xformOpOrder = ["xformOp:translateY"]
      def Cube "C" {
        double xformOp:translateZ = 7
        uniform token[] xformOpOrder = ["xformOp:translateZ"]
      }
    }
  }
}
def PointInstancer "I" {
  rel prototypes = </Where/Library/P>
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
}
)",
       TimeCode::At(1));
  EXPECT_TRUE(IsInPlace("/Where/Library/P/C", 1));
  XformCache cache(TimeCode::At(1));
  EXPECT_EQ(cache.Local(context(), Flat("/Where/Library/P")).m[3][1], 6);
}

const char* const kLibrary = R"(
def Scope "Library" {
  def Xform "P" {
    double xformOp:translateY = 6
    uniform token[] xformOpOrder = ["xformOp:translateY"]
    def Cube "C" {}
  }
  def Sphere "Other" {}
}
def Xform "World" {
  def PointInstancer "I" {
    rel prototypes = </Library/P>
    int[] protoIndices = [0]
    point3f[] positions = [(0, 0, 0)]
  }
}
)";

TEST_F(FrameLayerPrototypesTest, PrototypesOutsideOfTheSelectionAreDrawnByInstancersOnly) {
  Open(kLibrary);
  selection_.roots = {Find("/World")};
  Make(TimeCode::At(1));
  EXPECT_EQ(Rows(), "/World/I /Library/P/C@/Library/P");
  EXPECT_EQ(FlatRows(), Rows());
  EXPECT_EQ(Flat("/Library/P").specifier(), Specifier::kOver);
  EXPECT_EQ(Flat("/Library/P/C").specifier(), Specifier::kDef);
  XformCache cache(TimeCode::At(1));
  EXPECT_EQ(cache.Local(context(), Flat("/Library/P")).m[3][1], 6);
}

TEST_F(FrameLayerPrototypesTest, RowsOfPrototypesKeepTheirPlaceInTheOrder) {
  Open(kLibrary);
  Make(TimeCode::At(1));
  EXPECT_EQ(Rows(), "/Library/P/C /Library/Other /World/I /Library/P/C@/Library/P");
  EXPECT_EQ(FlatRows(), Rows());
}

TEST_F(FrameLayerPrototypesTest, PrototypesThatAreHiddenInPlaceStayHiddenThere) {
  Make(R"(
def Scope "Library" {
  token visibility = "invisible"
  def Xform "P" {
    def Cube "C" {}
  }
}
def PointInstancer "I" {
  rel prototypes = </Library/P>
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
}
)",
       TimeCode::At(1));
  const Prim cube = Flat("/Library/P/C");
  EXPECT_EQ(ComputeVisibility(context(), cube, TimeCode::At(1)), Geom().invisible);
  for (const char* path : {"/Library/P", "/Library/P/C"}) {
    EXPECT_EQ(FlatValue(path, "visibility"), "\"inherited\"")
        << path << " of an instance is visible";
  }
  without_invisible_ = true;
  Make(TimeCode::At(1));
  EXPECT_EQ(FlatRows(), "/I /Library/P/C@/Library/P");
}

TEST_F(FrameLayerPrototypesTest, WithoutItsInstancersAPrototypeIsLeftOut) {
  Open(R"(
def PointInstancer "Hidden" {
  token visibility = "invisible"
  rel prototypes = [</Hidden/P>, </Hidden/Shared>]
  int[] protoIndices = [0, 1]
  point3f[] positions = [(0, 0, 0), (1, 0, 0)]
  def Cube "P" {}
  def PointInstancer "Shared" {
    rel prototypes = </Hidden/Shared/Inner>
    int[] protoIndices = [0]
    point3f[] positions = [(0, 0, 0)]
    def Sphere "Inner" {}
  }
}
def PointInstancer "Seen" {
  rel prototypes = </Hidden/Shared>
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
}
)");
  without_invisible_ = true;
  Make(TimeCode::At(1));
  EXPECT_FALSE(flat_->FindPrim("/Hidden/P").valid());
  EXPECT_EQ(FlatRows(),
            "/Seen /Hidden/Shared@/Hidden/Shared /Hidden/Shared/Inner@/Hidden/Shared/Inner")
      << "nothing is drawn below what was an instancer";
}

TEST_F(FrameLayerPrototypesTest, PrototypesOfWhichNothingIsDrawnAreThere) {
  Open(R"(
def PointInstancer "I" {
  rel prototypes = </I/P>
  int[] protoIndices = [0]
  point3f[] positions = [(0, 0, 0)]
  def Cube "P" {
    uniform token purpose = "guide"
    double xformOp:translateY = 6
    uniform token[] xformOpOrder = ["xformOp:translateY"]
  }
}
)");
  Make(TimeCode::At(1));
  EXPECT_EQ(FlatRows(), "/I");
  EXPECT_EQ(Flat("/I/P").type_name(), Token("Xform"));
  XformCache cache(TimeCode::At(1));
  EXPECT_EQ(cache.Local(context(), Flat("/I/P")).m[3][1], 6);
}

TEST_F(FrameLayerPrototypesTest, OversHaveTheirGeometryThemselves) {
  // A reference to a class would make an over a class.
  Open(R"(
def "Library" {
  def "A" (
    instanceable = true
    inherits = </_Model>
  ) {}
  def "B" (
    instanceable = true
    inherits = </_Model>
  ) {}
}
class "_Model" {
  def Mesh "M" {
    point3f[] points = [(1, 2, 3)]
  }
}
def PointInstancer "I" {
  rel prototypes = [</Library/A/M>, </Library/B/M>]
  int[] protoIndices = [0, 1]
  point3f[] positions = [(0, 0, 0), (1, 0, 0)]
}
)");
  selection_.roots = {Find("/I")};
  Make(TimeCode::At(1));
  EXPECT_EQ(FlatRows(), "/I /Library/A/M@/Library/A/M /Library/B/M@/Library/B/M");
  EXPECT_EQ(FlatValue("/Library/B/M", "points"), "[(1, 2, 3)]");
}

TEST_F(FrameLayerPrototypesTest, InstancersWithoutInstancesHaveTheirArrays) {
  Make(R"(
def PointInstancer "I" {
  rel prototypes = </I/P>
  int[] protoIndices = []
  point3f[] positions = []
  def Cube "P" {}
}
)",
       TimeCode::At(1));
  EXPECT_EQ(FlatValue("/I", "protoIndices"), "[]");
  EXPECT_EQ(FlatValue("/I", "positions"), "[]");
  EXPECT_EQ(FlatValue("/I", "scales"), "-");
}

}  // namespace
}  // namespace stagedoor

#include "scene/geom/instance_bounds.h"

#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/extents_hint.h"
#include "scene/geom/geom_tokens.h"
#include "scene/testing/answers_fixture.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr std::string_view kInstancer = R"(
def PointInstancer "I" {
  int[] protoIndices = [0, 1, 0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (10, 0, 0), (20, 0, 0)],
                                      2: [(0, 0, 0), (10, 0, 2), (20, 0, 0)] }
  int64[] invisibleIds = [2]
  rel prototypes = [</I/A>, </I/B>]
  def Cube "A" {
    double3 xformOp:translate = (0, 5, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Sphere "B" {
    uniform token purpose = "guide"
  }
}
)";

class InstanceBoundsTest : public AnswersTest {
 protected:
  static std::string Text(const Range3d& range) {
    if (range.empty()) return "empty";
    return Concat(range.min[0], ",", range.min[1], ",", range.min[2], " ", range.max[0], ",",
                  range.max[1], ",", range.max[2]);
  }
  // The bounds of instances at a time, or the error.
  std::vector<std::string> Bounds(double time, double base, const std::vector<uint32_t>& instances,
                                  BBoxCacheOptions options = {}) {
    if (options.purposes.empty()) options.purposes = {Geom().default_, Geom().guide};
    BBoxCache cache(TimeCode::At(time), std::move(options));
    std::vector<BBox3d> boxes(instances.size());
    const absl::Status status = ComputeInstanceBounds(scene_.context(), stage().FindPrim("/I"),
                                                      TimeCode::At(base), instances, cache, boxes);
    if (!status.ok()) return {std::string(status.message())};
    std::vector<std::string> texts;
    for (const BBox3d& box : boxes) texts.push_back(Text(box.AlignedRange()));
    return texts;
  }
  std::vector<std::string> Hint(std::string_view path) {
    BBoxCache cache(TimeCode::At(0), {});
    std::vector<std::string> texts;
    const auto corners = ComputeExtentsHint(scene_.context(), stage().FindPrim(path), cache);
    for (size_t i = 0; i + 1 < corners.size(); i += 2) {
      texts.push_back(Text({VecCast<double>(corners[i]), VecCast<double>(corners[i + 1])}));
    }
    return texts;
  }
};

using Texts = std::vector<std::string>;

TEST_F(InstanceBoundsTest, InstancesAreBoundedWhetherMaskedOrNot) {
  Write("root.usda", kInstancer);
  EXPECT_EQ(Bounds(0, 0, {2, 1, 2}), (Texts{"19,4,-1 21,6,1", "9,-1,-1 11,1,1", "19,4,-1 21,6,1"}));
  EXPECT_EQ(Bounds(1, 1, {1}), Texts{"9,-1,0 11,1,2"}) << "interpolated at the time";
}

TEST_F(InstanceBoundsTest, InstancesThatDoNotExistAreEmpty) {
  Write("root.usda", kInstancer);
  EXPECT_EQ(Bounds(0, 0, {3, 0, 4000000000}), (Texts{"empty", "-1,4,-1 1,6,1", "empty"}));
}

TEST_F(InstanceBoundsTest, PurposesAreThoseOfTheCache) {
  Write("root.usda", kInstancer);
  EXPECT_EQ(Bounds(0, 0, {0, 1}, {.purposes = {Geom().default_}}),
            (Texts{"-1,4,-1 1,6,1", "empty"}));
}

TEST_F(InstanceBoundsTest, VelocitiesAdvanceFromTheBaseTime) {
  Write("root.usda", Concat("( timeCodesPerSecond = 1 )\n", R"(
def PointInstancer "I" {
  int[] protoIndices = [0]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 2: [(50, 0, 0)] }
  vector3f[] velocities.timeSamples = { 0: [(3, 0, 0)], 2: [(4, 0, 0)] }
  rel prototypes = </I/A>
  def Cube "A" {
  }
}
)"));
  EXPECT_EQ(Bounds(2, 0, {0}), Texts{"5,-1,-1 7,1,1"});
  EXPECT_EQ(Bounds(2, 2, {0}), Texts{"49,-1,-1 51,1,1"});
}

TEST_F(InstanceBoundsTest, PrototypesAreThoseOfTheTimeOfTheBounds) {
  Write("root.usda", R"(def PointInstancer "I" {
  int[] protoIndices.timeSamples = { 0: [0, 0], 1: [1], 2: None, 3: [0, 5] }
  point3f[] positions = [(0, 0, 0), (10, 0, 0)]
  rel prototypes = [</I/A>, </I/B>]
  def Cube "A" {
  }
  def Cube "B" {
    double size = 6
  }
}
)");
  EXPECT_EQ(Bounds(1, 0, {0, 1}), (Texts{"-3,-3,-3 3,3,3", "9,-1,-1 11,1,1"}));
  EXPECT_EQ(Bounds(2, 0, {0}), Texts{"/I: protoIndices has no value at the time"});
  EXPECT_EQ(Bounds(3, 0, {0}), Texts{"/I: protoIndices contains an index without a prototype: 5"});
}

TEST_F(InstanceBoundsTest, InstancersWithoutPositionsHaveNoExtent) {
  Write("root.usda", R"(def PointInstancer "I" {
  int[] protoIndices = []
  rel prototypes = </I/A>
  def Cube "A" {
  }
}
def PointInstancer "Placed" {
  int[] protoIndices = []
  point3f[] positions = []
  rel prototypes = </I/A>
}
)");
  EXPECT_EQ(Hint("/I"), Texts{"empty"});
  EXPECT_EQ(Hint("/Placed"), Texts(4, "empty"));
}

TEST_F(InstanceBoundsTest, InconsistentInstancersAreReported) {
  Write("root.usda", R"(def PointInstancer "I" {
  int[] protoIndices = [0]
  rel prototypes = </I/A>
}
)");
  EXPECT_EQ(Bounds(0, 0, {0}), Texts{"/I: positions and protoIndices differ in length"});
}

TEST_F(InstanceBoundsTest, ExtentsHintsHaveAPairForEachPurposeUpToTheLastUsed) {
  Write("root.usda", R"(def Xform "A" {
  def Cube "C" {
  }
  def Cube "P" {
    double size = 4
    uniform token purpose = "proxy"
  }
}
def Xform "None" {
}
)");
  EXPECT_EQ(Hint("/A"), (Texts{"-1,-1,-1 1,1,1", "empty", "-2,-2,-2 2,2,2"}));
  EXPECT_EQ(Hint("/A/C"), Texts(4, "-1,-1,-1 1,1,1")) << "a boundable prim";
  EXPECT_EQ(Hint("/None"), Texts{"empty"});
}

TEST_F(InstanceBoundsTest, ABoundablePrimWithoutAComputedExtentHasAnEmptyHint) {
  Write("root.usda", R"(def Xform "A" {
  def Mesh "M" {
    float3[] extent = [(-1, -1, -1), (1, 1, 1)]
    def Cube "C" {
    }
  }
}
)");
  EXPECT_EQ(Hint("/A/M"), Texts{"empty"});
  EXPECT_EQ(Hint("/A"), Texts{"-1,-1,-1 1,1,1"}) << "the authored extent counts for others";
}

TEST_F(InstanceBoundsTest, RelativeTransformsLeadToTheOtherPrim) {
  Write("root.usda", R"(def Xform "A" {
  float xformOp:rotateZ = 90
  uniform token[] xformOpOrder = ["xformOp:rotateZ"]
  def Cube "C" {
    double3 xformOp:translate = (5, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
)");
  BBoxCache cache(TimeCode::At(0), {.purposes = {Geom().default_}});
  const auto relative = [&](std::string_view from, std::string_view to) {
    return cache.RelativeTransform(scene_.context(), stage().FindPrim(from), stage().FindPrim(to));
  };
  EXPECT_NEAR(relative("/A/C", "/A").m[3][0], 5, 1e-12) << "in the rotated space";
  EXPECT_NEAR(relative("/A/C", "/").m[3][1], 5, 1e-12);
  EXPECT_NEAR(relative("/A", "/A/C").m[3][0], -5, 1e-12);
}

}  // namespace
}  // namespace stagedoor

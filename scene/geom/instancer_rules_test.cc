// Transforms and masks of the instances of point instancers. Expected results come from OpenUSD.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/geom/point_instancer.h"
#include "scene/testing/answers_fixture.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// A point instancer I with the prototypes A, which is translated by (0, 0, 1), and B.
class InstancerRulesTest : public AnswersTest {
 protected:
  void Instancer(std::string_view attributes, std::string_view metadata = "") {
    Write("root.usda", Concat(R"(
def PointInstancer "I" ()",
                              metadata, R"() {
  rel prototypes = [</I/A>, </I/B>]
)",
                              attributes, R"(
  def Sphere "A" {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Cube "B" {}
}
)"));
  }
  // The point (1, 0, 0) transformed by each instance, to four decimal places.
  std::string Where(double time, double base) {
    return At(TimeCode::At(time), TimeCode::At(base), {});
  }
  std::string WhereByDefault() { return At(TimeCode::Default(), TimeCode::Default(), {}); }
  std::string WhereWithoutMask(double time) {
    return At(TimeCode::At(time), TimeCode::At(time), {.apply_mask = false});
  }
  std::string WhereWithoutPrototypes(double time) {
    return At(TimeCode::At(time), TimeCode::At(time), {.include_proto_transform = false});
  }
  // "101" if the second of three instances is masked; "" if none is.
  std::string Mask(double time, double instances) {
    std::string text;
    for (const bool there :
         ComputeInstanceMask(scene_.context(), stage().FindPrim("/I"), TimeCode::At(time),
                             static_cast<size_t>(instances))) {
      text += there ? '1' : '0';
    }
    return text;
  }

 private:
  std::string At(TimeCode time, TimeCode base, const InstanceOptions& options) {
    const auto instances =
        ComputeInstanceTransforms(scene_.context(), stage().FindPrim("/I"), time, base, options);
    EXPECT_TRUE(instances.ok()) << instances.status();
    if (!instances.ok()) return "error";
    std::vector<std::string> texts;
    const auto round = [](double x) { return std::round(x * 1e4) / 1e4 + 0.0; };
    for (const Matrix4d& m : instances->transforms) {
      const Vec3d at = Transform({1, 0, 0}, m);
      texts.push_back(Concat("(", round(at[0]), ", ", round(at[1]), ", ", round(at[2]), ")"));
    }
    return Join(texts, " ");
  }
};

constexpr std::string_view kThree = R"(
  int[] protoIndices = [0, 1, 0]
  point3f[] positions = [(0, 0, 0), (10, 0, 0), (20, 0, 0)]
)";

TEST_F(InstancerRulesTest, InstanceTransformsFollowPrototypeTransforms) {
  Instancer(Concat(kThree, R"(
  float3[] scales = [(2, 2, 2), (3, 3, 3), (1, 1, 1)]
  quath[] orientations = [(1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0)]
)"));
  EXPECT_EQ(Where(0, 0), "(2, 0, 2) (10.0006, 2.9994, 0) (21, 0, 1)");
  EXPECT_EQ(WhereWithoutPrototypes(0), "(2, 0, 0) (10.0006, 2.9994, 0) (21, 0, 0)");
}

TEST_F(InstancerRulesTest, ScalesAndOrientationsAreOptional) {
  Instancer(kThree);
  EXPECT_EQ(Where(0, 0), "(1, 0, 1) (11, 0, 0) (21, 0, 1)");
  EXPECT_EQ(WhereByDefault(), "(1, 0, 1) (11, 0, 0) (21, 0, 1)");
}

TEST_F(InstancerRulesTest, InvisibleIdsAreEvaluatedAtTheTime) {
  Instancer(Concat(kThree, "int64[] invisibleIds.timeSamples = { 0: [1], 5: [0, 2] }"));
  EXPECT_EQ(Where(0, 0), "(1, 0, 1) (21, 0, 1)");
  EXPECT_EQ(Where(5, 5), "(11, 0, 0)");
  EXPECT_EQ(WhereWithoutMask(0), "(1, 0, 1) (11, 0, 0) (21, 0, 1)");
  EXPECT_EQ(Mask(0, 3), "101");
  EXPECT_EQ(Mask(5, 3), "010");
}

TEST_F(InstancerRulesTest, InactiveIdsComposeAsListOps) {
  Instancer(kThree, "inactiveIds = [2]");
  EXPECT_EQ(Mask(0, 3), "110");
  Instancer(kThree, "prepend inactiveIds = [0, 1]");
  EXPECT_EQ(Mask(0, 3), "001");
  Instancer(kThree, "delete inactiveIds = [0, 1]");
  EXPECT_EQ(Mask(0, 3), "");
}

TEST_F(InstancerRulesTest, IdsIdentifyInstances) {
  Instancer(Concat(kThree, "int64[] ids = [7, 8, 9]\nint64[] invisibleIds = [8, 0]"),
            "inactiveIds = [9]");
  EXPECT_EQ(Mask(0, 3), "100");
  EXPECT_EQ(Where(0, 0), "(1, 0, 1)");
}

TEST_F(InstancerRulesTest, MaskIsEmptyIfNothingIsHidden) {
  Instancer(Concat(kThree, "int64[] invisibleIds = [77]"));
  EXPECT_EQ(Mask(0, 3), "");
}

constexpr std::string_view kMoving = R"(
  int[] protoIndices = [1, 1]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (10, 0, 0)], 24: [(0, 0, 9), (10, 0, 9)] }
)";

TEST_F(InstancerRulesTest, WithoutVelocitiesPositionsInterpolate) {
  Instancer(kMoving);
  EXPECT_EQ(Where(8, 8), "(1, 0, 3) (11, 0, 3)");
  EXPECT_EQ(Where(8, 0), "(1, 0, 3) (11, 0, 3)");
}

TEST_F(InstancerRulesTest, VelocitiesArePerSecond) {
  Instancer(Concat(kMoving, R"(
  vector3f[] velocities.timeSamples = { 0: [(24, 0, 0), (0, 48, 0)], 24: [(0, 0, 0), (0, 0, 0)] }
)"));
  EXPECT_EQ(Where(6, 6), "(7, 0, 0) (11, 12, 0)");
  EXPECT_EQ(Where(12, 0), "(13, 0, 0) (11, 24, 0)");
  EXPECT_EQ(Where(30, 24), "(1, 0, 9) (11, 0, 9)");
  EXPECT_EQ(Where(-6, 0), "(-5, 0, 0) (11, -12, 0)");
}

TEST_F(InstancerRulesTest, AccelerationsChangeVelocities) {
  Instancer(Concat(kMoving, R"(
  vector3f[] velocities.timeSamples = { 0: [(24, 0, 0), (0, 48, 0)], 24: [(0, 0, 0), (0, 0, 0)] }
  vector3f[] accelerations.timeSamples = { 0: [(0, 8, 0), (0, 0, 8)], 24: [(0, 0, 0), (0, 0, 0)] }
)"));
  EXPECT_EQ(Where(12, 0), "(13, 1, 0) (11, 24, 1)");
}

TEST_F(InstancerRulesTest, VelocitiesAtOtherTimesAreIgnored) {
  Instancer(Concat(kMoving, R"(
  vector3f[] velocities.timeSamples = { 1: [(24, 0, 0), (0, 48, 0)] }
)"));
  EXPECT_EQ(Where(8, 8), "(1, 0, 3) (11, 0, 3)");
  Instancer(Concat(kMoving, R"(
  vector3f[] velocities.timeSamples = { 0: [(24, 0, 0)], 24: [(0, 0, 0)] }
)"));
  EXPECT_EQ(Where(8, 8), "(1, 0, 3) (11, 0, 3)");
}

TEST_F(InstancerRulesTest, AngularVelocitiesAreDegreesPerSecond) {
  Instancer(R"(
  int[] protoIndices = [1]
  point3f[] positions = [(0, 0, 0)]
  quath[] orientations.timeSamples = { 0: [(1, 0, 0, 0)], 24: [(1, 0, 0, 0)] }
  vector3f[] angularVelocities.timeSamples = { 0: [(0, 0, 90)], 24: [(0, 0, 0)] }
)");
  EXPECT_EQ(Where(12, 0), "(0.7071, 0.7071, 0)");
  EXPECT_EQ(Where(24, 0), "(0, 1, 0)");
}

}  // namespace
}  // namespace stagedoor

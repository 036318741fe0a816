#include <algorithm>
#include <string>
#include <vector>

#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skel_extent.h"
#include "scene/skel/skin_walk.h"
#include "scene/skel/skinning_query.h"
#include "scene/testing/skeleton_text.h"
#include "scene/testing/test_scene.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// Two joints, the upper of which the animation rotates, and a mesh of three points.
std::string Character() {
  return std::string(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>)") +
         kTwoJoints + R"(  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations = [(0, 2, 0)]
    quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0)], 10: [(0.70710678, 0, 0, 0.70710678)] }
    half3[] scales = [(1, 1, 1)]
    uniform token[] blendShapes = ["smile"]
    float[] blendShapeWeights.timeSamples = { 0: [0], 10: [1] }
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0), (1, 3, 0)]
    normal3f[] normals = [(0, 1, 0), (0, 1, 0), (1, 0, 0)] (interpolation = "vertex")
    int[] primvars:skel:jointIndices = [0, 0, 1, 0, 1, 0] (elementSize = 2; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 0, 1, 0, 0.5, 0.5] (elementSize = 2; interpolation = "vertex")
    # MORE
  }
}
)";
}

constexpr const char* kSmile = R"(
    uniform token[] skel:blendShapes = ["smile"]
    rel skel:blendShapeTargets = </C/M/smile>
    def BlendShape "smile" {
      uniform vector3f[] offsets = [(0, 0, 4)]
      uniform int[] pointIndices = [1]
      uniform vector3f[] inbetweens:half = [(0, 0, 1)] (weight = 0.5)
    }
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string WithMore(const std::string& more) { return Replaced(Character(), "# MORE", more); }

class SkelTest : public testing::Test {
 protected:
  void Open(const std::string& text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
    ASSERT_NE(stage_, nullptr);
  }
  std::vector<SkinningTarget> Skins() {
    auto skins = SkelCache::Of(*stage_).FindBelow(scene_.context(), stage_->PseudoRoot());
    EXPECT_TRUE(skins.ok()) << skins.status();
    return skins.ok() ? *skins : std::vector<SkinningTarget>();
  }
  SkinResult Deform(std::string_view path, double time, const SkinOptions& options = {}) {
    std::vector<SkinningTarget> found;
    EXPECT_TRUE(
        SkelCache::Of(*stage_).FindAt(scene_.context(), stage_->FindPrim(P(path)), &found).ok());
    if (found.size() != 1 || !found[0].skinned) {
      ADD_FAILURE() << path << " is not skinned";
      return {};
    }
    PoseCache poses(TimeCode::At(time));
    return found[0].Deform(scene_.context(), poses, options);
  }
  static void ExpectNear(const std::optional<Array<Vec3f>>& actual,
                         const std::vector<Vec3f>& expected, const std::string& what) {
    ASSERT_TRUE(actual.has_value()) << what;
    ASSERT_EQ(actual->size(), expected.size()) << what;
    for (size_t i = 0; i < expected.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR((*actual)[i][c], expected[i][c], 1e-5) << what << " " << i << " " << c;
      }
    }
  }
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

// Expected values in this file come from usd-core 26.11.
TEST_F(SkelTest, PointsAndNormalsFollowTheJoints) {
  Open(Character());
  const SkinResult at_rest = Deform("/C/M", 0);
  ExpectNear(at_rest.points, {{0, 1, 0}, {0, 3, 0}, {1, 3, 0}}, "points at 0");
  const SkinResult turned = Deform("/C/M", 10);
  ExpectNear(turned.points, {{0, 1, 0}, {-1, 2, 0}, {0, 3, 0}}, "points");
  ExpectNear(turned.normals, {{0, 1, 0}, {-1, 0, 0}, {.7071068f, .7071068f, 0}}, "normals");
  EXPECT_TRUE(turned.warnings.empty());
  ASSERT_NE(turned.joints, nullptr);
  EXPECT_EQ(turned.joints->size(), 2u);
}

TEST_F(SkelTest, DualQuaternionsKeepDistances) {
  Open(WithMore("uniform token primvars:skel:skinningMethod = \"dualQuaternion\""));
  ExpectNear(Deform("/C/M", 10).points, {{0, 1, 0}, {-1, 2, 0}, {0, 3.4142137f, 0}}, "points");
}

TEST_F(SkelTest, GeomBindTransformComesFirst) {
  Open(
      WithMore("matrix4d primvars:skel:geomBindTransform = "
               "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1))"));
  ExpectNear(Deform("/C/M", 10).points, {{1, 1, 0}, {-1, 3, 0}, {.5f, 3.5f, 0}}, "points");
}

TEST_F(SkelTest, ResultsAreInThePrimsSpaceOrTheWorlds) {
  Open(
      WithMore("double3 xformOp:translate = (0, 0, 5)\n"
               "uniform token[] xformOpOrder = [\"xformOp:translate\"]"));
  ExpectNear(Deform("/C/M", 10).points, {{0, 1, -5}, {-1, 2, -5}, {0, 3, -5}}, "own space");
  SkinOptions options;
  options.world_space = true;
  ExpectNear(Deform("/C/M", 10, options).points, {{0, 1, 0}, {-1, 2, 0}, {0, 3, 0}}, "world");
}

TEST_F(SkelTest, InbetweensApplyAtTheirWeights) {
  Open(WithMore(kSmile));
  ExpectNear(Deform("/C/M", 2.5).points,
             {{0, 1, 0}, {-.38268346f, 2.9238796f, .5f}, {.77059805f, 3.1532815f, 0}}, "2.5");
  ExpectNear(Deform("/C/M", 5).points,
             {{0, 1, 0}, {-.70710677f, 2.7071068f, 1}, {.5f, 3.2071068f, 0}}, "5");
  ExpectNear(Deform("/C/M", 7.5).points,
             {{0, 1, 0}, {-.9238796f, 2.3826833f, 2.5f}, {.22940189f, 3.1532815f, 0}}, "7.5");
}

// The character with a mesh that follows the upper joint rigidly.
std::string Rigid(const std::string& character) {
  const std::string vertex = " (elementSize = 2; interpolation = \"vertex\")";
  const std::string constant = "[1] (elementSize = 1; interpolation = \"constant\")";
  return Replaced(Replaced(character, "[0, 0, 1, 0, 1, 0]" + vertex, constant),
                  "[1, 0, 1, 0, 0.5, 0.5]" + vertex, constant);
}

TEST_F(SkelTest, RigidPrimsWithAnUnknownMethodStayWhereTheyAreBound) {
  Open(Rigid(WithMore(R"(
    uniform token primvars:skel:skinningMethod = "magic"
    matrix4d primvars:skel:geomBindTransform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,7,1))
)")));
  const SkinResult result = Deform("/C/M", 10);
  ASSERT_TRUE(result.xform.has_value());
  EXPECT_EQ(result.xform->m[3][2], 7);
  EXPECT_EQ(result.xform->m[0][0], 1);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0],
            "unknown skinning method (must be classicLinear or dualQuaternion): magic");
}

TEST_F(SkelTest, PrimsWithAnUnknownMethodHaveNeitherPointsNorNormals) {
  Open(WithMore("uniform token primvars:skel:skinningMethod = \"magic\""));
  const SkinResult result = Deform("/C/M", 10);
  EXPECT_FALSE(result.points.has_value());
  EXPECT_FALSE(result.normals.has_value());
}

TEST_F(SkelTest, RigidPrimsMoveAsAWhole) {
  Open(Rigid(Character()));
  const SkinResult result = Deform("/C/M", 10);
  ExpectNear(result.points, {{0, 1, 0}, {0, 3, 0}, {1, 3, 0}}, "points stay");
  ASSERT_TRUE(result.xform.has_value());
  EXPECT_NEAR(result.xform->m[0][1], 1, 1e-6);
  EXPECT_NEAR(result.xform->m[3][0], 2, 1e-6);
  SkinOptions options;
  options.world_space = true;
  ExpectNear(Deform("/C/M", 10, options).points, {{1, 2, 0}, {-1, 2, 0}, {-1, 3, 0}}, "world");
}

TEST_F(SkelTest, BindingsAreInheritedAndMayBeReplaced) {
  Open(Character() + R"(
def SkelRoot "Two" {
  def Xform "Group" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    rel skel:skeleton = </C/Skel>
    int[] primvars:skel:jointIndices = [1] (elementSize = 1; interpolation = "constant")
    float[] primvars:skel:jointWeights = [1] (elementSize = 1; interpolation = "constant")
    def Mesh "Inherits" {
    }
    def Mesh "WithoutApi" {
      rel skel:skeleton = </Nowhere>
    }
    def Mesh "Unbound" (
      prepend apiSchemas = ["SkelBindingAPI"]
    ) {
      rel skel:skeleton = None
    }
    def Cube "Any" {
    }
  }
}
def Xform "NoRoot" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  def Mesh "Ignored" {
  }
}
)");
  std::vector<std::string> found;
  for (const SkinningTarget& skin : Skins()) {
    found.push_back(skin.prim.path().ToString() +
                    (skin.skinned->is_rigidly_deformed() ? " rigid" : ""));
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"/C/M", "/Two/Group/Inherits rigid",
                                      "/Two/Group/WithoutApi rigid", "/Two/Group/Any rigid"}));
}

TEST_F(SkelTest, TheNearestAnimationSourceAboveTheSkeletonCounts) {
  const auto source = [&](const std::string& text) -> std::string {
    Open(text);
    const auto skeleton =
        SkelCache::Of(*stage_).SkeletonOf(scene_.context(), stage_->FindPrim("/C/Skel"));
    if (!skeleton) return "no skeleton";
    return skeleton->animation() ? skeleton->animation()->prim().path().ToString() : "none";
  };
  const std::string own = "    rel skel:animationSource = </C/Anim>\n";
  EXPECT_EQ(source(Character()), "/C/Anim");
  const std::string without = Replaced(Character(), own, "");
  EXPECT_EQ(source(without), "none");
  // On the mesh the relationship means nothing, on an ancestor of the skeleton it does.
  EXPECT_EQ(source(Replaced(without, "# MORE", own)), "none");
  EXPECT_EQ(source(Replaced(without, "  rel skel:skeleton", own + "  rel skel:skeleton")),
            "/C/Anim");
  EXPECT_EQ(source(Replaced(Character(), "Source = </C/Anim>", "Source = </C/M>")), "none");
}

TEST_F(SkelTest, MalformedBindingsAreWarningsAndTheRestIsDeformed) {
  const std::string indices = "[0, 0, 1, 0, 1, 0] (elementSize = 2; interpolation = \"vertex\")";
  const std::string weights = "[1, 0, 1, 0, 0.5, 0.5] (elementSize = 2";
  const struct {
    std::string text;
    const char* warning;
    bool points;
  } cases[] = {
      {Replaced(Character(), weights, "[1, 0, 1, 0, 0.5, 0.5] (elementSize = 3"),
       "same positive elementSize", true},
      {Replaced(Character(), indices, "[0, 0] (elementSize = 2; interpolation = \"constant\")"),
       "same interpolation", true},
      {Replaced(Character(), indices,
                "[0, 0, 1, 0, 9, 0] (elementSize = 2; interpolation = \"vertex\")"),
       "out of range", false},
      {Replaced(Character(), weights, "[1, 0, 1, 0] (elementSize = 2"), "wrong size", true},
      {WithMore("uniform token primvars:skel:skinningMethod = \"magic\""),
       "unknown skinning method", false},
      {Replaced(WithMore(kSmile), "Targets = </C/M/smile>", "Targets = </C/Skel>"),
       "not a BlendShape prim", true},
      {Replaced(WithMore(kSmile), "weight = 0.5", "weight = 1"), "0 or 1", true},
      {Replaced(Character(), "bindTransforms", "custom:gone"), "no bind pose", true},
  };
  for (const auto& c : cases) {
    Open(c.text);
    const SkinResult result = Deform("/C/M", 10);
    const bool named =
        std::any_of(result.warnings.begin(), result.warnings.end(),
                    [&](const std::string& w) { return w.find(c.warning) != std::string::npos; });
    EXPECT_TRUE(named) << c.warning;
    EXPECT_EQ(result.points.has_value(), c.points) << c.warning;
  }
}

TEST_F(SkelTest, SkeletonsWithJointsBeforeTheirParentsAreInvalid) {
  Open(Replaced(Character(), "[\"a\", \"a/b\"]", "[\"a/b\", \"a\"]"));
  const auto skins = Skins();
  ASSERT_EQ(skins.size(), 1u);
  EXPECT_EQ(skins[0].skinned, nullptr);
  EXPECT_EQ(skins[0].skeleton.path().ToString(), "/C/Skel");
  EXPECT_FALSE(SkeletonQuery::Compile(scene_.context(), stage_->FindPrim("/C/Skel")).ok());
}

constexpr const char* kInstances = R"(
def Xform "Crowd" {
  def "I" (
    instanceable = true
    references = </C>
  ) {
  }
  def "J" (
    instanceable = true
    references = </C>
  ) {
    double3 xformOp:translate = (9, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
}
)";

TEST_F(SkelTest, InstancesAreSkinnedAtTheirPaths) {
  Open(Character() + kInstances);
  EXPECT_EQ(Skins().size(), 3u);
  ExpectNear(Deform("/Crowd/I/M", 10).points, {{0, 1, 0}, {-1, 2, 0}, {0, 3, 0}}, "I");
  SkinOptions options;
  options.world_space = true;
  ExpectNear(Deform("/Crowd/J/M", 10, options).points, {{9, 1, 0}, {8, 2, 0}, {9, 3, 0}}, "J");
}

// Each level has ten instances of the one before: 10^levels characters.
std::string NestedInstances(int levels) {
  std::string text = Character();
  std::string below = "C";
  for (int level = 1; level <= levels; ++level) {
    const std::string name = "L" + std::to_string(level);
    text += (level == levels ? "def Xform \"" : "class Xform \"") + name + "\" {\n";
    for (int i = 0; i < 10; ++i) {
      text += "  def \"i" + std::to_string(i) +
              "\" (\n    instanceable = true\n    references = </" + below + ">\n  ) {\n  }\n";
    }
    text += "}\n";
    below = name;
  }
  return text;
}

TEST_F(SkelTest, InstancesShareTheirSkinningQuery) {
  Open(Character() + kInstances);
  const auto skins = Skins();
  ASSERT_EQ(skins.size(), 3u);
  EXPECT_FALSE(skins[0].deforms_as_others);
  EXPECT_EQ(skins[1].skinned, skins[2].skinned);
  EXPECT_TRUE(skins[1].deforms_as_others && skins[2].deforms_as_others);
  EXPECT_EQ(skins[2].prim.PathText(), "/Crowd/J/M");
  EXPECT_EQ(skins[2].skeleton.PathText(), "/Crowd/J/Skel");
  EXPECT_EQ(skins[2].animation.PathText(), "/Crowd/J/Anim");
  PoseCache poses(TimeCode::At(10));
  const SkinOptions options;
  EXPECT_EQ(*skins[1].Deform(scene_.context(), poses, options).points,
            *skins[2].Deform(scene_.context(), poses, options).points);
}

TEST_F(SkelTest, PrimsThatResetTheTransformStackAreDeformedSeparately) {
  Open(WithMore("uniform token[] xformOpOrder = [\"!resetXformStack!\"]") + kInstances);
  const auto skins = Skins();
  ASSERT_EQ(skins.size(), 3u);
  EXPECT_EQ(skins[1].skinned, skins[2].skinned);
  EXPECT_FALSE(skins[1].deforms_as_others || skins[2].deforms_as_others);
  // The instance is 9 to the right; the mesh does not move with it.
  ExpectNear(Deform("/Crowd/J/M", 10).points, {{9, 1, 0}, {8, 2, 0}, {9, 3, 0}}, "J");
}

TEST_F(SkelTest, InstancesWithAnimationsOfTheirOwnShareNothing) {
  const std::string bound =
      Replaced(kInstances, "double3", "rel skel:animationSource = </Other>\n    double3");
  Open(Replaced(Character(), "rel skel:animationSource = </C/Anim>", "") + bound + R"(
def SkelAnimation "Other" {
  uniform token[] joints = ["a/b"]
  float3[] translations = [(0, 5, 0)]
  quatf[] rotations = [(1, 0, 0, 0)]
  half3[] scales = [(1, 1, 1)]
}
)");
  const auto skins = Skins();
  ASSERT_EQ(skins.size(), 3u);
  EXPECT_NE(skins[1].skinned, skins[2].skinned);
  EXPECT_FALSE(skins[1].animation.valid());
  EXPECT_EQ(skins[2].animation.PathText(), "/Other");
  ExpectNear(Deform("/Crowd/J/M", 10).points, {{0, 1, 0}, {0, 6, 0}, {1, 4.5, 0}}, "J");
}

TEST_F(SkelTest, SkinnedPrimsOfNestedInstancesAreWalkedOneByOne) {
  Open(NestedInstances(9));
  SkinWalk walk(*stage_, {stage_->PseudoRoot()});
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_bytes = 1 << 20});
  SkinningTarget first, skin;
  for (int i = 0; i < 5000; ++i) {
    const auto more = walk.Next(context, &skin);
    ASSERT_TRUE(more.ok() && *more) << more.status();
    if (i == 1) first = skin;
    if (i > 1) {
      EXPECT_EQ(skin.skinned, first.skinned);
    }
  }
  EXPECT_EQ(skin.prim.PathText(), skin.prim.path().ToString());
  EXPECT_EQ(stage_->FindPrim(std::string_view(skin.prim.PathText())), skin.prim);
  context.Cancel();
  absl::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = walk.Next(context, &skin).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST_F(SkelTest, WalksOverInstanceProxiesAreBounded) {
  scene_.mutable_environment().max_proxies = 1000;
  Open(NestedInstances(9));
  RequestContext context;
  const auto skins = SkelCache::Of(*stage_).FindBelow(context, stage_->PseudoRoot());
  EXPECT_EQ(skins.status().code(), absl::StatusCode::kResourceExhausted) << skins.status();
  EXPECT_TRUE(context.failed());
  EXPECT_LT(context.steps(), 5000u);
}

TEST_F(SkelTest, OneSkelRootOverManyInstancesIsBounded) {
  scene_.mutable_environment().max_proxies = 1000;
  Open(Replaced(NestedInstances(9), "def Xform \"L9\"", "def SkelRoot \"L9\""));
  RequestContext context;
  const auto skins = SkelCache::Of(*stage_).FindBelow(context, stage_->FindPrim("/L9"));
  EXPECT_EQ(skins.status().code(), absl::StatusCode::kResourceExhausted) << skins.status();
  RequestContext again;
  ComputeSkelExtent(again, stage_->FindPrim("/L9"), TimeCode::At(0));
  EXPECT_EQ(again.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(SkelTest, TheSnapshotKeepsSkinnedPrims) {
  Open(Character());
  const auto first = Skins(), second = Skins();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].skinned, second[0].skinned);
  std::vector<SkinningTarget> one;
  ASSERT_TRUE(SkelCache::Of(*stage_).FindAt(scene_.context(), stage_->FindPrim("/C/M"), &one).ok());
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].skinned, first[0].skinned);
  one.clear();
  ASSERT_TRUE(
      SkelCache::Of(*stage_).FindAt(scene_.context(), stage_->FindPrim("/C/Anim"), &one).ok());
  EXPECT_TRUE(one.empty());
}

TEST_F(SkelTest, SkinnedPrimsAreReservedInTheRequest) {
  Open(Character());
  ASSERT_EQ(Skins().size(), 1u) << "so that the next requests find them in the cache";
  for (const size_t bytes : {sizeof(SkinningTarget) - 1, sizeof(SkinningTarget)}) {
    RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = bytes});
    const auto found = SkelCache::Of(*stage_).FindBelow(small, stage_->PseudoRoot());
    EXPECT_EQ(found.ok(), bytes == sizeof(SkinningTarget)) << bytes << ": " << found.status();
  }
}

TEST_F(SkelTest, CancelledRequestsLeaveNothingBehind) {
  Open(Character());
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_FALSE(SkelCache::Of(*stage_).FindBelow(cancelled, stage_->PseudoRoot()).ok());
  EXPECT_EQ(Skins().size(), 1u);
}

TEST_F(SkelTest, PrimsOfOneRigShareTheirInfluences) {
  Open(Character() + kInstances);
  SkinArrays& arrays = SkinArrays::Of(*stage_);
  const auto layout = [&](std::string_view path) {
    const Prim prim = stage_->FindPrim(path);
    const auto indices =
        arrays.Prepare(scene_.context(), prim.GetAttribute(Token("primvars:skel:jointIndices")));
    const auto weights =
        arrays.Prepare(scene_.context(), prim.GetAttribute(Token("primvars:skel:jointWeights")));
    return arrays
        .Influences(scene_.context(), *indices.GetAs<Array<int>>(scene_.context(), TimeCode::At(0)),
                    *weights.GetAs<Array<float>>(scene_.context(), TimeCode::At(0)), 2, 2)
        .value();
  };
  EXPECT_EQ(layout("/C/M"), layout("/Crowd/I/M"));
}

TEST_F(SkelTest, InfluencesAreReserved) {
  Open(Character());
  const Array<int> indices({0, 1, 1, 0});
  const Array<float> weights({0.5f, 0.5f, 1.0f, 0.0f});
  const size_t needed = 4 * (sizeof(int) + sizeof(float));
  for (const size_t bytes : {needed - 1, needed}) {
    RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = bytes});
    const auto layout = SkinArrays::Of(*stage_).Influences(small, indices, weights, 2, 2);
    EXPECT_EQ(layout.ok(), bytes == needed) << bytes << ": " << layout.status();
  }
}

TEST_F(SkelTest, ParallelDeformationsEqualThoseOfOneThread) {
  Open(WithMore(kSmile) + kInstances);
  ThreadPoolExecutor executor(2);
  SkinOptions parallel;
  parallel.executor = &executor;
  int compared = 0;
  for (const SkinningTarget& skin : Skins()) {
    for (const double time : {0.0, 3.0, 10.0}) {
      PoseCache poses(TimeCode::At(time));
      const SkinResult all = skin.skinned->Deform(scene_.context(), poses, parallel);
      const SkinResult one = skin.skinned->Deform(scene_.context(), poses, {});
      ASSERT_TRUE(all.points && one.points);
      EXPECT_EQ(*all.points, *one.points);
      EXPECT_EQ(*all.normals, *one.normals);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 9);
}

TEST_F(SkelTest, ExtentsOfSkeletonsAreThoseOfTheirJoints) {
  Open(Character());
  const auto extent =
      ComputeSkelExtent(scene_.context(), stage_->FindPrim("/C/Skel"), TimeCode::At(0));
  ASSERT_TRUE(extent.has_value());
  EXPECT_EQ(extent->min, (Vec3d{0, 0, 0}));
  EXPECT_EQ(extent->max, (Vec3d{0, 2, 0}));
}

TEST_F(SkelTest, SampleTimesAreThoseOfAllSources) {
  Open(Character());
  const auto skins = Skins();
  ASSERT_EQ(skins.size(), 1u);
  EXPECT_EQ(skins[0].skinned->SampleTimes(scene_.context()), (Array<double>{0, 10}));
}

}  // namespace
}  // namespace stagedoor

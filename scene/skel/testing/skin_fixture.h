#ifndef STAGEDOOR_SCENE_SKEL_TESTING_SKIN_FIXTURE_H_
#define STAGEDOOR_SCENE_SKEL_TESTING_SKIN_FIXTURE_H_

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/skel/pose_cache.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skinning_query.h"
#include "scene/testing/answers_fixture.h"
#include "scene/testing/skeleton_text.h"
#include "scene/values/vec.h"

namespace stagedoor {
// Moves the joint a by (1, 0, 0), and a/b by (0, 0, 5) relative to its parent.
inline constexpr std::string_view kMoved = R"(
  def SkelAnimation "Anim" {
    uniform token[] joints = ["a", "a/b"]
    float3[] translations = [(1, 0, 0), (0, 2, 5)]
    quatf[] rotations = [(1, 0, 0, 0), (1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1), (1, 1, 1)]
  }
)";
// Two points: the first follows a, the second a/b.
inline constexpr std::string_view kMesh = R"(
    point3f[] points = [(0, 0, 0), (0, 3, 0)]
    int[] primvars:skel:jointIndices = [0, 1] (elementSize = 1; interpolation = "vertex")
    float[] primvars:skel:jointWeights = [1, 1] (elementSize = 1; interpolation = "vertex")
)";

// A fixture that reports skinned prims as text.
class SkinRulesTest : public AnswersTest {
 protected:
  // A SkelRoot C with the skeleton of kTwoJoints, this animation, and a mesh M with these
  // attributes.
  void Rig(std::string_view animation, std::string_view mesh) {
    Write("root.usda", Concat(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
)",
                              kTwoJoints, animation, R"(
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
)",
                              mesh, "\n  }\n}\n"));
  }
  // The skinned points in the prim's space, rounded to four decimals; "-" if there are none.
  std::string Points(std::string_view path, double time = 0) {
    return Text(Deform(path, time).points);
  }
  std::string Normals(std::string_view path, double time = 0) {
    return Text(Deform(path, time).normals);
  }
  // Where the new local transform of a rigid prim moves the origin.
  std::string Moved(std::string_view path, double time = 0) {
    const SkinResult result = Deform(path, time);
    if (!result.xform) return "-";
    return Text(Array<Vec3f>{{static_cast<float>(result.xform->m[3][0]),
                              static_cast<float>(result.xform->m[3][1]),
                              static_cast<float>(result.xform->m[3][2])}});
  }
  // All skinned prims and their skeletons: "/C/M by /C/Skel".
  std::string Bindings() {
    std::vector<std::string> texts;
    for (const SkinningTarget& skin : Skins()) {
      if (skin.skinned) {
        texts.push_back(Concat(skin.prim.PathText(), " by ", skin.skeleton.PathText()));
      }
    }
    return Join(texts, ", ");
  }

 private:
  std::vector<SkinningTarget> Skins() {
    auto skins = SkelCache::Of(stage()).FindBelow(scene_.context(), stage().PseudoRoot());
    EXPECT_TRUE(skins.ok()) << skins.status();
    return skins.ok() ? *skins : std::vector<SkinningTarget>();
  }
  SkinResult Deform(std::string_view path, double time) {
    PoseCache poses(TimeCode::At(time));
    for (const SkinningTarget& skin : Skins()) {
      if (skin.prim.PathText() == path && skin.skinned) {
        return skin.Deform(scene_.context(), poses, {});
      }
    }
    return {};
  }
  static std::string Text(const std::optional<Array<Vec3f>>& vectors) {
    if (!vectors) return "-";
    std::vector<std::string> texts;
    const auto round = [](float x) { return std::round(x * 1e4) / 1e4 + 0.0; };
    for (const Vec3f& v : *vectors) {
      texts.push_back(Concat("(", round(v[0]), ", ", round(v[1]), ", ", round(v[2]), ")"));
    }
    return Join(texts, " ");
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_TESTING_SKIN_FIXTURE_H_

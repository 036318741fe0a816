#ifndef STAGEDOOR_SERVER_TESTING_SKEL_SCENE_TEST_H_
#define STAGEDOOR_SERVER_TESTING_SKEL_SCENE_TEST_H_

#include <string>
#include <vector>

#include "scene/testing/skeleton_text.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {

// A server with an open scene of a character with two joints, of which one is animated.
class SkelSceneTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", std::string(R"(
def SkelRoot "C" (
  prepend apiSchemas = ["SkelBindingAPI"]
) {
  rel skel:skeleton = </C/Skel>
  double3 xformOp:translate = (0, 0, 5)
  uniform token[] xformOpOrder = ["xformOp:translate"]
)") + kTwoJoints +
                           R"(  def SkelAnimation "Anim" {
    uniform token[] joints = ["a/b"]
    float3[] translations.timeSamples = { 0: [(0, 2, 0)], 10: [(0, 4, 0)] }
    quatf[] rotations = [(1, 0, 0, 0)]
    half3[] scales = [(1, 1, 1)]
  }
  def Mesh "M" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0), (0, 3, 0)]
    normal3f[] normals = [(0, 1, 0), (0, 1, 0)] (
      interpolation = "vertex"
    )
    uniform token[] skel:joints = ["a/b", "a"]
    int[] primvars:skel:jointIndices = [1, 0] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1, 1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
  def Mesh "Bad" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    point3f[] points = [(0, 1, 0)]
    int[] primvars:skel:jointIndices = [7] (
      elementSize = 1
      interpolation = "vertex"
    )
    float[] primvars:skel:jointWeights = [1] (
      elementSize = 1
      interpolation = "vertex"
    )
  }
}
def Xform "X" {
}
)");
    stage_ = Open();
  }

  template <typename Request>
  Request MakeRequest(const std::vector<std::string>& paths, const std::vector<double>& frames) {
    return RequestFor<Request>(stage_, paths, frames);
  }

  v1::StageRef stage_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_SKEL_SCENE_TEST_H_

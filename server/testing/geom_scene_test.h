#ifndef STAGEDOOR_SERVER_TESTING_GEOM_SCENE_TEST_H_
#define STAGEDOOR_SERVER_TESTING_GEOM_SCENE_TEST_H_

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {

// A server with an open scene of transforms, bounds, primvars and a point instancer.
class GeomSceneTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def PointInstancer "I" {
  int[] protoIndices = [0, 1, 0]
  int64[] invisibleIds = [1]
  point3f[] positions.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (2, 0, 0)], 10: [(0, 5, 0), (1, 5, 0), (2, 5, 0)] }
  rel prototypes = [</I/A>, </I/B>]
  def Sphere "A" {
    double3 xformOp:translate = (0, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
  }
  def Cube "B" {
  }
}
def Cube "Odd" {
  uniform token purpose = "banana"
  float[] primvars:o = [1, 2] (
    elementSize = -3
    interpolation = "constant"
  )
}
def Xform "X" {
  token visibility.timeSamples = { 0: "inherited", 5: "invisible" }
  uniform token purpose = "proxy"
  float[] primvars:w = [4, 5] (
    interpolation = "constant"
  )
  int[] primvars:w:indices = [1, 0, 1]
  double xformOp:translateX.timeSamples = { 0: 0, 10: 10 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Cube "Y" {
    double3 xformOp:translate = (0, 1, 0)
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]
  }
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

#endif  // STAGEDOOR_SERVER_TESTING_GEOM_SCENE_TEST_H_

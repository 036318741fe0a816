#ifndef STAGEDOOR_SERVER_TESTING_DEPENDENCY_SCENE_TEST_H_
#define STAGEDOOR_SERVER_TESTING_DEPENDENCY_SCENE_TEST_H_

#include "server/testing/server_test.h"

namespace stagedoor::server {

// A server with a scene that has a sublayer, a reference and a texture that does not exist.
class DependencySceneTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("asset.usda", R"(( defaultPrim = "A" )
def "A" {
    double x = 2
}
)");
    Write("strong.usda", "over \"P\" { double y = 3; }\n");
    Write("root.usda", R"(( subLayers = [@./strong.usda@] )
def "P" ( references = @./asset.usda@ )
{
    asset texture = @./missing.png@
    double y = 1
}
)");
  }

  // Sources for the same stage: with a lease, and to be opened for the call.
  v1::StageSource Held() {
    v1::StageSource source;
    *source.mutable_stage() = Open();
    return source;
  }
  static v1::StageSource ToOpen() {
    v1::StageSource source;
    source.mutable_open()->set_root_layer("/root.usda");
    return source;
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_DEPENDENCY_SCENE_TEST_H_

#ifndef STAGEDOOR_SERVER_TESTING_PAYLOAD_SCENE_TEST_H_
#define STAGEDOOR_SERVER_TESTING_PAYLOAD_SCENE_TEST_H_

#include "server/testing/server_test.h"

namespace stagedoor::server {

// A server with a scene that has a sublayer, a payload and another payload below it.
class PayloadSceneTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("asset.usda", "( defaultPrim = \"A\" )\ndef \"A\" {\ndef \"Leaf\" {}\n}\n");
    Write("strong.usda", "over \"P\" { double x = 2; }\n");
    Write("root.usda", R"(( subLayers = [@strong.usda@] )
def "P" ( payload = @asset.usda@ )
{
    double x = 1
    def "Q" ( payload = @asset.usda@ ) {}
}
def "R" {}
)");
  }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_PAYLOAD_SCENE_TEST_H_

#include "server/handlers/space_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Texts = std::vector<std::string>;

class SpaceHandlersTest : public ServerTest {
 protected:
  SpaceHandlersTest() {
    Write("root.usda", R"(
def "A" (
  prepend apiSchemas = ["CoordSysAPI:model", "ColorSpaceAPI", "ColorSpaceDefinitionAPI:one"]
) {
  rel coordSys:model:binding = </World>
  rel friend = </World>
  uniform token colorSpace:name = "mine"
  token colorSpaceDefinition:one:name = "mine"
  float2 colorSpaceDefinition:one:redChroma = (0.5, 0.25)
  float colorSpaceDefinition:one:gamma = 2
  float colorSpaceDefinition:one:linearBias = 3
  color3f tint (
    colorSpace = "raw"
  )
  def "B" {
    color3f tint
  }
  def "C" (
    prepend apiSchemas = ["CoordSysAPI:model", "ColorSpaceAPI"]
  ) {
    rel coordSys:model:binding = </Gone>
    uniform token colorSpace:name = "odd"
  }
}
def "World" {
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }

  v1::StageRef stage_;
};

TEST_F(SpaceHandlersTest, FindsCoordinateSystems) {
  v1::ComputeCoordSysBindingsRequest request;
  *request.mutable_stage() = stage_;
  for (const char* path : {"/A/B", "/A/C", "/World", "/None", "/A"}) request.add_paths(path);
  const auto response = client().ComputeCoordSysBindings(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->snapshot().size(), 32u);
  EXPECT_EQ(std::vector<uint32_t>(response->set().begin(), response->set().end()),
            (std::vector<uint32_t>{1, 2, 0, 0, 1}));
  ASSERT_EQ(response->sets_size(), 2);
  ASSERT_EQ(response->sets(0).bindings_size(), 1);
  EXPECT_EQ(response->sets(0).bindings(0).name(), "model");
  EXPECT_EQ(response->sets(0).bindings(0).relationship(), "/A.coordSys:model:binding");
  EXPECT_EQ(response->sets(0).bindings(0).target(), "/World");
  EXPECT_EQ(response->sets(1).bindings(0).target(), "/Gone");
  ASSERT_EQ(response->path_errors_size(), 1);
  EXPECT_EQ(response->path_errors(0).item(), 3u);
}

TEST_F(SpaceHandlersTest, FindsColorSpaces) {
  v1::ComputeColorSpacesRequest request;
  *request.mutable_stage() = stage_;
  for (const char* path :
       {"/A/B", "/A.tint", "/A/B.tint", "/A/C", "/World", "/A.friend", "/None", "/A.none"}) {
    request.add_paths(path);
  }
  const auto response = client().ComputeColorSpaces(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(std::vector<uint32_t>(response->color_space().begin(), response->color_space().end()),
            (std::vector<uint32_t>{1, 2, 1, 0, 0, 0, 0, 0}));
  ASSERT_EQ(response->color_spaces_size(), 2);
  EXPECT_EQ(response->color_spaces(0).name(), "mine");
  const v1::ColorSpaceDefinition& definition = response->color_spaces(0).definition();
  EXPECT_EQ(definition.prim(), "/A");
  ASSERT_EQ(definition.red_chroma_size(), 2);
  EXPECT_EQ(definition.red_chroma(1), 0.25F);
  EXPECT_EQ(definition.green_chroma(1), 1);
  EXPECT_EQ(definition.blue_chroma(1), 0);
  EXPECT_NEAR(definition.white_point(0), 1 / 3.0, 1e-6);
  EXPECT_EQ(definition.gamma(), 2);
  EXPECT_EQ(definition.linear_bias(), 3);
  EXPECT_EQ(response->color_spaces(1).name(), "raw");
  EXPECT_FALSE(response->color_spaces(1).has_definition());
  ASSERT_EQ(response->unknown_size(), 1);
  EXPECT_EQ(response->unknown(0), "/A/C.colorSpace:name");
  ASSERT_EQ(response->path_errors_size(), 3);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(response->path_errors(1).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(response->path_errors(2).reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
}

}  // namespace
}  // namespace stagedoor::server

#include "server/handlers/material_network_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class MaterialNetworkHandlerTest : public ServerTest {
 protected:
  MaterialNetworkHandlerTest() {
    Write("root.usda", R"(
def Material "Base" {}
def Material "Look" (specializes = </Base>) {
  color3f inputs:tint = (1, 0, 0) (
    colorSpace = "lin_rec709_scene"
  )
  token outputs:ri:surface.connect = </Look/Paint.outputs:out>
  def Shader "Paint" {
    uniform token info:id = "UsdPreviewSurface"
    color3f inputs:diffuseColor.connect = </Look.inputs:tint>
    float inputs:roughness.connect = </Look/Noise.outputs:out>
    float inputs:lost.connect = </Look/Gone.outputs:out>
    token outputs:out
  }
  def Shader "Noise" {
    uniform token info:implementationSource = "sourceAsset"
    uniform asset info:osl:sourceAsset = @./noise.oso@
    uniform token info:osl:sourceAsset:subIdentifier = "perlin"
    float inputs:scale.timeSamples = { 1: 1, 5: 2 }
    float inputs:steady.timeSamples = { 1: 7 }
    float outputs:out
  }
}
)");
    Write("noise.oso", "x");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    *request_.mutable_stage() = Open(open);
    request_.mutable_times()->add_times()->mutable_default_time();
  }
  // All items of the reply.
  std::vector<v1::MaterialNetwork> Ask() {
    std::vector<v1::MaterialNetwork> items;
    const absl::Status status = client().ComputeMaterialNetworks(
        request_, [&](const v1::ComputeMaterialNetworksResponse& response) {
          items.insert(items.end(), response.items().begin(), response.items().end());
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return items;
  }

  v1::ComputeMaterialNetworksRequest request_;
};

TEST_F(MaterialNetworkHandlerTest, DescribesTheShadersOfAMaterial) {
  request_.add_paths("/Look");
  request_.add_render_contexts("ri");
  const auto items = Ask();
  ASSERT_EQ(items.size(), 1u);
  const v1::MaterialNetwork& look = items[0];
  EXPECT_EQ(look.base_material(), "/Base");
  ASSERT_EQ(look.terminals_size(), 1);
  EXPECT_EQ(look.terminals(0).name(), "surface");
  EXPECT_EQ(look.terminals(0).render_context(), "ri");
  EXPECT_EQ(look.terminals(0).source().name(), "out");
  ASSERT_EQ(look.nodes_size(), 2);
  const v1::ShaderNode& paint = look.nodes(0);
  EXPECT_EQ(paint.path(), "/Look/Paint");
  EXPECT_EQ(paint.type_name(), "Shader");
  EXPECT_EQ(paint.id(), "UsdPreviewSurface");
  EXPECT_EQ(paint.outputs_size(), 0);
  ASSERT_EQ(paint.inputs_size(), 3);
  const v1::ShaderPort& color = paint.inputs(0);
  EXPECT_EQ(color.name(), "diffuseColor");
  EXPECT_EQ(color.type_name(), "color3f");
  EXPECT_EQ(color.value_source(), "/Look.inputs:tint");
  EXPECT_EQ(color.color_space(), "lin_rec709_scene");
  EXPECT_EQ(color.values_size(), 1);
  EXPECT_EQ(paint.inputs(2).name(), "roughness");
  ASSERT_EQ(paint.inputs(2).connections_size(), 1);
  EXPECT_EQ(paint.inputs(2).connections(0).node(), 1u);
  EXPECT_EQ(paint.inputs(2).connections(0).name(), "out");
  const v1::ShaderNode& noise = look.nodes(1);
  ASSERT_EQ(noise.code_size(), 1);
  EXPECT_EQ(noise.code(0).source_type(), "osl");
  EXPECT_EQ(noise.code(0).asset().resolved(), "/noise.oso");
  EXPECT_EQ(noise.code(0).sub_identifier(), "perlin");
  ASSERT_EQ(look.broken_size(), 1);
  EXPECT_EQ(look.broken(0).attribute(), "/Look/Paint.inputs:lost");
  EXPECT_EQ(look.broken(0).reason(), v1::BrokenConnection::REASON_NO_SOURCE);
  EXPECT_EQ(look.broken(0).source(), "/Look/Gone.outputs:out");
  EXPECT_TRUE(look.digest().empty()) << "not asked for";
}

TEST_F(MaterialNetworkHandlerTest, ValuesThatDoNotVaryComeOnce) {
  request_.add_paths("/Look");
  request_.add_render_contexts("ri");
  request_.clear_times();
  request_.mutable_times()->add_frames(1);
  request_.mutable_times()->add_frames(3);
  auto noise = Ask()[0].nodes(1);
  ASSERT_EQ(noise.inputs_size(), 2);
  ASSERT_EQ(noise.inputs(0).values_size(), 2);
  EXPECT_EQ(noise.inputs(0).values(1).float_value(), 1.5);
  ASSERT_EQ(noise.inputs(1).values_size(), 1);
  EXPECT_EQ(noise.inputs(1).values(0).float_value(), 7);
  request_.mutable_times()->add_times()->mutable_default_time();
  noise = Ask()[0].nodes(1);
  EXPECT_EQ(noise.inputs(1).values_size(), 3) << "there is none at the default time";
}

TEST_F(MaterialNetworkHandlerTest, AGraphHasTheMaterialAndOutputs) {
  request_.add_paths("/Look");
  request_.set_as_graph(true);
  const auto items = Ask();
  EXPECT_EQ(items[0].terminals_size(), 0) << "none for all renderers";
  ASSERT_EQ(items[0].nodes_size(), 3);
  const v1::ShaderNode& look = items[0].nodes(0);
  EXPECT_EQ(look.path(), "/Look");
  ASSERT_EQ(look.outputs_size(), 1);
  EXPECT_EQ(look.outputs(0).name(), "ri:surface");
  const v1::ShaderPort& color = items[0].nodes(1).inputs(0);
  ASSERT_EQ(color.connections_size(), 1);
  EXPECT_TRUE(color.connections(0).is_input());
  EXPECT_EQ(color.connections(0).name(), "tint");
  EXPECT_EQ(color.values_size(), 0) << "it has none of its own";
}

TEST_F(MaterialNetworkHandlerTest, KnownNetworksAreNotSentAgain) {
  request_.add_paths("/Look");
  request_.add_paths("/Base");
  request_.mutable_digest_options();
  auto items = Ask();
  const std::string look = items[0].digest();
  EXPECT_EQ(look.size(), 32u);
  EXPECT_NE(look, items[1].digest());
  request_.mutable_digest_options()->add_known(look);
  items = Ask();
  EXPECT_TRUE(items[0].unchanged());
  EXPECT_EQ(items[0].digest(), look);
  EXPECT_EQ(items[0].base_material(), "");
  EXPECT_FALSE(items[1].unchanged());
  EXPECT_EQ(items[1].item(), 1u);
  request_.set_as_graph(true);
  EXPECT_FALSE(Ask()[0].unchanged()) << "another network";
}

TEST_F(MaterialNetworkHandlerTest, OtherPrimsAreItemErrors) {
  request_.add_paths("/Look/Paint");
  request_.add_paths("/Gone");
  request_.add_paths("/Base");
  const auto items = Ask();
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].error().reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(items[1].error().reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(items[1].error().item(), 1u);
  EXPECT_FALSE(items[2].has_error());
}

TEST_F(MaterialNetworkHandlerTest, RenderContextsAreLimited) {
  request_.add_paths("/Look");
  for (int i = 0; i < 17; ++i) request_.add_render_contexts("ri");
  const absl::Status status = client().ComputeMaterialNetworks(
      request_, [](const v1::ComputeMaterialNetworksResponse&) { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

}  // namespace
}  // namespace stagedoor::server

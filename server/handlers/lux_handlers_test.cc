#include "server/handlers/lux_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Texts = std::vector<std::string>;

class LuxHandlersTest : public ServerTest {
 protected:
  LuxHandlersTest() {
    Write("root.usda", R"(
def Xform "A" (kind = "group") {
  rel lightList = </Gone>
  token lightList:cacheBehavior = "consumeAndHalt"
  def Mesh "B" {}
  def DomeLight "Dome" {
    rel light:filters = </Filter>
    rel portals = </Portal>
    rel collection:lightLink:excludes = </A/B>
  }
}
def LightFilter "Filter" {
  token ri:lightFilter:shaderId = "PxrBarn"
}
def SphereLight "Sphere" {
  rel collection:shadowLink:excludes = </A>
}
def PortalLight "Portal" {}
def Mesh "E" {}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::ListLightsResponse List(v1::ListLightsRequest request) {
    *request.mutable_stage() = stage_;
    const auto response = client().ListLights(request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::ListLightsResponse();
  }
  v1::ComputeLightSetsResponse Sets(v1::ComputeLightSetsRequest request) {
    *request.mutable_stage() = stage_;
    const auto response = client().ComputeLightSets(request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::ComputeLightSetsResponse();
  }
  static Texts PathsOf(const v1::ListLightsResponse& response) {
    Texts paths;
    for (const v1::Light& light : response.lights()) paths.push_back(light.path());
    return paths;
  }
  // The lights of each path, "-" for one with an error.
  static Texts LightsOf(const v1::ComputeLightSetsResponse& response) {
    Texts texts;
    for (const uint32_t set : response.set()) {
      texts.emplace_back(set == 0 ? "-" : "");
      if (set == 0) continue;
      for (const uint32_t light : response.sets(static_cast<int>(set) - 1).lights()) {
        texts.back() += response.lights(static_cast<int>(light)) + " ";
      }
    }
    return texts;
  }

  v1::StageRef stage_;
};

TEST_F(LuxHandlersTest, ListsLightsWithTheirShadersAndFilters) {
  v1::ListLightsRequest request;
  request.add_render_contexts("ri");
  const auto response = List(request);
  EXPECT_EQ(PathsOf(response), (Texts{"/A/Dome", "/Filter", "/Portal", "/Sphere"}));
  const v1::Light& dome = response.lights(0);
  EXPECT_EQ(dome.type_name(), "DomeLight");
  EXPECT_EQ(dome.shader_id(), "DomeLight");
  ASSERT_EQ(dome.filters_size(), 1);
  EXPECT_EQ(dome.filters(0), "/Filter");
  ASSERT_EQ(dome.portals_size(), 1);
  EXPECT_EQ(dome.portals(0), "/Portal");
  EXPECT_FALSE(dome.is_filter());
  EXPECT_TRUE(response.lights(1).is_filter());
  EXPECT_EQ(response.lights(1).shader_id(), "PxrBarn");
  EXPECT_EQ(response.snapshot().size(), 32u);
}

TEST_F(LuxHandlersTest, ListsApartAndFromCaches) {
  v1::ListLightsRequest request;
  request.set_root("/A");
  EXPECT_EQ(PathsOf(List(request)), Texts{"/A/Dome"});
  request.set_mode(v1::LIGHT_LIST_MODE_CONSULT_MODEL_HIERARCHY_CACHE);
  const auto response = List(request);
  EXPECT_EQ(PathsOf(response), Texts{"/Gone"});
  EXPECT_EQ(response.lights(0).type_name(), "");
  request.set_root("/Gone");
  *request.mutable_stage() = stage_;
  EXPECT_EQ(client().ListLights(request).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LuxHandlersTest, FindsTheLightsOfPrims) {
  v1::ComputeLightSetsRequest request;
  for (const char* path : {"/A/B", "/E", "/None", "/A"}) request.add_paths(path);
  auto response = Sets(request);
  EXPECT_EQ(LightsOf(response), (Texts{"/Portal /Sphere ", "/A/Dome /Portal /Sphere ", "-",
                                       "/A/Dome /Portal /Sphere "}));
  EXPECT_EQ(response.sets_size(), 2) << "each once";
  ASSERT_EQ(response.path_errors_size(), 1);
  EXPECT_EQ(response.path_errors(0).item(), 2u);
  request.set_link(v1::LIGHT_LINK_SHADOW);
  EXPECT_EQ(LightsOf(Sets(request))[0], "/A/Dome /Portal ");
  request.set_link(v1::LIGHT_LINK_FILTER);
  EXPECT_EQ(LightsOf(Sets(request))[0], "/Filter ");
}

TEST_F(LuxHandlersTest, AsksOnlyTheNamedLights) {
  v1::ComputeLightSetsRequest request;
  request.add_paths("/E");
  for (const char* path : {"/Sphere", "/E", "/Gone", "/A/Dome"}) request.add_lights(path);
  const auto response = Sets(request);
  EXPECT_EQ(LightsOf(response), Texts{"/Sphere /A/Dome "});
  EXPECT_EQ(response.lights_size(), 4);
}

TEST_F(LuxHandlersTest, LinksAreExplained) {
  v1::ExplainLightLinkRequest request;
  *request.mutable_stage() = stage_;
  request.set_light("/A/Dome");
  request.set_path("/A/B");
  auto response = client().ExplainLightLink(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->linked());
  EXPECT_EQ(response->reason(), v1::ExplainLightLinkResponse::REASON_RULE);
  ASSERT_EQ(response->rules_size(), 2);
  EXPECT_EQ(response->rules(0).path(), "/A/B");
  EXPECT_EQ(response->rules(0).rule(), v1::LightLinkRule::RULE_EXCLUDE);
  EXPECT_EQ(response->rules(0).outcome(), v1::LightLinkRule::OUTCOME_DECIDES);
  EXPECT_EQ(response->rules(1).path(), "/");
  EXPECT_EQ(response->rules(1).rule(), v1::LightLinkRule::RULE_EXPAND_PRIMS);
  EXPECT_EQ(response->rules(1).outcome(), v1::LightLinkRule::OUTCOME_CLOSER_DECIDES);
  EXPECT_EQ(response->snapshot().size(), 32u);
  request.set_link(v1::LIGHT_LINK_SHADOW);
  response = client().ExplainLightLink(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->linked());
  EXPECT_EQ(response->reason(), v1::ExplainLightLinkResponse::REASON_DEFAULT);
}

TEST_F(LuxHandlersTest, ExplainsOnlyPrimsThatExist) {
  v1::ExplainLightLinkRequest request;
  *request.mutable_stage() = stage_;
  request.set_light("/E");
  request.set_path("/A/B");
  const auto response = client().ExplainLightLink(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->linked());
  EXPECT_EQ(response->reason(), v1::ExplainLightLinkResponse::REASON_NOT_A_LIGHT);
  request.set_path("/Gone");
  EXPECT_EQ(client().ExplainLightLink(request).status().code(), absl::StatusCode::kNotFound);
  request.set_path("/A/B");
  request.set_light("bad path");
  EXPECT_EQ(client().ExplainLightLink(request).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor::server

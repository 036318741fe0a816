#include "server/handlers/render_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kRenderScene = R"((
  renderSettingsPrimPath = "/Render"
)
def Camera "Cam" {
  float horizontalAperture = 20
  float verticalAperture = 10
}
def RenderSettings "Render" {
  rel camera = </Cam>
  rel products = [</Beauty>, </Lost>, </Cam>]
  int2 resolution = (100, 50)
  bool disableMotionBlur = true
  token renderingColorSpace = "acescg"
  int ri:samples = 5
  int karma:samples = 6
}
def RenderProduct "Beauty" {
  token productName = "b.exr"
  int2 resolution = (100, 100)
  float4 dataWindowNDC = (0, 0, 0.5, 1)
  bool instantaneousShutter = true
  rel orderedVars = [</Ci>, </Gone>, </Z>]
  string ri:note = "n"
}
def RenderProduct "Lost" {
  rel camera = </Beauty>
}
def RenderVar "Ci" {
  string sourceName = "Ci"
  token sourceType = "lpe"
  int ri:filter = 3
}
def RenderVar "Z" {
  token dataType = "float"
}
def RenderPass "First" {
  token passType = "prman"
  string[] command = ["prman", "{fileName}"]
  rel renderSource = </Render>
  rel collection:prune:includes = </Cam>
  int ri:x = 1
}
def RenderPass "Second" {
  rel inputPasses = </First>
  asset fileName = @./root.usda@
  bool collection:renderVisibility:includeRoot = false
}
)";

class RenderHandlersTest : public ServerTest {
 protected:
  RenderHandlersTest() {
    Write("root.usda", kRenderScene);
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::ComputeRenderSettingsResponse Settings(v1::ComputeRenderSettingsRequest request) {
    *request.mutable_stage() = stage_;
    const auto response = client().ComputeRenderSettings(request);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::ComputeRenderSettingsResponse();
  }
  absl::StatusOr<v1::ComputeRenderPassesResponse> Passes(v1::ComputeRenderPassesRequest request) {
    *request.mutable_stage() = stage_;
    return client().ComputeRenderPasses(request);
  }
  static Texts Names(const google::protobuf::RepeatedPtrField<v1::Field>& fields) {
    Texts names;
    for (const v1::Field& field : fields) names.push_back(field.name());
    return names;
  }

  v1::StageRef stage_;
};

TEST_F(RenderHandlersTest, AnswersTheSettingsOfTheStage) {
  const auto response = Settings({});
  EXPECT_EQ(response.stage_settings(), "/Render");
  EXPECT_EQ(response.snapshot().size(), 32u);
  ASSERT_EQ(response.settings_size(), 1);
  const v1::RenderSettings& settings = response.settings(0);
  EXPECT_EQ(settings.path(), "/Render");
  EXPECT_EQ(settings.rendering_color_space(), "acescg");
  ASSERT_EQ(settings.included_purposes_size(), 2);
  EXPECT_EQ(settings.included_purposes(1), "render");
  ASSERT_EQ(settings.material_binding_purposes_size(), 2);
  EXPECT_EQ(settings.material_binding_purposes(1), "");
  EXPECT_EQ(settings.defaults().width(), 100);
  EXPECT_EQ(settings.defaults().height(), 50);
  EXPECT_EQ(settings.defaults().camera(), "/Cam");
  EXPECT_EQ(Names(settings.settings()),
            (Texts{"camera", "karma:samples", "products", "ri:samples"}));
  EXPECT_EQ(settings.settings(1).value().int_value(), 6);
  EXPECT_EQ(settings.settings(0).value().path_array().values(0), "/Cam");
}

TEST_F(RenderHandlersTest, ProductsHaveTheirOwnValues) {
  const auto response = Settings({});
  ASSERT_EQ(response.settings(0).products_size(), 1);
  const v1::RenderProduct& product = response.settings(0).products(0);
  EXPECT_EQ(product.path(), "/Beauty");
  EXPECT_EQ(product.type(), "raster");
  EXPECT_EQ(product.name(), "b.exr");
  EXPECT_EQ(product.camera(), "/Cam");
  EXPECT_EQ(product.width(), 100);
  EXPECT_EQ(product.height(), 100);
  EXPECT_EQ(product.pixel_aspect_ratio(), 1);
  EXPECT_EQ(product.aspect_ratio_conform_policy(), "expandAperture");
  EXPECT_EQ(product.horizontal_aperture(), 20);
  EXPECT_EQ(product.vertical_aperture(), 20);
  ASSERT_EQ(product.data_window_size(), 4);
  EXPECT_EQ(product.data_window(2), 0.5F);
  EXPECT_TRUE(product.disable_motion_blur());
  EXPECT_FALSE(product.disable_depth_of_field());
  EXPECT_TRUE(product.instantaneous_shutter());
  EXPECT_EQ(Names(product.settings()), (Texts{"orderedVars", "ri:note"}));
  ASSERT_EQ(product.vars_size(), 2);
  const v1::RenderVar& var = response.settings(0).vars(static_cast<int>(product.vars(0)));
  EXPECT_EQ(var.path(), "/Ci");
  EXPECT_EQ(var.source_name(), "Ci");
  EXPECT_EQ(var.source_type(), "lpe");
  EXPECT_EQ(var.data_type(), "color3f");
  EXPECT_EQ(Names(var.settings()), Texts{"ri:filter"});
}

TEST_F(RenderHandlersTest, ReportsWhatIsLeftOut) {
  const v1::RenderSettings settings = Settings({}).settings(0);
  Texts problems;
  for (const v1::RenderProblem& problem : settings.problems()) {
    problems.push_back(v1::RenderProblem::Reason_Name(problem.reason()) + " " + problem.prim() +
                       " " + problem.target());
  }
  EXPECT_EQ(problems, (Texts{"REASON_NO_VAR /Beauty /Gone", "REASON_NO_CAMERA /Lost /Beauty",
                             "REASON_NO_PRODUCT /Render /Cam"}));
}

TEST_F(RenderHandlersTest, NamesSettingsAndNamespaces) {
  v1::ComputeRenderSettingsRequest request;
  for (const char* path : {"/Cam", "/Render", "/None"}) request.add_paths(path);
  request.add_namespaces("ri");
  const auto response = Settings(request);
  ASSERT_EQ(response.settings_size(), 3);
  EXPECT_EQ(response.settings(0).path(), "");
  EXPECT_EQ(Names(response.settings(1).settings()), (Texts{"camera", "products", "ri:samples"}));
  ASSERT_EQ(response.path_errors_size(), 2);
  EXPECT_EQ(response.path_errors(0).item(), 0u);
  EXPECT_EQ(response.path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(response.path_errors(1).item(), 2u);
  for (int i = 0; i < 100; ++i) request.add_namespaces("x");
  *request.mutable_stage() = stage_;
  EXPECT_EQ(client().ComputeRenderSettings(request).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(RenderHandlersTest, AnswersPassesAndTheirMembers) {
  v1::ComputeRenderPassesRequest request;
  for (const char* path : {"/Cam", "/None", "/Ci"}) request.add_paths(path);
  const auto response = Passes(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->path_count(), 3u);
  ASSERT_EQ(response->passes_size(), 2);
  const v1::RenderPass& first = response->passes(0);
  EXPECT_EQ(first.path(), "/First");
  EXPECT_EQ(first.type(), "prman");
  ASSERT_EQ(first.command_size(), 2);
  EXPECT_EQ(first.command(1), "{fileName}");
  EXPECT_FALSE(first.has_file_name());
  ASSERT_EQ(first.sources_size(), 1);
  EXPECT_EQ(first.sources(0), "/Render");
  EXPECT_EQ(first.members(), std::string("\7\0\3", 3));
  EXPECT_EQ(Names(first.settings()), (Texts{"collection:prune:includes", "renderSource", "ri:x"}));
  const v1::RenderPass& second = response->passes(1);
  EXPECT_EQ(second.file_name().resolved(), "/root.usda");
  ASSERT_EQ(second.input_passes_size(), 1);
  EXPECT_EQ(second.input_passes(0), "/First");
  EXPECT_EQ(second.members(), std::string("\2\0\2", 3));
  ASSERT_EQ(response->path_errors_size(), 1);
  EXPECT_EQ(response->path_errors(0).item(), 1u);
}

TEST_F(RenderHandlersTest, NamedPassesMustBePasses) {
  v1::ComputeRenderPassesRequest request;
  request.add_passes("/Second");
  const auto response = Passes(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->passes_size(), 1);
  EXPECT_EQ(response->passes(0).path(), "/Second");
  EXPECT_EQ(response->passes(0).members(), "");
  request.add_passes("/Cam");
  EXPECT_EQ(Passes(request).status().code(), absl::StatusCode::kInvalidArgument);
  request.set_passes(1, "/None");
  EXPECT_EQ(Passes(request).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor::server

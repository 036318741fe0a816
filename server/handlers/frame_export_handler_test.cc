#include "server/handlers/frame_export_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/data_streams.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class FrameExportHandlerTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(( defaultPrim = "World" )
def Xform "World" {
  double xformOp:translateX.timeSamples = { 0: 0, 2: 20 }
  uniform token[] xformOpOrder = ["xformOp:translateX"]
  def Mesh "M" {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
  }
}
def PointInstancer "Broken" {
  int[] protoIndices = [5]
  point3f[] positions = []
  rel prototypes = </Broken/P>
  def Cube "P" {}
}
)");
    *request_.mutable_stage() = Open();
    request_.mutable_time()->set_numeric(1);
    request_.set_format(v1::LAYER_FORMAT_USDA);
    request_.mutable_selection()->add_roots("/World");
  }

  v1::ExportFrameRequest request_;
};

TEST_F(FrameExportHandlerTest, StreamsTheFileWithItsSnapshot) {
  const std::vector<v1::ExportFrameResponse> parts = All(&Client::ExportFrame, request_);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].snapshot().size(), 32u);
  const std::string text = DataOf(parts);
  EXPECT_TRUE(text.starts_with("#usda 1.0")) << text;
  EXPECT_NE(text.find("def Mesh \"M\""), std::string::npos) << text;
  EXPECT_NE(text.find("matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), "
                      "(10, 0, 0, 1) )"),
            std::string::npos)
      << text;
  request_.clear_format();
  EXPECT_TRUE(DataOf(All(&Client::ExportFrame, request_)).starts_with("PXR-USDC"));
}

TEST_F(FrameExportHandlerTest, MotionSamplesAreTimeSamples) {
  request_.mutable_sample_policy()->set_shutter_open(-0.5);
  request_.mutable_sample_policy()->set_shutter_close(0.5);
  request_.mutable_sample_policy()->set_samples_at_ends(true);
  const std::string text = DataOf(All(&Client::ExportFrame, request_));
  EXPECT_NE(text.find("matrix4d xformOp:transform.timeSamples = {"), std::string::npos) << text;
  for (const char* sample : {"0.5: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1) )",
                             "1.5: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (15, 0, 0, 1) )"}) {
    EXPECT_NE(text.find(sample), std::string::npos) << sample << text;
  }
}

TEST_F(FrameExportHandlerTest, TheDefaultPrimIsThatOfTheStageIfItIsThere) {
  const std::string line = "    defaultPrim = \"World\"\n";
  EXPECT_NE(DataOf(All(&Client::ExportFrame, request_)).find(line), std::string::npos);
  request_.mutable_selection()->set_roots(0, "/Broken");
  EXPECT_EQ(DataOf(All(&Client::ExportFrame, request_)).find(line), std::string::npos);
}

TEST_F(FrameExportHandlerTest, InstancersWithoutInstancesHaveEmptyArrays) {
  Write("root.usda", R"(
def PointInstancer "Empty" {
  int[] protoIndices = []
  point3f[] positions = []
  rel prototypes = </Empty/P>
  def Cube "P" {}
}
)");
  *request_.mutable_stage() = Open();
  request_.mutable_selection()->clear_roots();
  const std::string text = DataOf(All(&Client::ExportFrame, request_));
  for (const char* empty : {"int[] protoIndices = []", "point3f[] positions = []"}) {
    EXPECT_NE(text.find(empty), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("orientations"), std::string::npos) << text;
}

TEST_F(FrameExportHandlerTest, TheBoundsOfCardsAreThoseThatTheModelStates) {
  for (const bool stated : {true, false}) {
    Write("root.usda", Concat(R"(
def Xform "M" ( kind = "component"; prepend apiSchemas = ["GeomModelAPI"] ) {
  uniform token model:drawMode = "bounds"
  )",
                              stated ? "float3[] extentsHint = [(-7, -7, -7), (7, 7, 7)]" : "", R"(
  def Cube "C" {}
}
)"));
    *request_.mutable_stage() = Open();
    request_.mutable_selection()->clear_roots();
    const std::string text = DataOf(All(&Client::ExportFrame, request_));
    const char* hint = stated ? "float3[] extentsHint = [(-7, -7, -7), (7, 7, 7)]"
                              : "float3[] extentsHint = [(-1, -1, -1), (1, 1, 1)]";
    EXPECT_NE(text.find(hint), std::string::npos) << text;
  }
}

TEST_F(FrameExportHandlerTest, ReportsWhatCannotBeComputed) {
  request_.mutable_selection()->clear_roots();
  const std::vector<v1::ExportFrameResponse> parts = All(&Client::ExportFrame, request_);
  ASSERT_GE(parts.size(), 2u);
  ASSERT_EQ(parts[0].path_errors_size(), 1);
  EXPECT_EQ(parts[0].error_paths(0), "/Broken");
  EXPECT_EQ(parts[0].path_errors(0).item(), 0u);
  EXPECT_NE(DataOf(parts).find("def PointInstancer \"Broken\""), std::string::npos);
}

TEST_F(FrameExportHandlerTest, TheSelectionIsChecked) {
  request_.mutable_selection()->set_camera("/World");
  EXPECT_EQ(ErrorReason(End(&Client::ExportFrame, request_)), "WRONG_KIND");
  request_.mutable_selection()->set_camera("/None");
  EXPECT_EQ(ErrorReason(End(&Client::ExportFrame, request_)), "PRIM_NOT_FOUND");
}

}  // namespace
}  // namespace stagedoor::server

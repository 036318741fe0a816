#include "server/handlers/volume_handler.h"

#include <gtest/gtest.h>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

TEST_F(ServerTest, VolumeFieldsAreFilesAtTimes) {
  Write("smoke.vdb", "");
  Write("root.usda", R"(
def Volume "V" {
  rel field:density = </V/D>
  rel field:heat = </V/Gone>
  def OpenVDBAsset "D" {
    asset filePath = @./smoke.vdb@
    token fieldName = "density"
    int fieldIndex.timeSamples = { 1: 3, 2: 4 }
    token fieldDataType = "float"
    token fieldClass = "fogVolume"
  }
}
def Volume "Still" {
  rel field:density = </Still/F>
  def Field3DAsset "F" {
    asset filePath = @./smoke.vdb@
    token fieldPurpose = "fuel"
    token vectorDataRoleHint = "Color"
  }
}
)");
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  v1::ComputeVolumeFieldsRequest request;
  *request.mutable_stage() = Open(open);
  for (const char* path : {"/V", "/V/D", "/None", "/Still"}) request.add_paths(path);
  for (const double time : {1, 2}) request.mutable_times()->add_times()->set_numeric(time);
  const auto response = client().ComputeVolumeFields(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->snapshot().size(), 32u);
  ASSERT_EQ(response->volumes_size(), 4);
  ASSERT_EQ(response->volumes(0).fields_size(), 2);
  const v1::VolumeField& density = response->volumes(0).fields(0);
  EXPECT_EQ(density.name(), "density");
  EXPECT_EQ(density.path(), "/V/D");
  EXPECT_EQ(density.type_name(), "OpenVDBAsset");
  ASSERT_EQ(density.samples_size(), 2);
  EXPECT_EQ(density.samples(0).file().resolved(), "/smoke.vdb");
  EXPECT_EQ(density.samples(0).field_name(), "density");
  EXPECT_EQ(density.samples(0).field_index(), 3);
  EXPECT_EQ(density.samples(1).field_index(), 4);
  EXPECT_EQ(density.samples(1).field_data_type(), "float");
  EXPECT_EQ(density.samples(1).field_class(), "fogVolume");
  EXPECT_EQ(response->volumes(0).fields(1).path(), "/V/Gone");
  EXPECT_EQ(response->volumes(0).fields(1).samples_size(), 0);
  ASSERT_EQ(response->volumes(3).fields_size(), 1);
  const v1::VolumeField& still = response->volumes(3).fields(0);
  ASSERT_EQ(still.samples_size(), 1) << "it is the same at all times";
  EXPECT_FALSE(still.samples(0).has_field_index());
  EXPECT_EQ(still.samples(0).field_purpose(), "fuel");
  EXPECT_EQ(still.samples(0).vector_data_role_hint(), "Color");
  ASSERT_EQ(response->path_errors_size(), 2);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_WRONG_KIND);
  EXPECT_EQ(response->path_errors(1).item(), 2u);
}

}  // namespace
}  // namespace stagedoor::server

#include "scene/render/volume_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class VolumeFieldsTest : public testing::Test {
 protected:
  void Open(std::string_view text) {
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda");
  }
  std::string FieldsOf(std::string_view path) {
    std::string text;
    for (const VolumeField& field : VolumeFieldsOf(scene_.context(), stage_->FindPrim(P(path)))) {
      text += Concat(field.name.text(), " ", field.path.ToString(), "\n");
    }
    return text;
  }
  VolumeFieldSample SampleOf(std::string_view path, TimeCode time) {
    return VolumeFieldQuery(scene_.context(), stage_->FindPrim(P(path))).At(scene_.context(), time);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(VolumeFieldsTest, RelationshipsNameFields) {
  Open(R"(
def Volume "V" {
  rel field:temperature = </V.other>
  rel field:density = </V/D>
  rel field:a:density = </V/Second>
  rel field:two = [</V/D>, </Gone>]
  rel field:none
  rel field:property = </V/D.filePath>
  rel field:gone = </Gone>
  float field:number = 1
  rel other = </V/T>
  def OpenVDBAsset "D" {
  }
}
)");
  EXPECT_EQ(FieldsOf("/V"), "density /V/Second\ngone /Gone\ntemperature /V/T\n");
}

TEST_F(VolumeFieldsTest, FieldsVaryWithTime) {
  scene_.Write("smoke.2.vdb", "");
  Open(R"(
def OpenVDBAsset "D" {
  asset filePath.timeSamples = { 1: @./smoke.1.vdb@, 2: @./smoke.2.vdb@ }
  token fieldName = "density"
  int fieldIndex.timeSamples = { 1: 3, 2: 4 }
  token fieldDataType = "float"
  token fieldClass = "fogVolume"
}
def Field3DAsset "F" {
  token fieldPurpose = "fuel"
  token vectorDataRoleHint = "Color"
}
)");
  const VolumeFieldSample sample = SampleOf("/D", TimeCode::At(2));
  EXPECT_EQ(sample.file.authored, "./smoke.2.vdb");
  EXPECT_EQ(sample.file.resolved, "/smoke.2.vdb");
  EXPECT_EQ(sample.name.text(), "density");
  EXPECT_EQ(sample.index, 4);
  EXPECT_EQ(sample.data_type.text(), "float");
  EXPECT_EQ(sample.field_class.text(), "fogVolume");
  EXPECT_EQ(sample.vector_data_role_hint.text(), "None");
  EXPECT_EQ(SampleOf("/D", TimeCode::At(1)).index, 3);
  const VolumeFieldSample plain = SampleOf("/F", TimeCode::Default());
  EXPECT_EQ(plain.file.authored, "");
  EXPECT_FALSE(plain.index);
  EXPECT_EQ(plain.field_purpose.text(), "fuel");
  EXPECT_EQ(plain.vector_data_role_hint.text(), "Color");
  const auto is_steady = [&](std::string_view path) {
    return VolumeFieldQuery(scene_.context(), stage_->FindPrim(P(path))).is_steady();
  };
  EXPECT_FALSE(is_steady("/D"));
  EXPECT_TRUE(is_steady("/F"));
}

}  // namespace
}  // namespace stagedoor

#include "server/handlers/dependency_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/testing/data_streams.h"
#include "server/testing/dependency_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

using DependencyHandlersTest = DependencySceneTest;

TEST_F(DependencyHandlersTest, ListsFoundAndMissingDependencies) {
  for (const v1::StageSource& source : {Held(), ToOpen()}) {
    v1::ListDependenciesRequest request;
    *request.mutable_source() = source;
    Strings uses;
    for (const auto& part : All(&Client::ListDependencies, request)) {
      for (const v1::Dependency& use : part.dependencies()) {
        uses.push_back(Concat(v1::Dependency::Kind_Name(use.kind()).substr(5), " ",
                              use.authored_path(), " ", use.resolved_path(), " ", use.layer()));
      }
    }
    std::sort(uses.begin(), uses.end());
    EXPECT_EQ(uses, (Strings{"ASSET ./missing.png  /root.usda",
                             "LAYER ./asset.usda /asset.usda /root.usda",
                             "LAYER ./strong.usda /strong.usda /root.usda"}));
  }
}

TEST_F(DependencyHandlersTest, ManyDependenciesComeInSeveralMessages) {
  std::string assets;
  for (int i = 0; i < 1001; ++i) assets += Concat("    asset a", i, " = @", i, ".png@\n");
  Write("root.usda", Concat("def \"P\" {\n", assets, "}\n"));
  v1::ListDependenciesRequest request;
  *request.mutable_source() = ToOpen();
  const auto parts = All(&Client::ListDependencies, request);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].dependencies_size(), 1000);
  EXPECT_EQ(parts[1].dependencies_size(), 1);
}

TEST_F(DependencyHandlersTest, LocalizesLayersWithTheirPathsRewritten) {
  v1::LocalizeStageRequest request;
  *request.mutable_source() = Held();
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  Strings names;
  for (const auto& [name, content] : files) names.push_back(name);
  EXPECT_EQ(names, (Strings{"asset.usda", "root.usda", "strong.usda"}));
  EXPECT_NE(files.at("root.usda").find("asset.usda@"), std::string::npos);
  EXPECT_EQ(files.at("asset.usda").substr(0, 9), "#usda 1.0");
}

TEST_F(DependencyHandlersTest, LocalizesIntoAPackage) {
  v1::LocalizeStageRequest request;
  *request.mutable_source() = ToOpen();
  request.set_package(true);
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.begin()->first, "package.usdz");
  ASSERT_TRUE(files_->Put("/package.usdz", files.begin()->second).ok());
  v1::OpenStageRequest open;
  open.set_root_layer("/package.usdz");
  const v1::StageRef stage = Open(open);
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{2});
  EXPECT_EQ(Numbers(stage, "/P.y", {0}), std::vector<double>{1});
}

TEST_F(DependencyHandlersTest, DependenciesDistinguishClips) {
  WriteClips(1);
  v1::ListDependenciesRequest request;
  *request.mutable_source() = ToOpen();
  Strings uses;
  for (const auto& part : All(&Client::ListDependencies, request)) {
    for (const v1::Dependency& use : part.dependencies()) {
      uses.push_back(
          Concat(v1::Dependency::Kind_Name(use.kind()).substr(5), " ", use.resolved_path()));
    }
  }
  std::sort(uses.begin(), uses.end());
  EXPECT_EQ(uses, (Strings{"CLIP /clip.1.usda", "CLIP /manifest.usda"}));
}

TEST_F(DependencyHandlersTest, DependenciesNeedARootLayerThatOpens) {
  v1::ListDependenciesRequest request;
  request.mutable_source()->mutable_open()->set_root_layer("/missing.usda");
  EXPECT_EQ(ErrorReason(End(&Client::ListDependencies, request)), "LAYER_NOT_FOUND");
  request.mutable_source()->mutable_stage()->set_handle("nobody's");
  EXPECT_EQ(ErrorReason(End(&Client::ListDependencies, request)), "STAGE_NOT_FOUND");
}

TEST_F(DependencyHandlersTest, LocalizedLayersKeepTheirFormat) {
  v1::ConvertLayerRequest convert;
  convert.set_identifier("/asset.usda");
  ASSERT_TRUE(files_->Put("/asset.usdc", DataOf(All(&Client::ConvertLayer, convert))).ok());
  Write("root.usda", "def \"P\" ( references = @./asset.usdc@ ) {}\n");
  v1::LocalizeStageRequest request;
  *request.mutable_source() = ToOpen();
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at("root.usda").substr(0, 9), "#usda 1.0");
  EXPECT_EQ(files.at("asset.usdc").substr(0, 8), "PXR-USDC");
}

}  // namespace
}  // namespace stagedoor::server

#include "server/handlers/flatten_handler.h"

#include <gtest/gtest.h>

#include <string>

#include "server/testing/data_streams.h"
#include "server/testing/dependency_scene_test.h"

namespace stagedoor::server {
namespace {

using FlattenHandlerTest = DependencySceneTest;

TEST_F(FlattenHandlerTest, FlattensALeasedStageAndOneOpenedForTheCall) {
  v1::FlattenStageRequest request;
  request.set_format(v1::LAYER_FORMAT_USDA);
  *request.mutable_source() = Held();
  const std::string held = DataOf(All(&Client::FlattenStage, request));
  EXPECT_NE(held.find("double x = 2"), std::string::npos) << held;
  EXPECT_EQ(held.find("references"), std::string::npos) << held;
  *request.mutable_source() = ToOpen();
  EXPECT_EQ(DataOf(All(&Client::FlattenStage, request)), held);
}

TEST_F(FlattenHandlerTest, FlattensTheLayerStackOnly) {
  v1::FlattenStageRequest request;
  request.set_format(v1::LAYER_FORMAT_USDA);
  request.set_layer_stack_only(true);
  *request.mutable_source() = Held();
  const std::string flat = DataOf(All(&Client::FlattenStage, request));
  EXPECT_EQ(flat.find("subLayers"), std::string::npos) << flat;
  EXPECT_NE(flat.find("references = @"), std::string::npos) << flat;
  EXPECT_EQ(flat.find("double x"), std::string::npos) << flat;
}

TEST_F(FlattenHandlerTest, AStageMustBeNamed) {
  const absl::Status status = End(&Client::FlattenStage, v1::FlattenStageRequest());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(status), "INVALID_FIELD");
  v1::FlattenStageRequest unknown;
  unknown.mutable_source()->mutable_stage()->set_handle("nobody's");
  EXPECT_EQ(ErrorReason(End(&Client::FlattenStage, unknown)), "STAGE_NOT_FOUND");
}

}  // namespace
}  // namespace stagedoor::server

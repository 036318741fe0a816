#include "server/upstream/stage_fields.h"

#include <gtest/gtest.h>

#include "server/upstream/forwarded_method.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

TEST(StageFieldsTest, FindsTheStageWhereverARequestHasIt) {
  v1::BatchGetValuesRequest query;
  EXPECT_EQ(FindStageRef(&query), nullptr);
  query.mutable_stage()->set_handle("h");
  EXPECT_EQ(FindStageRef(&query), &query.stage());
  v1::WarmStageRequest warm;
  warm.mutable_source()->mutable_stage()->set_handle("h");
  EXPECT_EQ(FindStageRef(&warm), &warm.source().stage());
  v1::GenerateClipManifestRequest manifest;
  manifest.mutable_clip_set()->mutable_stage()->mutable_stage()->set_handle("h");
  EXPECT_EQ(FindStageRef(&manifest), &manifest.clip_set().stage().stage());
  v1::ReadAssetRequest asset;
  asset.mutable_stage()->set_handle("h");
  EXPECT_EQ(FindStageRef(&asset), &asset.stage());
}

TEST(StageFieldsTest, FindsTheStageThatIsToBeOpened) {
  v1::OpenStageRequest open;
  EXPECT_EQ(FindOpenRequest(open), &open);
  v1::WarmStageRequest warm;
  EXPECT_EQ(FindOpenRequest(warm), nullptr);
  warm.mutable_source()->mutable_open()->set_root_layer("/a");
  EXPECT_EQ(FindOpenRequest(warm), &warm.source().open());
  EXPECT_EQ(FindStageRef(&warm), nullptr);
}

TEST(StageFieldsTest, KnowsWhetherATextIsSet) {
  v1::SetSessionLayerRequest edit;
  EXPECT_FALSE(HasText(edit, "request_id"));
  edit.set_request_id("a request");
  EXPECT_TRUE(HasText(edit, "request_id"));
  EXPECT_FALSE(HasText(edit, "no_such_field"));
}

// Every query names its stage where FindStageRef looks for it, so none is passed on by mistake.
TEST(StageFieldsTest, EveryQueryHasAStage) {
  for (const ForwardedMethod& method : ForwardedMethods()) {
    if (method.kind != ForwardKind::kQuery && method.kind != ForwardKind::kEdit) continue;
    EXPECT_NE(method.request->GetDescriptor()->FindFieldByName("stage"), nullptr) << method.path;
  }
}

}  // namespace
}  // namespace stagedoor::server

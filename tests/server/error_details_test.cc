// The metadata of ErrorInfo, for every reason of proto/stagedoor/v1/errors.proto that a daemon with
// in-memory layers can return.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/testing/temp_dir.h"
#include "google/rpc/error_details.pb.h"
#include "server/testing/generic_call.h"
#include "server/testing/server_test.h"
#include "server/testing/status_details.h"

namespace stagedoor::server {
namespace {

// "REASON KEY=VALUE …", keys ascending.
std::string Details(const absl::Status& status) {
  const auto payload = status.GetPayload("type.googleapis.com/google.rpc.ErrorInfo");
  google::rpc::ErrorInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) {
    return Concat("no ErrorInfo: ", status.ToString());
  }
  EXPECT_EQ(info.domain(), "stagedoor.dev");
  std::string text = info.reason();
  const std::map<std::string, std::string> sorted(info.metadata().begin(), info.metadata().end());
  for (const auto& [key, value] : sorted) text += Concat(" ", key, "=", value);
  return text;
}

class ErrorDetailsTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", "def \"P\" { double x = 1; rel r = </P>; }\n");
    Write("broken.usda", "def {\n");
    ASSERT_TRUE(files_->Put("/damaged.usdc", "PXR-USDC").ok());
  }

  absl::Status OpenStage(const std::string& root) {
    v1::OpenStageRequest request;
    request.set_root_layer(root);
    return client().OpenStage(request).status();
  }
  absl::Status Explain(const std::string& path) {
    v1::ExplainRequest request;
    *request.mutable_stage() = Open();
    request.set_path(path);
    request.mutable_times()->add_frames(1);
    return client().Explain(request).status();
  }
  absl::Status GetStage(const v1::StageRef& stage) {
    v1::GetStageRequest request;
    *request.mutable_stage() = stage;
    return client().GetStage(request).status();
  }
};

TEST_F(ErrorDetailsTest, LayersAreNamedAsRequested) {
  EXPECT_EQ(Details(OpenStage("/missing.usda")), "LAYER_NOT_FOUND asset=/missing.usda");
  EXPECT_EQ(Details(OpenStage("/broken.usda")), "LAYER_SYNTAX asset=/broken.usda");
  EXPECT_EQ(Details(OpenStage("/damaged.usdc")), "LAYER_CORRUPT asset=/damaged.usdc");
  EXPECT_EQ(Details(OpenStage("")), "INVALID_FIELD field=root_layer value=");
}

TEST_F(ErrorDetailsTest, HandlesAreSecret) {
  v1::StageRef unknown;
  unknown.set_handle("nobody's");
  EXPECT_EQ(Details(GetStage(unknown)), "STAGE_NOT_FOUND");
  v1::StageRef old = Open();
  old.set_snapshot("99");
  EXPECT_EQ(Details(GetStage(old)), "SNAPSHOT_GONE snapshot=99");
}

TEST_F(ErrorDetailsTest, ObjectsAreNamedByTheirPaths) {
  EXPECT_EQ(Details(Explain("/Nobody")), "PRIM_NOT_FOUND path=/Nobody");
  EXPECT_EQ(Details(Explain("/P.nothing")), "ATTRIBUTE_NOT_FOUND path=/P.nothing");
  EXPECT_EQ(Details(Explain("/P.r")), "WRONG_KIND path=/P.r");
  EXPECT_EQ(Details(Explain("no path")), "INVALID_PATH path=no path");
}

TEST_F(ErrorDetailsTest, FieldsAreNamedWithTheirValues) {
  v1::ListStagesRequest list;
  list.set_page_size(-1);
  EXPECT_EQ(Details(client().ListStages(list).status()), "INVALID_FIELD field=page_size value=-1");
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = Open();
  values.add_paths("/P.x");
  values.mutable_times()->add_times();
  EXPECT_EQ(Details(client().BatchGetValues(values).status()), "INVALID_TIME");
}

// The field that is invalid, or else what is wrong.
std::string FieldOf(const absl::Status& status) {
  const std::string begin = "INVALID_FIELD field=";
  std::string details = Details(status);
  const size_t value = details.find(" value=");
  if (!details.starts_with(begin) || value == std::string::npos) return details;
  return details.substr(begin.size(), value - begin.size());
}

TEST_F(ErrorDetailsTest, FieldsWithMalformedAssetPathsAreNamed) {
  const std::string nul("a\0b", 3);
  EXPECT_EQ(Details(OpenStage(std::string(20000, 'x'))),
            Concat("INVALID_FIELD field=root_layer value=", std::string(200, 'x')));
  EXPECT_EQ(FieldOf(OpenStage(nul)), "root_layer");
  v1::OpenStageRequest session, muted;
  session.set_root_layer("/root.usda");
  session.mutable_session_layer()->set_identifier(nul);
  EXPECT_EQ(FieldOf(client().OpenStage(session).status()), "session_layer.identifier");
  muted.set_root_layer("/root.usda");
  muted.add_muted_layers(nul);
  EXPECT_EQ(FieldOf(client().OpenStage(muted).status()), "muted_layers");
  v1::MuteLayersRequest mute, unmute;
  *mute.mutable_stage() = *unmute.mutable_stage() = Open();
  mute.add_mute(nul);
  unmute.add_unmute(nul);
  EXPECT_EQ(FieldOf(client().MuteLayers(mute).status()), "mute");
  EXPECT_EQ(FieldOf(client().MuteLayers(unmute).status()), "unmute");

  v1::ReadLayerRequest read;
  EXPECT_EQ(FieldOf(End(&Client::ReadLayer, read)), "identifier");
  v1::StitchClipsRequest stitch;
  stitch.set_output("a.usda");
  stitch.set_clip_path("/P");
  stitch.add_clips(nul);
  EXPECT_EQ(FieldOf(End(&Client::StitchClips, stitch)), "clips");
  EXPECT_EQ(FieldOf(End(&Client::FlattenStage, v1::FlattenStageRequest())), "source");
}

TEST_F(ErrorDetailsTest, ExpiredLeasesHaveNoHandle) {
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.mutable_lease_ttl()->set_nanos(1);
  EXPECT_EQ(Details(GetStage(Open(open))), "LEASE_EXPIRED");
}

TEST_F(ErrorDetailsTest, ConflictsNameTheSnapshotOrSession) {
  v1::OpenStageRequest shot;
  shot.set_root_layer("/root.usda");
  shot.set_session("shot");
  v1::UnloadPrimsRequest unload;
  *unload.mutable_stage() = Open(shot);
  unload.add_paths("/P");
  unload.set_expected_snapshot("another");
  v1::GetStageRequest get;
  *get.mutable_stage() = unload.stage();
  const auto stage = client().GetStage(get);
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_EQ(Details(client().UnloadPrims(unload).status()),
            Concat("SNAPSHOT_CONFLICT snapshot=", stage->stage().snapshot()));
  shot.add_muted_layers("/other.usda");
  EXPECT_EQ(Details(client().OpenStage(shot).status()), "SESSION_CONFLICT session=shot");
}

TEST_F(ErrorDetailsTest, ForbiddenAssetsAreNamedAsRequested) {
  const TempDir folder;
  folder.Write("in/root.usda", "#usda 1.0\n");
  folder.Write("out.usda", "#usda 1.0\n");
  ServerOptions options;
  options.allowed_roots = {folder / "in"};
  StartOn(options, nullptr);
  const std::string outside = folder / "out.usda";
  EXPECT_EQ(Details(OpenStage(outside)), Concat("ASSET_FORBIDDEN asset=", outside));
  v1::ReadLayerRequest read;
  read.set_identifier(outside);
  EXPECT_EQ(Details(End(&Client::ReadLayer, read)), Concat("ASSET_FORBIDDEN asset=", outside));
}

TEST_F(ErrorDetailsTest, ExhaustedBudgetsAreNamed) {
  ServerOptions options;
  options.leases.max_leases = 1;
  options.limits.max_paths = 1;
  Start(options);
  const v1::StageRef stage = Open();
  EXPECT_EQ(Details(OpenStage("/root.usda")), "BUDGET_EXHAUSTED budget=leases");
  v1::ListTimeSamplesRequest samples;
  *samples.mutable_stage() = stage;
  samples.add_paths("/P.x");
  samples.add_paths("/P.x");
  EXPECT_EQ(Details(client().ListTimeSamples(samples).status()), "REQUEST_TOO_LARGE");
}

TEST_F(ErrorDetailsTest, ErrorsAlwaysFitIntoTrailingMetadata) {
  v1::ReadLayerRequest request;
  for (int i = 0; i < 3000; ++i) request.mutable_identifier()->append("\xF0\x9F\x8E\xAD");
  const auto* method =
      v1::ReadLayerRequest::descriptor()->file()->service(0)->FindMethodByName("ReadLayer");
  const GenericReply reply = CallMethod(channel(), *method, request);
  EXPECT_NE(reply.status.error_code(), grpc::StatusCode::OK);
  EXPECT_LE(3 * reply.status.error_message().size() + 4 * reply.status.error_details().size() / 3,
            8000u);
  EXPECT_NE(DetailOf<google::rpc::ErrorInfo>(reply.status).reason(), "");
}

}  // namespace
}  // namespace stagedoor::server

#include "server/handlers/edit_stage_handler.h"

// Tests of EditStage and ExportSessionLayer. What single edits author is tested in scene/edit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/edit_errors.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"
#include "server/sessions/edit_errors.h"
#include "server/testing/data_streams.h"
#include "server/testing/payload_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class EditStageHandlerTest : public PayloadSceneTest {
 protected:
  static v1::Edit SetDouble(const std::string& path, double value) {
    v1::Edit edit;
    edit.mutable_set_value()->set_path(path);
    edit.mutable_set_value()->mutable_value()->set_double_value(value);
    return edit;
  }
  static v1::Edit Define(const std::string& path, const std::string& type = "") {
    v1::Edit edit;
    edit.mutable_define_prim()->set_path(path);
    edit.mutable_define_prim()->set_type_name(type);
    return edit;
  }
  static v1::Edit SetSession(const std::string& content) {
    v1::Edit edit;
    edit.mutable_session_layer()->set_content(content);
    return edit;
  }

  absl::StatusOr<v1::EditStageResponse> Try(const v1::StageRef& stage,
                                            const std::vector<v1::Edit>& edits,
                                            const std::string& expected = "") {
    v1::EditStageRequest request;
    *request.mutable_stage() = stage;
    for (const v1::Edit& edit : edits) *request.add_edits() = edit;
    request.set_expected_snapshot(expected);
    return client().EditStage(request);
  }
  std::string Edit(const v1::StageRef& stage, const std::vector<v1::Edit>& edits) {
    const auto reply = Try(stage, edits);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->snapshot() : "";
  }
  std::string Newest(const v1::StageRef& stage) {
    v1::GetStageRequest get;
    *get.mutable_stage() = stage;
    return client().GetStage(get)->stage().snapshot();
  }
  // The session layer without the first line.
  std::string Export(const v1::StageRef& stage) {
    v1::ExportSessionLayerRequest request;
    *request.mutable_stage() = stage;
    const auto parts = All(&Client::ExportSessionLayer, request);
    EXPECT_EQ(parts.at(0).snapshot(), stage.snapshot().empty() ? Newest(stage) : stage.snapshot());
    const std::string text = DataOf(parts);
    return text.substr(text.find('\n') + 1);
  }
};

TEST_F(EditStageHandlerTest, EditsOneSessionAndPublishesASnapshot) {
  const v1::StageRef mine = Open(), theirs = Open();
  const std::string before = Newest(mine);
  const std::string after = Edit(mine, {SetDouble("/P.x", 5), Define("/New", "Xform")});
  EXPECT_NE(after, before);
  EXPECT_EQ(Newest(mine), after);
  EXPECT_EQ(Newest(theirs), before);
  EXPECT_EQ(Numbers(mine, "/P.x", {0}), std::vector<double>{5});
  EXPECT_EQ(Numbers(theirs, "/P.x", {0}), std::vector<double>{1});
  EXPECT_EQ(Paths(mine).back(), "/New");
  v1::StageRef pinned = mine;
  pinned.set_snapshot(before);
  EXPECT_EQ(Numbers(pinned, "/P.x", {0}), std::vector<double>{1}) << "a reader keeps its snapshot";
  EXPECT_EQ(Export(pinned), "\n");
}

TEST_F(EditStageHandlerTest, LaterEditsBuildOnEarlierOnes) {
  const v1::StageRef stage = Open();
  Edit(stage, {Define("/New", "Sphere"), SetDouble("/New.radius", 3)});
  Edit(stage, {SetDouble("/New.radius", 4)});
  Edit(stage, {SetDouble("/P.x", 7)});
  EXPECT_EQ(Numbers(stage, "/New.radius", {0}), std::vector<double>{4});
  EXPECT_EQ(Export(stage), R"(
def Sphere "New"
{
    double radius = 4
}

over "P"
{
    double x = 7
}

)");
}

TEST_F(EditStageHandlerTest, ChangedFilesAreReadOnReloadOnly) {
  Write("root.usda", "def \"A\" { double x = 1; double y = 1; }\n");
  const v1::StageRef stage = Open();
  Edit(stage, {SetDouble("/A.y", 5)});
  Write("root.usda", "def \"A\" { double x = 2; double y = 2; }\n");
  Edit(stage, {SetDouble("/A.y", 6)});
  EXPECT_EQ(Numbers(stage, "/A.x", {0}), std::vector<double>{1});
  EXPECT_EQ(Numbers(stage, "/A.y", {0}), std::vector<double>{6});
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  ASSERT_TRUE(client().ReloadStage(reload).ok());
  EXPECT_EQ(Numbers(stage, "/A.x", {0}), std::vector<double>{2});
  EXPECT_EQ(Numbers(stage, "/A.y", {0}), std::vector<double>{6});
}

TEST_F(EditStageHandlerTest, AllEditsOrNone) {
  const v1::StageRef stage = Open();
  const std::string before = Newest(stage);
  v1::Edit unknown;
  v1::Edit wrong = SetDouble("/P.x", 1);
  wrong.mutable_set_value()->mutable_value()->set_string_value("one");
  const auto reply = Try(stage, {SetDouble("/P.x", 5), SetDouble("/P.none", 1),
                                 SetDouble("/Nobody.x", 1), Define("a b"), wrong, unknown});
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(reply.status()), "ATTRIBUTE_NOT_FOUND") << "that of the first";
  EXPECT_EQ(Message(reply.status()).substr(0, 8), "edit 1: ") << reply.status();
  const auto errors = GetEditErrors(reply.status());
  ASSERT_TRUE(errors.has_value());
  EXPECT_EQ(errors->error_count(), 5u);
  const std::vector<std::pair<uint32_t, v1::ErrorReason>> expected = {
      {1, v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND},
      {2, v1::ERROR_REASON_PRIM_NOT_FOUND},
      {3, v1::ERROR_REASON_INVALID_PATH},
      {4, v1::ERROR_REASON_WRONG_KIND},
      {5, v1::ERROR_REASON_INVALID_FIELD}};
  ASSERT_EQ(static_cast<size_t>(errors->errors_size()), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(errors->errors(static_cast<int>(i)).item(), expected[i].first);
    EXPECT_EQ(errors->errors(static_cast<int>(i)).reason(), expected[i].second);
  }
  EXPECT_EQ(Newest(stage), before);
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{1});
}

TEST(EditErrorListTest, AnInvalidFieldIsNamed) {
  for (const v1::ErrorReason reason :
       {v1::ERROR_REASON_INVALID_FIELD, v1::ERROR_REASON_INVALID_PATH}) {
    EditErrorList errors;
    errors.Add(1, WithReason(InvalidArgumentError("the edit is empty"), reason));
    const auto payload = errors.ToStatus().GetPayload(
        absl::string_view(kBadRequestUrl.data(), kBadRequestUrl.size()));
    ASSERT_EQ(payload.has_value(), reason == v1::ERROR_REASON_INVALID_FIELD);
    if (!payload.has_value()) continue;
    google::rpc::BadRequest request;
    ASSERT_TRUE(request.ParseFromString(std::string(*payload)));
    ASSERT_EQ(request.field_violations_size(), 1);
    EXPECT_EQ(request.field_violations(0).field(), "edits[1]");
    EXPECT_EQ(request.field_violations(0).description(), "the edit is empty");
  }
}

TEST_F(EditStageHandlerTest, ManyErrorsAreCountedButNotAllSent) {
  const v1::StageRef stage = Open();
  const std::vector<v1::Edit> edits(500, SetDouble("/Nobody.x", 1));
  const auto errors = GetEditErrors(Try(stage, edits).status());
  ASSERT_TRUE(errors.has_value());
  EXPECT_EQ(errors->error_count(), 500u);
  EXPECT_GT(errors->errors_size(), 10);
  EXPECT_LE(errors->errors_size(), 100);
}

TEST_F(EditStageHandlerTest, ConflictsAreDetected) {
  const v1::StageRef stage = Open();
  const std::string first = Newest(stage);
  const std::string second = Edit(stage, {SetDouble("/P.x", 2)});
  const auto late = Try(stage, {SetDouble("/P.x", 3)}, first);
  EXPECT_EQ(late.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(late.status()), "SNAPSHOT_CONFLICT");
  EXPECT_TRUE(Try(stage, {SetDouble("/P.x", 3)}, second).ok());
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{3});
}

TEST_F(EditStageHandlerTest, ARepeatedRequestIsCarriedOutOnce) {
  v1::EditStageRequest request;
  *request.mutable_stage() = Open();
  request.set_request_id("0123456789abcdef");
  *request.add_edits() = SetDouble("/P.x", 2);
  const auto first = client().EditStage(request);
  Edit(request.stage(), {SetDouble("/P.x", 3)});
  const auto again = client().EditStage(request);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->snapshot(), first->snapshot());
  EXPECT_EQ(Numbers(request.stage(), "/P.x", {0}), std::vector<double>{3});
}

TEST_F(EditStageHandlerTest, EqualEditsGiveEqualSnapshots) {
  const v1::StageRef a = Open(), b = Open(), c = Open();
  for (const v1::StageRef& stage : {a, b}) {
    Edit(stage, {SetDouble("/P.x", 2)});
    Edit(stage, {SetDouble("/P.x", 3)});
  }
  Edit(c, {SetDouble("/P.x", 3)});
  EXPECT_EQ(Newest(a), Newest(b));
  EXPECT_NE(Newest(a), Newest(c));
  v1::EditStageRequest variant;
  *variant.mutable_stage() = a;
  *variant.add_edits() = SetDouble("/P.x", 4);
  *variant.mutable_stage() = b;
  variant.mutable_target()->set_variant_path("/P{v=x}");
  ASSERT_TRUE(client().EditStage(variant).ok());
  Edit(a, {SetDouble("/P.x", 4)});
  EXPECT_NE(Newest(a), Newest(b));
}

TEST_F(EditStageHandlerTest, LoadingMutingAndEditingInOneCall) {
  v1::OpenStageRequest open;
  open.set_load_policy(v1::LOAD_POLICY_NONE);
  const v1::StageRef stage = Open(open);
  v1::Edit load, unload, mute, unmute;
  load.mutable_load_prim()->set_path("/P");
  unload.mutable_unload_prim()->set_path("/P/Q");
  Edit(stage, {load, unload, Define("/P/Leaf", "Cube"), SetDouble("/P/Leaf.size", 2)});
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Leaf", "/R"}));
  EXPECT_EQ(Numbers(stage, "/P/Leaf.size", {0}), std::vector<double>{2});
  mute.mutable_mute_layer()->set_identifier("/strong.usda");
  Edit(stage, {mute});
  unmute.mutable_mute_layer()->set_identifier("/strong.usda");
  unmute.mutable_mute_layer()->set_unmute(true);
  Edit(stage, {unmute});
  EXPECT_EQ(Numbers(stage, "/P/Leaf.size", {0}), std::vector<double>{2}) << "the edits stay";
  load.mutable_load_prim()->set_path("no path");
  EXPECT_EQ(ErrorReason(Try(stage, {load}).status()), "INVALID_PATH");
}

TEST_F(EditStageHandlerTest, AnEditSeesWhatLoadingBeforeItBroughtIn) {
  v1::OpenStageRequest open;
  open.set_load_policy(v1::LOAD_POLICY_NONE);
  const v1::StageRef stage = Open(open);
  v1::Edit kind;
  kind.mutable_set_field()->set_path("/P/Leaf");
  kind.mutable_set_field()->set_name("kind");
  kind.mutable_set_field()->mutable_value()->set_token_value("component");
  EXPECT_EQ(ErrorReason(Try(stage, {kind}).status()), "PRIM_NOT_FOUND");
  v1::Edit load;
  load.mutable_load_prim()->set_path("/P");
  Edit(stage, {load, kind});
}

TEST_F(EditStageHandlerTest, ASessionLayerReplacesTheEditsBeforeIt) {
  const v1::StageRef stage = Open();
  Edit(stage, {SetDouble("/P.x", 2)});
  Edit(stage, {Define("/Gone"), SetSession("#usda 1.0\ndef Sphere \"S\" {}\n"),
               SetDouble("/S.radius", 2)});
  EXPECT_EQ(Export(stage), "\ndef Sphere \"S\"\n{\n    double radius = 2\n}\n\n");
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{1});
  const auto broken = Try(stage, {SetSession("#usda 1.0\ndef {"), SetDouble("/S.radius", 2)});
  EXPECT_EQ(ErrorReason(broken.status()), "LAYER_SYNTAX");
  EXPECT_EQ(GetEditErrors(broken.status())->error_count(), 1u);
  v1::SetSessionLayerRequest reset;
  *reset.mutable_stage() = stage;
  ASSERT_TRUE(client().SetSessionLayer(reset).ok());
  EXPECT_EQ(Export(stage), "\n");
}

TEST_F(EditStageHandlerTest, ASessionLayerFromAFileIsCopied) {
  Write("sub/session.usda",
        "( subLayers = [@below.usda@] )\nover \"P\" ( references = @near.usda@ ) {}\n");
  Write("sub/below.usda", "def \"Below\" {}\n");
  Write("sub/near.usda", "( defaultPrim = \"N\" )\ndef \"N\" {\ndef \"FromNear\" {}\n}\n");
  v1::OpenStageRequest open;
  open.mutable_session_layer()->set_identifier("/sub/session.usda");
  const v1::StageRef stage = Open(open);
  Edit(stage, {SetDouble("/P.x", 2)});
  const Strings paths = Paths(stage);
  EXPECT_NE(std::find(paths.begin(), paths.end(), "/P/FromNear"), paths.end())
      << "its asset paths are still anchored";
  EXPECT_NE(std::find(paths.begin(), paths.end(), "/Below"), paths.end());
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{2});
  const v1::StageRef other = Open(open);
  EXPECT_EQ(Numbers(other, "/P.x", {0}), std::vector<double>{1}) << "the file is as it was";
}

TEST_F(EditStageHandlerTest, ReloadingKeepsTheEdits) {
  const v1::StageRef stage = Open();
  Edit(stage, {SetDouble("/P.x", 9), Define("/New")});
  Write("asset.usda", "( defaultPrim = \"A\" )\ndef \"A\" {\ndef \"Other\" {}\n}\n");
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  ASSERT_TRUE(client().ReloadStage(reload).ok());
  EXPECT_EQ(Paths(stage), (Strings{"/P", "/P/Other", "/P/Q", "/P/Q/Other", "/R", "/New"}));
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{9});
}

TEST_F(EditStageHandlerTest, ANamedSessionShowsTheEditsOfAllItsClients) {
  v1::OpenStageRequest open;
  open.set_session("shared-session");
  const v1::StageRef a = Open(open), b = Open(open);
  Edit(a, {SetDouble("/P.x", 2)});
  EXPECT_EQ(Numbers(b, "/P.x", {0}), std::vector<double>{2});
  Edit(b, {Define("/FromB")});
  EXPECT_EQ(Paths(a).back(), "/FromB");
}

TEST_F(EditStageHandlerTest, TheSizeOfTheLayerIsLimited) {
  ServerOptions options;
  options.limits.max_session_layer_bytes = 4000;
  Start(options);
  const v1::StageRef stage = Open();
  v1::Edit large;
  large.mutable_set_value()->set_path("/P.big");
  large.mutable_set_value()->set_type_name("double[]");
  v1::PackedValues* packed = large.mutable_set_value()->mutable_value()->mutable_array_value();
  packed->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  packed->set_shape(v1::ELEMENT_SHAPE_SCALAR);
  packed->set_rows(1);
  packed->set_columns(1);
  packed->set_count(600);
  packed->set_data(std::string(4800, '\0'));
  EXPECT_EQ(ErrorReason(Try(stage, {large}).status()), "REQUEST_TOO_LARGE");
  packed->set_count(60);
  packed->mutable_data()->resize(480);
  Edit(stage, {large});
  // Deep paths must not multiply into many specs.
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "/a";
  EXPECT_EQ(ErrorReason(Try(stage, {Define(deep)}).status()), "REQUEST_TOO_LARGE");
  Edit(stage, {SetDouble("/P.x", 1)});
}

TEST_F(EditStageHandlerTest, TheNumberOfEditsIsLimited) {
  const v1::StageRef stage = Open();
  v1::Edit clear;
  clear.mutable_clear_value()->set_path("/P.x");
  EXPECT_EQ(ErrorReason(Try(stage, std::vector<v1::Edit>(100001, clear)).status()),
            "REQUEST_TOO_LARGE");
  EXPECT_TRUE(Try(stage, std::vector<v1::Edit>(100000, clear)).ok());
}

TEST_F(EditStageHandlerTest, NamesAStageThatExists) {
  v1::StageRef nobody;
  nobody.set_handle("nobody's");
  EXPECT_EQ(ErrorReason(Try(nobody, {}).status()), "STAGE_NOT_FOUND");
  v1::ExportSessionLayerRequest request;
  *request.mutable_stage() = nobody;
  EXPECT_EQ(ErrorReason(End(&Client::ExportSessionLayer, request)), "STAGE_NOT_FOUND");
}

TEST_F(EditStageHandlerTest, EditsInAVariant) {
  const v1::StageRef stage = Open();
  v1::EditStageRequest request;
  *request.mutable_stage() = stage;
  request.mutable_target()->set_variant_path("/P{look=red}");
  *request.add_edits() = SetDouble("/P.x", 6);
  ASSERT_TRUE(client().EditStage(request).ok());
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{1}) << "not selected";
  v1::Edit selected;
  v1::Edit::SelectVariant* const select = selected.mutable_select_variant();
  select->set_path("/P");
  select->set_variant_set("look");
  select->set_variant("red");
  Edit(stage, {selected});
  // The opinion of the root layer is weaker than the session layer, but not than its variant.
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{1});
  request.mutable_target()->set_variant_path("/P");
  EXPECT_EQ(ErrorReason(client().EditStage(request).status()), "INVALID_PATH");
}

}  // namespace
}  // namespace stagedoor::server

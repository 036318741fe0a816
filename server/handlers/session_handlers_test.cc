// Sessions, handles and repeated requests, as clients see them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/handlers/stage_handlers.h"
#include "server/testing/payload_scene_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

constexpr char kId[] = "0123456789abcdef";

class SessionHandlersTest : public PayloadSceneTest {
 protected:
  static v1::OpenStageRequest Request(const std::string& session) {
    v1::OpenStageRequest request;
    request.set_root_layer("/root.usda");
    request.set_session(session);
    return request;
  }
  v1::OpenStageResponse OpenedBy(const v1::OpenStageRequest& request) {
    const auto opened = client().OpenStage(request);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? *opened : v1::OpenStageResponse();
  }
  static v1::StageRef Ref(const v1::OpenStageResponse& opened) {
    v1::StageRef ref;
    ref.set_handle(opened.handle());
    return ref;
  }
  v1::Stage Describe(const v1::StageRef& ref) {
    v1::GetStageRequest request;
    *request.mutable_stage() = ref;
    const auto reply = client().GetStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->stage() : v1::Stage();
  }
  absl::StatusOr<v1::UnloadPrimsResponse> Unload(const v1::StageRef& ref, const char* path,
                                                 const std::string& expected = "",
                                                 const std::string& id = "") {
    v1::UnloadPrimsRequest request;
    *request.mutable_stage() = ref;
    request.add_paths(path);
    request.set_expected_snapshot(expected);
    request.set_request_id(id);
    return client().UnloadPrims(request);
  }
  int Leases() {
    int leases = 0;
    const auto list = client().ListStages({});
    EXPECT_TRUE(list.ok()) << list.status();
    for (const v1::Stage& stage : list->stages()) leases += static_cast<int>(stage.lease_count());
    return leases;
  }
};

TEST_F(SessionHandlersTest, ClientsOfANamedSessionShareItsEdits) {
  const v1::OpenStageResponse mine = OpenedBy(Request("layout"));
  const v1::OpenStageResponse yours = OpenedBy(Request("layout"));
  const v1::OpenStageResponse theirs = OpenedBy(Request(""));
  EXPECT_NE(mine.handle(), yours.handle());
  EXPECT_EQ(mine.routing_key(), theirs.routing_key());
  const auto edited = Unload(Ref(mine), "/P");
  ASSERT_TRUE(edited.ok()) << edited.status();
  EXPECT_EQ(Describe(Ref(yours)).snapshot(), edited->snapshot());
  EXPECT_EQ(Describe(Ref(yours)).session(), "layout");
  EXPECT_EQ(Describe(Ref(yours)).lease_count(), 2u);
  EXPECT_EQ(Describe(Ref(theirs)).snapshot(), mine.stage().snapshot());
  EXPECT_EQ(Describe(Ref(theirs)).session(), "");
  EXPECT_EQ(OpenedBy(Request("layout")).stage().snapshot(), edited->snapshot()) << "joins late";
}

TEST_F(SessionHandlersTest, WhoJoinsASessionDoesNotOpenItsStage) {
  EXPECT_TRUE(OpenedBy(Request("a")).opened());
  EXPECT_FALSE(OpenedBy(Request("a")).opened());
}

TEST_F(SessionHandlersTest, ASessionOutlivesTheLeaseThatCreatedIt) {
  const v1::OpenStageResponse first = OpenedBy(Request("layout"));
  const v1::OpenStageResponse second = OpenedBy(Request("layout"));
  const auto edited = Unload(Ref(first), "/P");
  ASSERT_TRUE(edited.ok()) << edited.status();
  v1::CloseStageRequest close;
  close.set_handle(first.handle());
  ASSERT_TRUE(client().CloseStage(close).ok());
  EXPECT_EQ(OpenedBy(Request("layout")).stage().snapshot(), edited->snapshot());
}

TEST_F(SessionHandlersTest, ASessionIsOfOneStage) {
  const v1::OpenStageResponse opened = OpenedBy(Request("layout"));
  v1::OpenStageRequest other = Request("layout");
  other.set_load_policy(v1::LOAD_POLICY_NONE);
  EXPECT_EQ(ErrorReason(client().OpenStage(other).status()), "SESSION_CONFLICT");
  other = Request("layout");
  other.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(ErrorReason(client().OpenStage(other).status()), "SESSION_CONFLICT");
  other = Request(std::string(201, 'x'));
  EXPECT_EQ(ErrorReason(client().OpenStage(other).status()), "INVALID_FIELD");
}

TEST_F(SessionHandlersTest, EqualContentHasEqualFingerprints) {
  const v1::OpenStageResponse a = OpenedBy(Request("")), b = OpenedBy(Request(""));
  EXPECT_EQ(Unload(Ref(a), "/P")->snapshot(), Unload(Ref(b), "/P")->snapshot());
}

TEST_F(SessionHandlersTest, AnEditOfAnotherSnapshotIsRefused) {
  const v1::OpenStageResponse opened = OpenedBy(Request(""));
  const std::string first = opened.stage().snapshot();
  const auto edited = Unload(Ref(opened), "/P", first);
  ASSERT_TRUE(edited.ok()) << edited.status();
  const auto conflict = Unload(Ref(opened), "/R", first);
  EXPECT_EQ(conflict.status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(conflict.status()), "SNAPSHOT_CONFLICT");
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = Ref(opened);
  reload.set_expected_snapshot(first);
  EXPECT_EQ(ErrorReason(client().ReloadStage(reload).status()), "SNAPSHOT_CONFLICT");
  EXPECT_EQ(Describe(Ref(opened)).snapshot(), edited->snapshot());
}

TEST_F(SessionHandlersTest, ARepeatedOpenReturnsTheSameHandle) {
  v1::OpenStageRequest request = Request("");
  request.set_request_id(kId);
  const v1::OpenStageResponse first = OpenedBy(request), again = OpenedBy(request);
  EXPECT_EQ(first.handle(), again.handle());
  EXPECT_EQ(first.stage().snapshot(), again.stage().snapshot());
  EXPECT_EQ(first.routing_key(), again.routing_key());
  EXPECT_TRUE(again.has_lease_expire_time());
  EXPECT_EQ(Leases(), 1);
  v1::CloseStageRequest close;
  close.set_handle(first.handle());
  ASSERT_TRUE(client().CloseStage(close).ok());
  EXPECT_NE(OpenedBy(request).handle(), first.handle()) << "a closed stage is opened again";
}

TEST_F(SessionHandlersTest, ARequestIdNamesOneRequest) {
  v1::OpenStageRequest request = Request("");
  request.set_request_id(kId);
  OpenedBy(request);
  request.set_load_policy(v1::LOAD_POLICY_NONE);
  EXPECT_EQ(ErrorReason(client().OpenStage(request).status()), "INVALID_FIELD");
  for (const size_t bytes : {15, 129}) {
    request.set_request_id(std::string(bytes, 'x'));
    EXPECT_EQ(ErrorReason(client().OpenStage(request).status()), "INVALID_FIELD") << bytes;
  }
  EXPECT_EQ(Leases(), 1);
}

TEST_F(SessionHandlersTest, ARepeatedEditIsCarriedOutOnce) {
  const v1::OpenStageResponse opened = OpenedBy(Request(""));
  const auto first = Unload(Ref(opened), "/P", opened.stage().snapshot(), kId);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto again = Unload(Ref(opened), "/P", opened.stage().snapshot(), kId);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(first->snapshot(), again->snapshot());
  EXPECT_EQ(ErrorReason(Unload(Ref(opened), "/R", "", kId).status()), "INVALID_FIELD");
}

TEST_F(SessionHandlersTest, OperatorsNameStagesById) {
  const v1::OpenStageResponse opened = OpenedBy(Request("layout"));
  const auto list = client().ListStages({});
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->stages_size(), 1);
  v1::GetStageRequest request;
  request.set_id(list->stages(0).id());
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  const auto reply = client().GetStage(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->stage().snapshot(), opened.stage().snapshot());
  EXPECT_GT(reply->stage().used_layers_size(), 0);
  EXPECT_FALSE(reply->has_lease_expire_time());
  for (const char* id : {"0", "99", "x"}) {
    request.set_id(id);
    EXPECT_EQ(ErrorReason(client().GetStage(request).status()), "STAGE_NOT_FOUND") << id;
  }
}

TEST_F(SessionHandlersTest, HandlesAreInNoMessage) {
  const v1::OpenStageResponse opened = OpenedBy(Request(""));
  v1::CloseStageRequest close;
  close.set_handle(opened.handle());
  EXPECT_EQ(Describe(Ref(opened)).DebugString().find(opened.handle()), std::string::npos);
  ASSERT_TRUE(client().CloseStage(close).ok());
  const absl::Status closed = client().CloseStage(close).status();
  EXPECT_EQ(closed.ToString().find(opened.handle()), std::string::npos) << closed;
}

TEST_F(SessionHandlersTest, StagesStateTheirUnits) {
  v1::Stage stage = OpenedBy(Request("")).stage();
  EXPECT_EQ(stage.meters_per_unit(), 0.01);
  EXPECT_EQ(stage.up_axis(), "Y");
  Write("root.usda", "(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\ndef \"P\" {}\n");
  stage = OpenedBy(Request("")).stage();
  EXPECT_EQ(stage.meters_per_unit(), 1);
  EXPECT_EQ(stage.up_axis(), "Z");
}

}  // namespace
}  // namespace stagedoor::server

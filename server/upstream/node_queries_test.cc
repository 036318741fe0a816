#include "server/upstream/node_queries.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "server/access/testing/test_signing_key.h"
#include "server/query_socket/testing/frame_client.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

constexpr int kCancelled = static_cast<int>(absl::StatusCode::kCancelled);
constexpr int kDeadlineExceeded = static_cast<int>(absl::StatusCode::kDeadlineExceeded);

// The query socket of a node daemon, and the daemon above it, in one process.
class NodeQueriesTest : public ServerTest {
 protected:
  NodeQueriesTest() {
    Write("root.usda", Concat(R"(
def "A" {
  double x.timeSamples = { 0: 0, 100: 1000 }
  double[] many = [)",
                              Zeros(10000), "]\n}\n"));
  }

  static std::string Zeros(int count) {
    std::string text = "0";
    for (int i = 1; i < count; ++i) text += ",0";
    return text;
  }

  std::string above() const { return Concat("unix:", folder_.path(), "/above.sock"); }

  void StartBoth(ServerOptions upstream = {}) {
    upstream.addresses = {above()};
    Start(upstream);
    ServerOptions options;
    options.upstream = {.addresses = {above()}, .clip_age = std::chrono::hours(1)};
    options.query_socket = path_;
    auto node = Server::Start(options);
    ASSERT_TRUE(node.ok()) << node.status();
    node_ = *std::move(node);
    ClientOptions plain;
    plain.coalescing.enabled = false;
    process_ = Client::FromChannel(node_->InProcessChannel(), plain);
  }

  v1::StageRef OpenByNode(v1::OpenStageRequest request = {}, const CallOptions& call = {}) {
    request.set_root_layer("/root.usda");
    const auto reply = process_->OpenStage(request, call);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::StageRef ref;
    if (reply.ok()) ref.set_handle(reply->handle());
    return ref;
  }

  // A client that has bound the stage to 0, and /A.x and /A.many to 0 and 1.
  std::unique_ptr<FrameClient> Connect(const v1::StageRef& stage) {
    auto client = std::make_unique<FrameClient>(path_);
    v1::ClientFrames frames;
    *frames.add_frames()->mutable_bind_stage()->mutable_ref() = stage;
    auto* paths = frames.add_frames()->mutable_bind_paths();
    paths->add_paths("/A.x");
    paths->add_paths("/A.many");
    client->Send(frames);
    return client;
  }

  static v1::ClientFrame QueryOf(uint64_t id, double time, uint32_t path = 0) {
    v1::ClientFrame frame;
    frame.mutable_query()->set_request_id(id);
    frame.mutable_query()->add_paths(path);
    frame.mutable_query()->mutable_times()->add_frames(time);
    return frame;
  }
  static void Send(FrameClient& client, v1::ClientFrame frame) {
    v1::ClientFrames frames;
    *frames.add_frames() = std::move(frame);
    client.Send(frames);
  }
  static v1::Answer Ask(FrameClient& client, v1::ClientFrame frame) {
    Send(client, std::move(frame));
    return client.ReceiveAnswers(1).at(0);
  }
  static double Number(const v1::Answer& answer) {
    if (answer.values().columns_size() != 1) ADD_FAILURE() << answer.ShortDebugString();
    return answer.values().columns_size() == 1 ? answer.values().columns(0).doubles(0) : -1;
  }

  v1::UpstreamStatistics Statistics() {
    const auto reply = process_->GetServerStatistics({});
    return reply.ok() ? reply->upstream() : v1::UpstreamStatistics();
  }

  TempDir folder_{"/tmp"};
  const std::string path_ = folder_ / "queries.sock";
  std::unique_ptr<Server> node_;
  std::unique_ptr<Client> process_;
};

TEST_F(NodeQueriesTest, CapabilitiesNameTheSocketOfTheNodeDaemon) {
  StartBoth({.query_socket = folder_ / "above-queries.sock"});
  EXPECT_EQ(client().GetCapabilities({})->query_socket(), folder_ / "above-queries.sock");
  EXPECT_EQ(process_->GetCapabilities({})->query_socket(), path_);
}

TEST_F(NodeQueriesTest, RepliesAreThoseOfCallsAndKeptWithThem) {
  StartBoth();
  const v1::StageRef stage = OpenByNode();
  const auto client = Connect(stage);
  const v1::Answer answer = Ask(*client, QueryOf(5, 12));
  EXPECT_EQ(answer.request_id(), 5u);
  EXPECT_EQ(Number(answer), 120);
  EXPECT_EQ(Statistics().misses(), 1u);
  const auto reply =
      process_->BatchGetValues(RequestFor<v1::BatchGetValuesRequest>(stage, {"/A.x"}, {12}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(answer.values().SerializeAsString(), reply->SerializeAsString());
  EXPECT_EQ(Number(Ask(*client, QueryOf(6, 12))), 120);
  EXPECT_EQ(Statistics().hits(), 2u) << "the call, and the second query";
  EXPECT_EQ(Statistics().misses(), 1u);
}

TEST_F(NodeQueriesTest, ManyQueriesInAWindowAreAllAnswered) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  v1::ClientFrames frames;
  for (uint64_t id = 0; id < 500; ++id) {
    *frames.add_frames() = QueryOf(id, static_cast<double>(id % 100));
  }
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(500);
  ASSERT_EQ(answers.size(), 500u);
  for (uint64_t id = 0; id < 500; ++id) {
    EXPECT_EQ(Number(answers[id]), static_cast<double>(id % 100) * 10);
  }
  EXPECT_EQ(Statistics().misses(), 100u);
}

TEST_F(NodeQueriesTest, LargeArraysAreInMemoryThatTheClientShares) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  for (const uint64_t id : {0, 1}) {
    v1::ClientFrame query = QueryOf(id, 0, 1);
    query.mutable_query()->set_shared_segments(true);
    const v1::Answer answer = Ask(*client, query);
    ASSERT_EQ(answer.values().columns_size(), 1) << answer.ShortDebugString();
    const v1::PackedValues& array = answer.values().columns(0).values(0).array_value();
    EXPECT_EQ(array.segment().size(), 80000u);
    EXPECT_EQ(array.count(), 10000u);
  }
  const v1::Answer inside = Ask(*client, QueryOf(2, 0, 1));
  EXPECT_EQ(inside.values().columns(0).values(0).array_value().data().size(), 80000u);
  EXPECT_EQ(Statistics().misses(), 1u);
}

TEST_F(NodeQueriesTest, SessionsWithANameArePassedOn) {
  StartBoth();
  v1::OpenStageRequest request;
  request.set_session("shot");
  const v1::StageRef stage = OpenByNode(request);
  const auto client = Connect(stage);
  EXPECT_EQ(Number(Ask(*client, QueryOf(1, 12))), 120);
  EXPECT_EQ(Statistics().passed(), 2u) << "OpenStage, and the query";
}

TEST_F(NodeQueriesTest, AHandleThatIsNotKnownIsAnError) {
  StartBoth();
  v1::StageRef stage;
  stage.set_handle("node-x");
  EXPECT_EQ(Ask(*Connect(stage), QueryOf(1, 12)).error().reason(),
            v1::ERROR_REASON_STAGE_NOT_FOUND);
  stage.set_handle("x");
  EXPECT_EQ(Ask(*Connect(stage), QueryOf(1, 12)).error().reason(), v1::ERROR_REASON_STAGE_NOT_FOUND)
      << "the reason that upstream states";
}

TEST_F(NodeQueriesTest, WhatIsKeptIsServedWhileTheDaemonAboveIsAway) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  EXPECT_EQ(Number(Ask(*client, QueryOf(1, 12))), 120);
  Stop();
  EXPECT_EQ(Number(Ask(*client, QueryOf(2, 12))), 120);
}

TEST_F(NodeQueriesTest, AQueryThatWaitsCanBeCancelled) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  Stop();
  Send(*client, QueryOf(1, 12));
  v1::ClientFrame cancel;
  cancel.mutable_cancel()->set_request_id(1);
  EXPECT_EQ(Ask(*client, cancel).error().code(), kCancelled);
}

TEST_F(NodeQueriesTest, AQueryThatWaitsEndsAtItsDeadline) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  Stop();
  v1::ClientFrame query = QueryOf(1, 12);
  query.mutable_query()->mutable_timeout()->set_nanos(50'000'000);
  EXPECT_EQ(Ask(*client, query).error().code(), kDeadlineExceeded);
}

TEST_F(NodeQueriesTest, QueriesThatWaitDoNotKeepTheServer) {
  StartBoth();
  const auto client = Connect(OpenByNode());
  const auto gone = Connect(OpenByNode());
  Stop();
  for (uint64_t id = 0; id < 50; ++id) {
    Send(*client, QueryOf(id, static_cast<double>(id)));
    Send(*gone, QueryOf(id, static_cast<double>(id)));
  }
  process_ = nullptr;
  node_ = nullptr;
  while (const auto frame = client->Receive()) EXPECT_FALSE(frame->answer().has_values());
}

// Upstream knows the process by its token; frames have none, so their caller is the node daemon.
TEST_F(NodeQueriesTest, WhatACallerMayReadAnotherMayNot) {
  const TestSigningKey key = TestSigningKey::P256();
  folder_.Write("jwks.json", TestKeySet(key.Jwk("k")));
  ServerOptions options;
  options.access.tokens = {{.issuer = "i", .audience = "a", .jwks_file = folder_ / "jwks.json"}};
  RoleOptions role;
  role.grants.role = "artist";
  role.grants.groups.set(static_cast<size_t>(RpcGroup::kQuery));
  role.identities = {"user:ann"};
  options.access.roles = {role};
  StartBoth(options);
  const std::string claims =
      Concat(R"({"iss":"i","aud":"a","sub":"ann","exp":)", int64_t{std::time(nullptr)} + 600, "}");
  const CallOptions ann{
      .metadata = {{"authorization", Concat("Bearer ", key.Token(R"({"alg":"ES256","kid":"k"})",
                                                                 claims, "SHA256"))}}};
  const v1::StageRef stage = OpenByNode({}, ann);
  const auto reply =
      process_->BatchGetValues(RequestFor<v1::BatchGetValuesRequest>(stage, {"/A.x"}, {12}), ann);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const v1::Answer answer = Ask(*Connect(stage), QueryOf(1, 12));
  EXPECT_EQ(answer.error().code(), static_cast<int>(absl::StatusCode::kPermissionDenied))
      << answer.ShortDebugString();
}

}  // namespace
}  // namespace stagedoor::server

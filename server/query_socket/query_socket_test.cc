#include "server/query_socket/query_socket.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "server/error_info.h"
#include "server/query_socket/testing/frame_client.h"
#include "server/query_socket/testing/frame_queries.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class QuerySocketTest : public ServerTest {
 protected:
  QuerySocketTest() {
    Write("root.usda", R"(def "P"
{
    double x.timeSamples = { 0: 0, 100: 1000 }
    string s = "text"
    double[] many = [)" + Zeros(10000) +
                           R"(]
}
)");
  }

  static std::string Zeros(int count) {
    std::string text = "0";
    for (int i = 1; i < count; ++i) text += ",0";
    return text;
  }

  void StartWithSocket(ServerOptions options = {}) {
    options.query_socket = path_;
    Start(options);
  }

  // A client that has bound the stage to 0, and /P.x, /P.s, /P.none and /P.many to 0 to 3.
  std::unique_ptr<FrameClient> Connect(const v1::StageRef& stage) {
    auto client = std::make_unique<FrameClient>(path_);
    client->Send(BindingsOf(stage, {"/P.x", "/P.s", "/P.none", "/P.many"}));
    return client;
  }

  TempDir folder_{"/tmp"};
  const std::string path_ = folder_ / "queries.sock";
};

TEST_F(QuerySocketTest, AnnouncesItsWindow) {
  StartWithSocket();
  FrameClient client(path_);
  const auto frame = client.Receive();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->window().queries(), QueryChannel::kMaxQueries);
  EXPECT_EQ(frame->window().bytes(), kMaxFrameMessageBytes);
}

TEST_F(QuerySocketTest, CapabilitiesNameTheSocket) {
  StartWithSocket();
  EXPECT_EQ(client().GetCapabilities({})->query_socket(), path_);
}

TEST_F(QuerySocketTest, AnswersAreThoseOfBatchGetValues) {
  StartWithSocket();
  const v1::StageRef stage = Open();
  const auto client = Connect(stage);
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(5, {0, 1, 2}, 12.5);
  client->Send(frames);
  const v1::Answer answer = client->ReceiveAnswers(1).at(0);
  EXPECT_EQ(answer.request_id(), 5);
  const auto expected = this->client().BatchGetValues(
      RequestFor<v1::BatchGetValuesRequest>(stage, {"/P.x", "/P.s", "/P.none"}, {12.5}));
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(answer.values().SerializeAsString(), expected->SerializeAsString());
}

TEST_F(QuerySocketTest, ManyQueriesInAWindowAreAllAnswered) {
  StartWithSocket();
  const auto client = Connect(Open());
  constexpr uint64_t kCount = 500;  // more than a turn
  client->Send(Queries(0, kCount));
  const auto answers = client->ReceiveAnswers(kCount);
  for (uint64_t id = 0; id < answers.size(); ++id) {
    EXPECT_EQ(answers[id].request_id(), id);
    ASSERT_EQ(answers[id].values().columns_size(), 1);
    EXPECT_EQ(answers[id].values().columns(0).doubles(0),
              static_cast<double>(10 * id) > 1000 ? 1000 : static_cast<double>(10 * id));
  }
}

TEST_F(QuerySocketTest, AQueryThatCannotBeAnsweredFailsAlone) {
  StartWithSocket();
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(1, {99}, 0);
  *frames.add_frames() = QueryOf(2, {0}, 0);
  frames.mutable_frames(1)->mutable_query()->set_stage(9);
  *frames.add_frames() = QueryOf(3, {0, 1}, 0);
  frames.mutable_frames(2)->mutable_query()->set_paired(true);
  *frames.add_frames() = QueryOf(4, {0}, 1);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(4);
  EXPECT_EQ(answers[0].error().message(), "query.paths: the number 99 is not bound");
  EXPECT_EQ(answers[1].error().message(), "query.stage: the number 9 is not bound");
  EXPECT_EQ(answers[2].error().reason(), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_FALSE(answers[3].has_error());
}

TEST_F(QuerySocketTest, AnUnknownHandleIsTheErrorOfTheQuery) {
  StartWithSocket();
  client();
  v1::StageRef unknown;
  unknown.set_handle("nothing");
  const auto client = Connect(unknown);
  client->Send(Queries(1, 1));
  EXPECT_EQ(client->ReceiveAnswers(1)[0].error().reason(), v1::ERROR_REASON_STAGE_NOT_FOUND);
}

TEST_F(QuerySocketTest, EachQueryHasItsOwnDeadline) {
  StartWithSocket();
  const auto client = Connect(Open());
  v1::ClientFrames frames = Queries(0, 2);
  frames.mutable_frames(0)->mutable_query()->mutable_timeout()->set_seconds(0);
  frames.mutable_frames(1)->mutable_query()->mutable_timeout()->set_seconds(60);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(2);
  EXPECT_EQ(answers[0].error().code(), static_cast<int>(absl::StatusCode::kDeadlineExceeded));
  EXPECT_FALSE(answers[1].has_error());
}

TEST_F(QuerySocketTest, LargeQueriesAreAnsweredByTheLanes) {
  StartWithSocket();
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(1, {0}, 0);
  frames.mutable_frames(0)->mutable_query()->mutable_times()->add_ranges("1:20000");
  client->Send(frames);
  EXPECT_EQ(client->ReceiveAnswers(1)[0].values().time_count(), 20001);
}

TEST_F(QuerySocketTest, QueriesCountAsCallsOfTheirMethod) {
  StartWithSocket();
  const auto client = Connect(Open());
  client->Send(Queries(0, 3));
  client->ReceiveAnswers(3);
  const auto statistics = this->client().GetServerStatistics({});
  ASSERT_TRUE(statistics.ok());
  for (const auto& method : statistics->methods()) {
    if (method.method() != "stagedoor.v1.QueryService/BatchGetValues") continue;
    EXPECT_EQ(method.calls(), 3);
    EXPECT_GT(method.bytes_in(), 0);
    EXPECT_GT(method.bytes_out(), 0);
  }
}

TEST_F(QuerySocketTest, ViolationsOfTheProtocolEndTheConnection) {
  StartWithSocket();
  Open();
  v1::ClientFrames unbound;
  unbound.add_frames()->mutable_unbind()->set_stage(5);
  v1::ClientFrames unknown;
  unknown.add_frames();
  const struct {
    std::string bytes, reason;
  } kCases[] = {
      {std::string("\xff\xff\xff\xff", 4),
       "a message of 4294967295 bytes exceeds the limit of 262144 bytes"},
      {std::string("\x02\0\0\0\x12\0", 6), "a message has other fields than frames"},
      {std::string("\x03\0\0\0\x0A\x01\xff", 7), "a frame cannot be decoded"},
      {FrameClient::MessageOf(unbound), "unbind.stage: the number 5 is not bound"},
      {FrameClient::MessageOf(unknown), "a frame of a kind that this daemon does not know"},
  };
  for (const auto& [bytes, reason] : kCases) {
    FrameClient client(path_);
    client.SendBytes(bytes);
    EXPECT_EQ(client.Farewell(), reason);
  }
}

// A client that leaves in the middle of anything leaves nothing behind.
TEST_F(QuerySocketTest, HalfFramesAndEarlyEndsDoNoHarm) {
  StartWithSocket();
  const v1::StageRef stage = Open();
  const std::string message = FrameClient::MessageOf(Queries(0, 5));
  for (size_t length = 0; length < message.size(); length += 7) {
    const auto client = Connect(stage);
    client->SendBytes(std::string_view(message).substr(0, length));
  }
  const auto client = Connect(stage);
  client->Send(Queries(0, 1));
  EXPECT_FALSE(client->ReceiveAnswers(1)[0].has_error());
}

// A client that sends without reading is not read from any more, and others are served.
TEST_F(QuerySocketTest, AClientThatDoesNotReadHoldsUpOnlyItself) {
  StartWithSocket();
  const v1::StageRef stage = Open();
  const auto greedy = Connect(stage);
  const std::string message = FrameClient::MessageOf(Queries(0, 1000));
  size_t sent = message.size();
  for (int i = 0; i < 2000 && sent == message.size(); ++i) {
    sent = greedy->SendBytes(message);
    if (sent < message.size()) break;
  }
  const auto polite = Connect(stage);
  polite->Send(Queries(0, 10));
  polite->ReceiveAnswers(10);
}

TEST_F(QuerySocketTest, ArraysAreInSegmentsOnlyIfTheQueryAllowsIt) {
  StartWithSocket();
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(1, {3}, 0);
  *frames.add_frames() = QueryOf(2, {3}, 0);
  frames.mutable_frames(1)->mutable_query()->set_shared_segments(true);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(2);
  const auto array = [&](int i) {
    return answers.at(i).values().columns(0).values(0).array_value();
  };
  EXPECT_EQ(array(0).data().size(), 80000);
  EXPECT_EQ(array(1).segment().size(), 80000);
  EXPECT_EQ(array(1).count(), 10000);
}

TEST_F(QuerySocketTest, ReleasingWhatIsNotThereEndsTheConnection) {
  StartWithSocket();
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  frames.add_frames()->mutable_release()->add_arrays()->set_segment_id(1);
  client->Send(frames);
  EXPECT_EQ(client->Farewell(), "release.arrays: no array is at this place");
}

// As many queries as a client can send, most of which wait: each is answered, beyond the window
// with an error.
TEST_F(QuerySocketTest, QueriesBeyondTheWindowAreRefused) {
  StartWithSocket();
  const auto client = Connect(Open());
  constexpr uint64_t kCount = QueryChannel::kMaxQueries + 100;
  std::thread sender([&] {
    for (uint64_t id = 0; id < kCount; ++id) {
      v1::ClientFrames frames;
      *frames.add_frames() = QueryOf(id, {0}, 0);
      frames.mutable_frames(0)->mutable_query()->mutable_times()->add_ranges("1:1000");
      const std::string bytes = FrameClient::MessageOf(frames);
      for (size_t sent = 0; sent < bytes.size();) {
        sent += client->SendBytes(std::string_view(bytes).substr(sent));
      }
    }
  });
  const auto answers = client->ReceiveAnswers(kCount);
  sender.join();
  for (uint64_t id = 0; id < answers.size(); ++id) {
    EXPECT_EQ(answers[id].request_id(), id);
    if (!answers[id].has_error()) continue;
    EXPECT_EQ(answers[id].error().code(), static_cast<int>(absl::StatusCode::kResourceExhausted));
  }
}

TEST_F(QuerySocketTest, DescriptorsThatAClientSendsAreNotKept) {
  StartWithSocket();
  const auto client = Connect(Open());
  client->Send(Queries(0, 1));
  client->ReceiveAnswers(1);
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  for (uint64_t id = 1; id <= 20; ++id) {
    client->SendWithDescriptor(FrameClient::MessageOf(Queries(id, 1)), client->fd());
    EXPECT_FALSE(client->ReceiveAnswers(1)[0].has_error());
  }
  EXPECT_EQ(open_files(), before);
}

TEST_F(QuerySocketTest, ClientsAreAskedToLeaveWhenTheServerStops) {
  StartWithSocket();
  const auto client = Connect(Open());
  client->Send(Queries(0, 1));
  client->ReceiveAnswers(1);
  Drain(std::chrono::milliseconds(0));
  EXPECT_EQ(client->Farewell(), "the daemon stops; connect again");
}

TEST_F(QuerySocketTest, ConnectionsBeyondTheLimitAreClosed) {
  ServerOptions options;
  options.connections.max_connections = 2;
  StartWithSocket(options);
  const v1::StageRef stage = Open();
  const auto first = Connect(stage), second = Connect(stage);
  first->Send(Queries(0, 1));
  second->Send(Queries(0, 1));
  first->ReceiveAnswers(1);
  second->ReceiveAnswers(1);
  FrameClient third(path_);
  EXPECT_FALSE(third.Receive().has_value());
}

TEST_F(QuerySocketTest, ASecondServerCannotTakeTheSocket) {
  StartWithSocket();
  client();
  ServerOptions options;
  options.query_socket = path_;
  const auto second = Server::Start(options, files_, &control_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable) << second.status();
}

// With roles, a query is one of the user at the other end, as a call of gRPC is.
TEST_F(QuerySocketTest, CallersAreThoseOfTheSocket) {
  ServerOptions options;
  RoleOptions role;
  role.grants.role = "nobody";
  role.grants.groups.set(static_cast<size_t>(RpcGroup::kQuery));
  role.identities = {"uid:4000000"};
  options.access.roles = {role};
  StartWithSocket(options);
  client();
  v1::StageRef stage;
  stage.set_handle("h");
  const auto client = Connect(stage);
  client->Send(Queries(0, 1));
  EXPECT_EQ(client->ReceiveAnswers(1)[0].error().code(),
            static_cast<int>(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace stagedoor::server

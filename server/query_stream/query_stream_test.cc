#include "server/query_stream/query_stream.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/frame_reader.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "server/access/authenticator.h"
#include "server/error_info.h"
#include "server/query_socket/testing/frame_queries.h"
#include "server/query_socket/testing/frame_receiver.h"
#include "server/testing/byte_buffers.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;

// The client's end of a stream, which sends whatever bytes it is given.
class StreamClient final : public FrameReceiver {
 public:
  explicit StreamClient(const std::shared_ptr<grpc::Channel>& channel,
                        milliseconds timeout = std::chrono::minutes(1)) {
    context_.set_deadline(std::chrono::system_clock::now() + timeout);
    const grpc::internal::RpcMethod method("/stagedoor.v1.QueryChannelService/StreamQueries",
                                           grpc::internal::RpcMethod::BIDI_STREAMING, channel);
    using Factory = grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>;
    stream_.reset(Factory::Create(channel.get(), method, &context_));
  }
  ~StreamClient() override {
    if (!ended_) context_.TryCancel();
    Finish();
  }

  bool SendBytes(const std::string& bytes) { return stream_->Write(BufferOf(bytes)); }
  bool Send(const v1::ClientFrames& frames) { return SendBytes(frames.SerializeAsString()); }
  bool SendNoMore() { return stream_->WritesDone(); }
  void Cancel() { context_.TryCancel(); }

  std::optional<v1::ServerFrame> Receive() override {
    while (frames_.empty()) {
      grpc::ByteBuffer message;
      if (!stream_->Read(&message)) return std::nullopt;
      v1::ServerFrames parsed;
      EXPECT_TRUE(parsed.ParseFromString(BytesOf(message)));
      for (v1::ServerFrame& frame : *parsed.mutable_frames()) frames_.push_back(std::move(frame));
    }
    v1::ServerFrame first = std::move(frames_.front());
    frames_.pop_front();
    return first;
  }

  // The end of the stream. What has not been read is skipped.
  grpc::Status Finish() {
    if (ended_) return status_;
    while (Receive().has_value()) {
    }
    ended_ = true;
    status_ = stream_->Finish();
    return status_;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>> stream_;
  std::deque<v1::ServerFrame> frames_;
  bool ended_ = false;
  grpc::Status status_;
};

class QueryStreamTest : public ServerTest {
 protected:
  QueryStreamTest() {
    std::string zeros = "0";
    for (int i = 1; i < 10000; ++i) zeros += ",0";
    Write("root.usda", Concat(R"(def "P"
{
    double x.timeSamples = { 0: 0, 100: 1000 }
    string s = "text"
    double[] many = [)",
                              zeros, R"(]
}
)"));
  }

  // A client that has bound the stage to 0, and /P.x, /P.s, /P.none and /P.many to 0 to 3.
  std::unique_ptr<StreamClient> Connect(const v1::StageRef& stage,
                                        milliseconds timeout = std::chrono::minutes(1)) {
    auto client = std::make_unique<StreamClient>(channel(), timeout);
    client->Send(BindingsOf(stage, {"/P.x", "/P.s", "/P.none", "/P.many"}));
    return client;
  }

  // Starts the server, and connects to it as other processes do: within one process, messages are
  // passed on one by one, and calls are broken off when the server stops.
  std::shared_ptr<grpc::Channel> Dial(ServerOptions options = {}) {
    options.addresses = {"127.0.0.1:0"};
    Start(options);
    return grpc::CreateChannel(server().addresses().at(0), grpc::InsecureChannelCredentials());
  }

  // A query that is not light.
  static v1::ClientFrames LargeQuery(uint64_t id) {
    v1::ClientFrames frames;
    *frames.add_frames() = QueryOf(id, {0}, 0);
    frames.mutable_frames(0)->mutable_query()->mutable_times()->add_ranges("1:20000");
    return frames;
  }

  // How often a method was called.
  int64_t CallsOf(const std::string& name) {
    const auto statistics = client().GetServerStatistics({});
    EXPECT_TRUE(statistics.ok()) << statistics.status();
    for (const auto& method : statistics->methods()) {
      if (method.method() == name) return static_cast<int64_t>(method.calls());
    }
    return -1;
  }
};

TEST_F(QueryStreamTest, AnnouncesItsWindow) {
  StreamClient client(channel());
  const auto frame = client.Receive();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->window().queries(), QueryChannel::kMaxQueries);
  EXPECT_EQ(frame->window().bytes(), kMaxFrameMessageBytes);
}

TEST_F(QueryStreamTest, AnswersAreThoseOfBatchGetValues) {
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

TEST_F(QueryStreamTest, ManyQueriesInAMessageAreAllAnswered) {
  const auto client = Connect(Open());
  constexpr uint64_t kCount = 1000;  // more than a turn
  client->Send(Queries(0, kCount));
  client->SendNoMore();
  const auto answers = client->ReceiveAnswers(kCount);
  for (uint64_t id = 0; id < answers.size(); ++id) {
    EXPECT_EQ(answers[id].request_id(), id);
    EXPECT_FALSE(answers[id].has_error()) << answers[id].DebugString();
  }
  EXPECT_TRUE(client->Finish().ok());
}

TEST_F(QueryStreamTest, AQueryThatCannotBeAnsweredFailsAlone) {
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(1, {99}, 0);
  *frames.add_frames() = QueryOf(2, {0}, 0);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(2);
  EXPECT_EQ(answers[0].error().message(), "query.paths: the number 99 is not bound");
  EXPECT_FALSE(answers[1].has_error());
}

TEST_F(QueryStreamTest, EachQueryHasItsOwnDeadline) {
  const auto client = Connect(Open());
  v1::ClientFrames frames = Queries(0, 2);
  frames.mutable_frames(0)->mutable_query()->mutable_timeout()->set_seconds(0);
  frames.mutable_frames(1)->mutable_query()->mutable_timeout()->set_seconds(60);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(2);
  EXPECT_EQ(answers[0].error().code(), static_cast<int>(absl::StatusCode::kDeadlineExceeded));
  EXPECT_FALSE(answers[1].has_error());
}

// Those in flight are answered by the lanes, after the client has closed its side.
TEST_F(QueryStreamTest, AClientThatSendsNoMoreGetsTheMissingAnswers) {
  const auto client = Connect(Open());
  for (uint64_t id = 1; id <= 5; ++id) client->Send(LargeQuery(id));
  client->SendNoMore();
  for (const v1::Answer& answer : client->ReceiveAnswers(5)) {
    EXPECT_EQ(answer.values().time_count(), 20001);
  }
  EXPECT_FALSE(client->Receive().has_value());
  EXPECT_TRUE(client->Finish().ok());
}

TEST_F(QueryStreamTest, ArraysAreInMessagesWhateverTheQueryAllows) {
  const auto client = Connect(Open());
  v1::ClientFrames frames;
  *frames.add_frames() = QueryOf(1, {3}, 0);
  frames.mutable_frames(0)->mutable_query()->set_shared_segments(true);
  client->Send(frames);
  const auto answers = client->ReceiveAnswers(1);
  EXPECT_EQ(answers[0].values().columns(0).values(0).array_value().data().size(), 80000);
}

TEST_F(QueryStreamTest, ViolationsOfTheProtocolEndTheStream) {
  v1::ClientFrames unbound, unknown, release;
  unbound.add_frames()->mutable_unbind()->set_stage(5);
  unknown.add_frames();
  release.add_frames()->mutable_release()->add_arrays()->set_segment_id(1);
  const struct {
    std::string bytes, reason;
  } kCases[] = {
      {std::string(kMaxFrameMessageBytes + 1, '\0'),
       "a message of 262145 bytes exceeds the limit of 262144 bytes"},
      {std::string("\x12\0", 2), "a message has other fields than frames"},
      {std::string("\x0A\x01\xff", 3), "a frame cannot be decoded"},
      {std::string("\x0A\x7f\0", 3), "a frame is longer than its message"},
      {std::string("\x0A"), "a message ends within the length of a frame"},
      {unbound.SerializeAsString(), "unbind.stage: the number 5 is not bound"},
      {unknown.SerializeAsString(), "a frame of a kind that this daemon does not know"},
      {release.SerializeAsString(), "release.arrays: no array is at this place"},
  };
  for (const auto& [bytes, reason] : kCases) {
    StreamClient client(channel());
    client.SendBytes(bytes);
    EXPECT_EQ(client.Farewell(), reason);
    const grpc::Status status = client.Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << reason;
    EXPECT_EQ(status.error_message(), reason);
  }
}

TEST_F(QueryStreamTest, AnEmptyMessageIsNothing) {
  const auto client = Connect(Open());
  client->SendBytes("");
  client->Send(Queries(1, 1));
  EXPECT_FALSE(client->ReceiveAnswers(1)[0].has_error());
}

TEST_F(QueryStreamTest, ItsQueriesAreCallsAndItIsNoneInFlight) {
  const v1::StageRef stage = Open();
  const auto first = Connect(stage), second = Connect(stage);
  for (const auto& client : {first.get(), second.get()}) {
    client->Send(Queries(0, 3));
    client->ReceiveAnswers(3);
  }
  EXPECT_EQ(server().calls_in_flight(), 0u);
  EXPECT_EQ(CallsOf("stagedoor.v1.QueryService/BatchGetValues"), 6);
  EXPECT_EQ(CallsOf("stagedoor.v1.QueryChannelService/StreamQueries"), 2);
  const auto calls = client().ListCalls({});
  ASSERT_TRUE(calls.ok()) << calls.status();
  int streams = 0;
  for (const auto& call : calls->calls()) {
    if (call.method() == "stagedoor.v1.QueryChannelService/StreamQueries") ++streams;
  }
  EXPECT_EQ(streams, 2);
}

TEST_F(QueryStreamTest, StreamsBeyondTheLimitAreRefused) {
  ServerOptions options;
  options.calls.max_watches_per_client = 2;
  Start(options);
  const v1::StageRef stage = Open();
  auto first = Connect(stage), second = Connect(stage);
  EXPECT_TRUE(first->Receive().has_value());
  EXPECT_TRUE(second->Receive().has_value());
  const grpc::Status refused = StreamClient(channel()).Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.error_message(),
            "the client already has its limit of 2 streams of query frames "
            "(--max-watches-per-client); end some first");
  first->SendNoMore();
  EXPECT_TRUE(first->Finish().ok());
  // Its place is free once the daemon knows that the client has its status.
  for (;;) {
    StreamClient again(channel());
    if (again.Receive().has_value()) break;
  }
}

TEST_F(QueryStreamTest, ADeadlineOfTheStreamEndsIt) {
  const auto client = Connect(Open(), milliseconds(50));
  EXPECT_EQ(client->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_F(QueryStreamTest, QueriesEndWithTheirClient) {
  const v1::StageRef stage = Open();
  for (int i = 0; i < 20; ++i) {
    const auto client = Connect(stage);
    for (uint64_t id = 1; id <= 20; ++id) client->Send(LargeQuery(id));
    if (i % 2 == 0) client->ReceiveAnswers(1);
    client->Cancel();
  }
  const auto client = Connect(stage);
  client->Send(Queries(0, 1));
  EXPECT_FALSE(client->ReceiveAnswers(1)[0].has_error());
  while (server().calls_in_flight() > 0) std::this_thread::sleep_for(milliseconds(1));
}

TEST_F(QueryStreamTest, ClientsAreAskedToLeaveWhenTheServerStops) {
  StreamClient client(Dial());
  client.Send(BindingsOf(Open(), {"/P.x"}));
  client.Send(Queries(0, 1));
  client.ReceiveAnswers(1);
  Drain(std::chrono::minutes(1));  // which nobody waits for
  EXPECT_EQ(client.Farewell(), "the daemon stops; connect again");
  EXPECT_EQ(client.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// A client that sends without reading is not read from any more, others are served, and its stream
// ends.
TEST_F(QueryStreamTest, AClientThatDoesNotReadHoldsUpOnlyItself) {
  ServerOptions options;
  options.calls.stall = std::chrono::seconds(1);
  StreamClient greedy(Dial(options), std::chrono::minutes(10));
  const v1::StageRef stage = Open();
  greedy.Send(BindingsOf(stage, {"/P.many"}));
  std::atomic<bool> held_up{false};
  std::thread sender([&] {
    while (greedy.Send(Queries(0, 1000))) {
    }
    held_up = true;
  });
  const auto polite = Connect(stage);
  do {
    polite->Send(Queries(0, 10));
    polite->ReceiveAnswers(10);
  } while (!held_up);
  sender.join();
  EXPECT_NE(greedy.Finish().error_code(), grpc::StatusCode::OK);
}

// A turn that ended because of unread answers is taken up again.
TEST_F(QueryStreamTest, AClientMayReadLate) {
  StreamClient client(Dial());
  client.Send(BindingsOf(Open(), {"/P.many"}));
  constexpr int kMessages = 20, kQueries = 20;  // with 32 MB of answers
  std::thread sender([&] {
    for (int i = 0; i < kMessages; ++i) client.Send(Queries(i * kQueries, kQueries));
    client.SendNoMore();
  });
  std::this_thread::sleep_for(milliseconds(50));
  for (const v1::Answer& answer : client.ReceiveAnswers(kMessages * kQueries)) {
    EXPECT_FALSE(answer.has_error()) << answer.error().message();
  }
  sender.join();
  EXPECT_TRUE(client.Finish().ok());
}

// With roles, a query is one of the caller of the stream, for as long as they may make it.
class QueryStreamAccessTest : public QueryStreamTest {
 protected:
  AccessOptions AccessOf(const std::string& user) {
    RoleOptions role;
    role.grants.role = "reader";
    role.grants.groups.set(static_cast<size_t>(RpcGroup::kQuery));
    role.identities = {user};
    AccessOptions access;
    access.roles = {role};
    return access;
  }
  void StartFor(const std::string& user) {
    ServerOptions options;
    options.addresses = {address_};
    options.access = AccessOf(user);
    Start(options);
  }
  std::shared_ptr<grpc::Channel> DialSocket() {
    return grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  }

  const std::string me_ = Concat("uid:", ::geteuid());
  TempDir folder_{"/tmp"};
  const std::string address_ = Concat("unix:", std::string(folder_ / "daemon.sock"));
};

TEST_F(QueryStreamAccessTest, CallersWithoutTheRightAreRefused) {
  StartFor("uid:4000000");
  EXPECT_EQ(StreamClient(DialSocket()).Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(QueryStreamAccessTest, AStreamEndsWithTheRightOfItsCaller) {
  StartFor(me_);
  StreamClient client(DialSocket());
  v1::StageRef unknown;
  unknown.set_handle("h");
  client.Send(BindingsOf(unknown, {"/P.x"}));
  client.Send(Queries(1, 1));
  EXPECT_EQ(client.ReceiveAnswers(1)[0].error().reason(), v1::ERROR_REASON_STAGE_NOT_FOUND);
  ASSERT_TRUE(server().authenticator()->SetAccess(AccessOf("uid:4000000")).ok());
  client.Send(Queries(2, 1));
  EXPECT_EQ(client.ReceiveAnswers(1)[0].error().reason(), v1::ERROR_REASON_METHOD_FORBIDDEN);
  EXPECT_EQ(client.Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

}  // namespace
}  // namespace stagedoor::server

// How the library handles a daemon that is temporarily unreachable. The clock advances only while
// the library waits.
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/client.h"
#include "client/cc/retry_policy.h"
#include "client/cc/routing_key.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "stagedoor/v1/admin.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeClock final : public RetryClock {
 public:
  Time Now() override { return now_; }
  void Sleep(milliseconds pause) override {
    now_ = now_.load() + pause;
    ++pauses;
  }
  void RunAfter(std::chrono::microseconds pause, std::function<void()> fn) override {
    Sleep(std::chrono::duration_cast<milliseconds>(pause));
    std::thread(std::move(fn)).detach();
  }
  milliseconds Since() const {
    return std::chrono::duration_cast<milliseconds>(now_.load() - start_);
  }
  std::atomic<int> pauses{0};

 private:
  const Time start_ = std::chrono::system_clock::now();
  std::atomic<Time> now_{start_};
};

// A rejection as a daemon sends it.
grpc::Status Refusal(grpc::StatusCode code, const google::protobuf::Message& detail) {
  google::rpc::Status details;
  details.add_details()->PackFrom(detail);
  return grpc::Status(code, "refused", details.SerializeAsString());
}
grpc::Status RefusalWithReason() {
  google::rpc::ErrorInfo info;
  info.set_reason("ASSET_UNAVAILABLE");
  return Refusal(grpc::StatusCode::UNAVAILABLE, info);
}

// Fails `failures` times with `failure`, then answers.
class FlakyDaemon final : public v1::StagesService::Service,
                          public v1::QueryService::Service,
                          public v1::AdminService::Service {
 public:
  std::atomic<int> failures{0};
  std::atomic<int> calls{0};
  grpc::Status failure{grpc::StatusCode::UNAVAILABLE, "gone"};
  int messages_before_failure = 0;
  v1::TraverseResponse message_before_failure;
  bool endless = false;                             // streams run until the client cancels them
  std::chrono::system_clock::duration time_left{};  // of the last call, on arrival
  std::string routing_key;                          // in the metadata of the last call
  std::vector<std::string> request_ids;             // of all attempts to open a stage

 private:
  static std::string RoutingKeyOf(const grpc::ServerContext& context) {
    const auto it = context.client_metadata().find("stagedoor-routing-key");
    if (it == context.client_metadata().end()) return {};
    return {it->second.data(), it->second.size()};
  }
  grpc::Status OpenStage(grpc::ServerContext* context, const v1::OpenStageRequest* request,
                         v1::OpenStageResponse* response) override {
    routing_key = RoutingKeyOf(*context);
    request_ids.push_back(request->request_id());
    response->set_handle("h");
    response->set_routing_key("key of " + request->root_layer());
    return Answer();
  }
  grpc::Status Answer() {
    ++calls;
    return failures-- > 0 ? failure : grpc::Status::OK;
  }
  grpc::Status GetStage(grpc::ServerContext* context, const v1::GetStageRequest* request,
                        v1::GetStageResponse* response) override {
    time_left = context->deadline() - std::chrono::system_clock::now();
    routing_key = RoutingKeyOf(*context);
    response->mutable_stage()->set_session("h" + request->stage().handle());
    return Answer();
  }
  grpc::Status WarmStage(grpc::ServerContext* context, const v1::WarmStageRequest*,
                         grpc::ServerWriter<v1::WarmStageResponse>*) override {
    routing_key = RoutingKeyOf(*context);
    return Answer();
  }
  grpc::Status CloseStage(grpc::ServerContext*, const v1::CloseStageRequest*,
                          v1::CloseStageResponse*) override {
    return Answer();
  }
  grpc::Status Drain(grpc::ServerContext*, const v1::DrainRequest*, v1::DrainResponse*) override {
    return Answer();
  }
  grpc::Status Traverse(grpc::ServerContext*, const v1::TraverseRequest*,
                        grpc::ServerWriter<v1::TraverseResponse>* writer) override {
    grpc::Status status = Answer();
    while (endless && writer->Write({})) {
    }
    for (int i = 0; status.ok() && i < 2; ++i) writer->Write({});
    for (int i = 0; !status.ok() && i < messages_before_failure; ++i) {
      writer->Write(message_before_failure);
    }
    return status;
  }
};

class ClientRetryTest : public ::testing::Test {
 protected:
  ClientRetryTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(static_cast<v1::StagesService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::AdminService::Service*>(&daemon_));
    server_ = builder.BuildAndStart();
    client_ = Client::FromChannel(server_->InProcessChannel({}), Options(), clock_);
  }
  static ClientOptions Options() {
    ClientOptions options;
    options.address = "fake:1";
    options.timeout = seconds(60);
    return options;
  }
  absl::Status Get() { return client_->GetStage({}).status(); }
  // Makes one call, so that the client knows that the daemon exists.
  void MeetDaemon() {
    ASSERT_TRUE(Get().ok());
    daemon_.calls = 0;
  }

  FakeClock clock_;
  FlakyDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientRetryTest, RetriesUntilTheDaemonAnswers) {
  daemon_.failures = 7;
  EXPECT_TRUE(Get().ok());
  EXPECT_EQ(daemon_.calls, 8);
  EXPECT_EQ(clock_.pauses, 7);
}

TEST_F(ClientRetryTest, RetriesUntilTheDeadlineOnceADaemonHasAnswered) {
  MeetDaemon();
  daemon_.failures = 1000000;
  EXPECT_FALSE(Get().ok());
  EXPECT_GT(clock_.Since(), seconds(55));
  EXPECT_LE(clock_.Since(), seconds(60));
  EXPECT_GT(daemon_.calls, 50) << "pauses of at most a second";
}

TEST_F(ClientRetryTest, GivesUpEarlierIfNoDaemonEverAnswered) {
  daemon_.failures = 1000000;
  const absl::Status status = Get();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(std::string(Message(status)).find("no daemon answers at fake:1"), std::string::npos);
  EXPECT_GT(clock_.Since(), seconds(5)) << "a restart of three seconds is survived";
  EXPECT_LE(clock_.Since(), seconds(10));
}

TEST_F(ClientRetryTest, AsynchronousCallsAreRetriedToo) {
  daemon_.failures = 7;
  std::promise<absl::Status> ended;
  client_->GetStageAsync({}, [&](absl::StatusOr<v1::GetStageResponse> response) {
    ended.set_value(response.status());
  });
  EXPECT_TRUE(ended.get_future().get().ok());
  EXPECT_EQ(daemon_.calls, 8);
}

TEST_F(ClientRetryTest, RejectedCallsHaveAtMostMaxAttempts) {
  daemon_.failure = RefusalWithReason();
  daemon_.failures = 1000000;
  EXPECT_EQ(Get().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(daemon_.calls, Options().max_attempts);
}

TEST_F(ClientRetryTest, RetryInfoIsObserved) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(3);
  daemon_.failure = Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, info);
  daemon_.failures = 2;
  EXPECT_TRUE(Get().ok());
  EXPECT_GE(clock_.Since(), seconds(6));
}

TEST_F(ClientRetryTest, OtherFailuresAreFinal) {
  daemon_.failure = grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
  daemon_.failures = 1000000;
  EXPECT_EQ(Get().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_F(ClientRetryTest, CloseStageIsNotRetried) {
  daemon_.failures = 1000000;
  EXPECT_FALSE(client_->CloseStage({}).ok());
  EXPECT_EQ(daemon_.calls, 1);
  std::promise<absl::Status> ended;
  client_->CloseStageAsync({}, [&](absl::StatusOr<v1::CloseStageResponse> response) {
    ended.set_value(response.status());
  });
  EXPECT_EQ(ended.get_future().get().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(daemon_.calls, 2);
}

TEST_F(ClientRetryTest, DrainIsNotRetried) {
  daemon_.failures = 1000000;
  EXPECT_FALSE(client_->Drain({}).ok());
  EXPECT_EQ(daemon_.calls, 1) << "the next one might reach another daemon";
}

TEST_F(ClientRetryTest, RepliesAndErrorsReachAsynchronousCallers) {
  const auto get = [&] {
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle("andle");
    std::promise<absl::StatusOr<v1::GetStageResponse>> ended;
    client_->GetStageAsync(
        request, [&](absl::StatusOr<v1::GetStageResponse> response) { ended.set_value(response); });
    return ended.get_future().get();
  };
  EXPECT_EQ(get()->stage().session(), "handle");
  daemon_.failure = grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
  daemon_.failures = 1;
  EXPECT_EQ(get().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ClientRetryTest, DestructorWaitsForCalls) {
  daemon_.failures = 1000000;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i) {
    client_->GetStageAsync({}, [&](absl::StatusOr<v1::GetStageResponse>) { ++ended; });
  }
  client_.reset();
  EXPECT_EQ(ended, 3);
}

TEST_F(ClientRetryTest, RetriesHaveTheRemainingTime) {
  ASSERT_TRUE(Get().ok());
  EXPECT_GT(daemon_.time_left, seconds(0));
  EXPECT_LE(daemon_.time_left, seconds(61));
  daemon_.failures = 20;  // over ten seconds of pauses
  ASSERT_TRUE(Get().ok());
  EXPECT_GT(daemon_.time_left, seconds(0));
  EXPECT_LE(daemon_.time_left, seconds(61) - clock_.Since());
}

TEST_F(ClientRetryTest, MissingDaemonIsReportedOnlyIfNoneEverAnswered) {
  MeetDaemon();
  daemon_.failures = 1000000;
  const absl::Status known = Get();
  EXPECT_EQ(Message(known), "gone");
  ClientOptions nameless = Options();
  nameless.address.clear();
  client_ = Client::FromChannel(server_->InProcessChannel({}), nameless, clock_);
  EXPECT_EQ(Message(Get()), "gone");
  client_ = Client::FromChannel(server_->InProcessChannel({}), Options(), clock_);
  daemon_.failure = grpc::Status(grpc::StatusCode::INTERNAL, "broken");
  EXPECT_EQ(Message(Get()), "broken");
}

// Streams behave the same on the calling thread and asynchronously.
class StreamRetryTest : public ClientRetryTest, public ::testing::WithParamInterface<bool> {
 protected:
  absl::Status Traverse(Client::Sink<v1::TraverseResponse> sink) {
    if (!GetParam()) return client_->Traverse({}, sink);
    std::promise<absl::Status> ended;
    client_->TraverseAsync({}, std::move(sink),
                           [&](absl::Status status) { ended.set_value(std::move(status)); });
    return ended.get_future().get();
  }
  absl::Status Count(int* messages) {
    return Traverse([messages](const v1::TraverseResponse&) {
      ++*messages;
      return absl::OkStatus();
    });
  }
};

INSTANTIATE_TEST_SUITE_P(Blocking, StreamRetryTest, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Asynchronous, StreamRetryTest, ::testing::Values(true));

TEST_P(StreamRetryTest, IsRetriedOnlyBeforeItsFirstMessage) {
  daemon_.failures = 3;
  int messages = 0;
  EXPECT_TRUE(Count(&messages).ok());
  EXPECT_EQ(messages, 2);
  EXPECT_EQ(daemon_.calls, 4);

  daemon_.calls = 0;
  daemon_.failures = 3;
  daemon_.messages_before_failure = 1;
  messages = 0;
  const absl::Status broken = Count(&messages);
  EXPECT_TRUE(absl::IsUnavailable(broken));
  EXPECT_TRUE(IsBrokenStream(broken));
  EXPECT_EQ(messages, 1);
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_P(StreamRetryTest, IsRetriedAfterAPartOfItsFirstMessage) {
  v1::MessageFragment* fragment =
      daemon_.message_before_failure.mutable_stream_parts()->mutable_fragment();
  fragment->set_total_bytes(2);
  fragment->set_data("x");
  daemon_.messages_before_failure = 1;
  daemon_.failures = 2;
  int messages = 0;
  EXPECT_TRUE(Count(&messages).ok());
  EXPECT_EQ(messages, 2);
  EXPECT_EQ(daemon_.calls, 3);
}

TEST_P(StreamRetryTest, ABrokenConnectionIsUnavailableWhateverAProxyMakesOfIt) {
  MeetDaemon();
  daemon_.failure = grpc::Status(grpc::StatusCode::UNKNOWN, "Stream removed");
  daemon_.failures = 1;
  daemon_.messages_before_failure = 1;
  int messages = 0;
  const absl::Status broken = Count(&messages);
  EXPECT_TRUE(absl::IsUnavailable(broken));
  EXPECT_EQ(Message(broken), "the connection broke: Stream removed");
  daemon_.failure = grpc::Status(grpc::StatusCode::UNKNOWN, "another");
  daemon_.failures = 1;
  EXPECT_EQ(Count(&messages), absl::UnknownError("another"));
}

TEST_P(StreamRetryTest, IsNotRetriedIfTheSinkFails) {
  const absl::Status status =
      Traverse([](const v1::TraverseResponse&) { return UnavailableError("the sink's own"); });
  EXPECT_EQ(Message(status), "the sink's own");
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_P(StreamRetryTest, IsCancelledIfTheSinkFails) {
  daemon_.endless = true;
  int messages = 0;
  const absl::Status status = Traverse([&](const v1::TraverseResponse&) {
    return ++messages < 3 ? absl::OkStatus() : CancelledError("enough");
  });
  EXPECT_EQ(Message(status), "enough");
  EXPECT_EQ(messages, 3);
}

TEST_P(StreamRetryTest, OtherErrorsAreFinal) {
  daemon_.failure = grpc::Status(grpc::StatusCode::NOT_FOUND, "no");
  daemon_.failures = 1;
  daemon_.messages_before_failure = 1;
  int messages = 0;
  const absl::Status status = Count(&messages);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_FALSE(IsBrokenStream(status));
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_F(ClientRetryTest, DestructorWaitsForStreams) {
  daemon_.failures = 1000000;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i) {
    client_->TraverseAsync(
        {}, [](const v1::TraverseResponse&) { return absl::OkStatus(); },
        [&](const absl::Status&) { ++ended; });
  }
  client_.reset();
  EXPECT_EQ(ended, 3);
}

class ConnectTest : public ClientRetryTest {
 protected:
  ConnectTest() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(static_cast<v1::StagesService::Service*>(&daemon_));
    listening_ = builder.BuildAndStart();
    options_.address = "127.0.0.1:" + std::to_string(port);
  }
  // The code of a call whose request and reply have about this many bytes.
  absl::StatusCode Get(size_t bytes) {
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle(std::string(bytes, 'x'));
    return Client::Connect(options_)->GetStage(request).status().code();
  }

  std::unique_ptr<grpc::Server> listening_;
  ClientOptions options_;
};

TEST_F(ConnectTest, MessageSizeIsLimitedByTheOptions) {
  EXPECT_EQ(Get(3 << 20), absl::StatusCode::kOk);
  options_.max_message_bytes = 1000;
  EXPECT_EQ(Get(993), absl::StatusCode::kOk);
  EXPECT_EQ(Get(994), absl::StatusCode::kResourceExhausted) << "the reply is too large";
  EXPECT_EQ(daemon_.calls, 3);
  EXPECT_EQ(Get(1001), absl::StatusCode::kResourceExhausted) << "the request is too large";
  EXPECT_EQ(daemon_.calls, 3);
}

TEST_F(ClientRetryTest, AttemptsToOpenAStageShareARequestId) {
  daemon_.failures = 2;
  v1::OpenStageRequest request;
  ASSERT_TRUE(client_->OpenStage(request).ok());
  ASSERT_TRUE(client_->OpenStage(request).ok());
  const std::vector<std::string>& ids = daemon_.request_ids;
  ASSERT_EQ(ids.size(), 4u);
  EXPECT_EQ(ids[0].size(), 32u);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[0], ids[3]) << "each call is a request of its own";
  request.set_request_id("mine");
  ASSERT_TRUE(client_->OpenStage(request).ok());
  EXPECT_EQ(ids[4], "mine");
}

TEST_F(ClientRetryTest, CallsForAStageCarryItsRoutingKeyOnRequest) {
  ClientOptions options = Options();
  options.send_routing_keys = true;
  client_ = Client::FromChannel(server_->InProcessChannel({}), options, clock_);
  v1::OpenStageRequest open;
  open.set_root_layer("/shot.usda");
  ASSERT_TRUE(client_->OpenStage(open).ok());
  const std::string key =
      "2f70be6ddda2972c61941d9bceb07bd09955d89f8d7aec46d10811d700530a8b";  // its SHA-256
  EXPECT_EQ(daemon_.routing_key, key) << "with OpenStage as well";
  v1::GetStageRequest get;
  get.mutable_stage()->set_handle("h");
  ASSERT_TRUE(client_->GetStage(get).ok());
  EXPECT_EQ(daemon_.routing_key, key);
  const auto ignore = [](const v1::WarmStageResponse&) { return absl::OkStatus(); };
  v1::WarmStageRequest warm;
  warm.mutable_source()->mutable_stage()->set_handle("h");
  ASSERT_TRUE(client_->WarmStage(warm, ignore).ok());
  EXPECT_EQ(daemon_.routing_key, key);
  warm.mutable_source()->mutable_open()->set_root_layer("/other.usda");
  ASSERT_TRUE(client_->WarmStage(warm, ignore).ok());
  EXPECT_EQ(daemon_.routing_key, RoutingKeyOf("/other.usda")) << "a stage of this call only";
  get.mutable_stage()->set_handle("another's");
  ASSERT_TRUE(client_->GetStage(get).ok());
  EXPECT_EQ(daemon_.routing_key, "");

  std::promise<void> opened;
  open.set_root_layer("/other.usda");
  client_->OpenStageAsync(
      open, [&](const absl::StatusOr<v1::OpenStageResponse>&) { opened.set_value(); });
  opened.get_future().wait();
  get.mutable_stage()->set_handle("h");
  ASSERT_TRUE(client_->GetStage(get).ok());
  EXPECT_EQ(daemon_.routing_key, RoutingKeyOf("/other.usda"));
  v1::CloseStageRequest close;
  close.set_handle("h");
  ASSERT_TRUE(client_->CloseStage(close).ok());
  ASSERT_TRUE(client_->GetStage(get).ok());
  EXPECT_EQ(daemon_.routing_key, "") << "the handle is forgotten";
}

TEST_F(ClientRetryTest, CallsCarryNoRoutingKeyByDefault) {
  v1::OpenStageRequest open;
  open.set_root_layer("/shot.usda");
  ASSERT_TRUE(client_->OpenStage(open).ok());
  v1::GetStageRequest get;
  get.mutable_stage()->set_handle("h");
  daemon_.routing_key = "not set";
  ASSERT_TRUE(client_->GetStage(get).ok());
  EXPECT_EQ(daemon_.routing_key, "");
}

}  // namespace
}  // namespace stagedoor

#include "client/cc/call_options.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "client/cc/client.h"
#include "client/cc/futures.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers no call before the client gives up.
class SilentDaemon final : public v1::StagesService::Service, public v1::QueryService::Service {
 public:
  std::promise<seconds> arrived;  // the time left of the first call
  std::string trace;              // the metadata "traceparent" of that call

 private:
  grpc::Status GetStage(grpc::ServerContext* context, const v1::GetStageRequest*,
                        v1::GetStageResponse*) override {
    return WaitUntilCancelled(context);
  }
  grpc::Status BatchGetValues(grpc::ServerContext* context, const v1::BatchGetValuesRequest*,
                              v1::BatchGetValuesResponse*) override {
    return WaitUntilCancelled(context);
  }
  grpc::Status Traverse(grpc::ServerContext* context, const v1::TraverseRequest*,
                        grpc::ServerWriter<v1::TraverseResponse>*) override {
    return WaitUntilCancelled(context);
  }
  grpc::Status WaitUntilCancelled(grpc::ServerContext* context) {
    const auto found = context->client_metadata().find("traceparent");
    if (found != context->client_metadata().end()) {
      trace.assign(found->second.begin(), found->second.end());
    }
    arrived.set_value(
        std::chrono::round<seconds>(context->deadline() - std::chrono::system_clock::now()));
    while (!context->IsCancelled()) std::this_thread::yield();
    return grpc::Status::CANCELLED;
  }
};

class CallOptionsTest : public ::testing::Test {
 protected:
  CallOptionsTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(static_cast<v1::StagesService::Service*>(&daemon_));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(&daemon_));
    server_ = builder.BuildAndStart();
    client_ = Client::FromChannel(server_->InProcessChannel({}), {});
  }
  // Runs `call` on another thread, cancels it when it has arrived, and returns its status.
  template <typename Call>
  absl::Status CancelOnArrival(const Call& call) {
    auto ended = std::async(std::launch::async, call);
    daemon_.arrived.get_future().wait();
    cancellation_->Cancel();
    return ended.get();
  }

  SilentDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
  const std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
};

TEST_F(CallOptionsTest, BlockingCallsCanBeCancelled) {
  const absl::Status status = CancelOnArrival(
      [&] { return client_->GetStage({}, {.cancellation = cancellation_}).status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, AsynchronousCallsCanBeCancelled) {
  std::promise<absl::Status> ended;
  client_->GetStageAsync(
      {}, [&](absl::StatusOr<v1::GetStageResponse> reply) { ended.set_value(reply.status()); },
      {.cancellation = cancellation_});
  daemon_.arrived.get_future().wait();
  cancellation_->Cancel();
  EXPECT_EQ(ended.get_future().get().code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, SmallQueriesCanBeCancelled) {
  v1::BatchGetValuesRequest request;
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  const absl::Status status = CancelOnArrival(
      [&] { return client_->BatchGetValues(request, {.cancellation = cancellation_}).status(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, CancelledCallsAreNotMade) {
  EXPECT_FALSE(cancellation_->cancelled());
  cancellation_->Cancel();
  EXPECT_TRUE(cancellation_->cancelled());
  EXPECT_EQ(client_->GetStage({}, {.cancellation = cancellation_}).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, TimeoutOfACallTakesThePlaceOfTheClients) {
  auto ended = std::async(std::launch::async, [&] {
    return client_->GetStage({}, {.timeout = seconds(1000), .cancellation = cancellation_})
        .status();
  });
  EXPECT_EQ(daemon_.arrived.get_future().get(), seconds(1000));
  cancellation_->Cancel();
  EXPECT_EQ(ended.get().code(), absl::StatusCode::kCancelled);
  daemon_.arrived = {};
  EXPECT_EQ(client_->GetStage({}, {.timeout = milliseconds(1)}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(CallOptionsTest, CallsWithoutTimeLeftAreNotMade) {
  for (const milliseconds timeout : {milliseconds(0), milliseconds(-1)}) {
    const absl::Status status = client_->GetStage({}, {.timeout = timeout}).status();
    EXPECT_EQ(status, absl::DeadlineExceededError("the deadline of the call has passed"));
  }
}

absl::Status IgnorePrims(const v1::TraverseResponse&) { return absl::OkStatus(); }

TEST_F(CallOptionsTest, StreamsCanBeCancelled) {
  const absl::Status status = CancelOnArrival(
      [&] { return client_->Traverse({}, IgnorePrims, {.cancellation = cancellation_}); });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, AsynchronousStreamsCanBeCancelled) {
  const v1::TraverseRequest request;
  std::future<absl::Status> ended = Start(*client_, &Client::TraverseAsync, request, IgnorePrims,
                                          {.cancellation = cancellation_});
  daemon_.arrived.get_future().wait();
  cancellation_->Cancel();
  EXPECT_EQ(ended.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, StreamsHaveDeadlines) {
  auto ended = std::async(std::launch::async, [&] {
    return client_->Traverse({}, IgnorePrims,
                             {.timeout = seconds(1000), .cancellation = cancellation_});
  });
  EXPECT_EQ(daemon_.arrived.get_future().get(), seconds(1000));
  cancellation_->Cancel();
  EXPECT_EQ(ended.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(CallOptionsTest, MetadataIsSent) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  v1::BatchGetValuesRequest request;
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  CancelOnArrival([&] {
    return client_
        ->BatchGetValues(request,
                         {.cancellation = cancellation_, .metadata = {{"traceparent", trace}}})
        .status();
  }).IgnoreError();
  EXPECT_EQ(daemon_.trace, trace);
}

TEST_F(CallOptionsTest, MetadataThatGrpcWouldNotAcceptIsRefused) {
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  for (const Metadata& metadata :
       {Metadata{{"", "x"}}, Metadata{{"Upper", "x"}}, Metadata{{"grpc-timeout", "x"}},
        Metadata{{"key-bin", "x"}}, Metadata{{"a b", "x"}}, Metadata{{"key", "new\nline"}},
        Metadata{{"key", "caf\xc3\xa9"}}}) {
    const CallOptions call = {.metadata = metadata};
    SCOPED_TRACE(metadata[0].first + "=" + metadata[0].second);
    const v1::GetStageRequest get;
    const v1::TraverseRequest traverse;
    EXPECT_EQ(client_->GetStage(get, call).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(client_->Traverse(traverse, IgnorePrims, call).code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Start(*client_, &Client::GetStageAsync, get, call).get().status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Start(*client_, &Client::TraverseAsync, traverse, IgnorePrims, call).get().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace stagedoor

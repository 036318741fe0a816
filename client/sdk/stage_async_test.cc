// Calls of handles that do not wait, with leases that are lost and daemons that cannot be reached.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/error.h"
#include "client/sdk/stage.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

using StageAsyncTest = FakeDaemonTest;
using Number = std::future<absl::StatusOr<double>>;

Number Start(const Stage& stage, const CallOptions& call = {}) {
  return stage.GetAttributeAtPath("/A.x").GetAsync<double>(1, call);
}

TEST_F(StageAsyncTest, ReadsValues) {
  const Stage stage = Open();
  EXPECT_EQ(*Start(stage).get(), 0.5);
  const Values values = stage.GetValuesAsync({"/A.x", "/A.y"}, 1).get().value();
  EXPECT_EQ(*values.Get<double>(1, 0), 1.5);

  std::promise<absl::StatusOr<double>> result;
  stage.GetAttributeAtPath("/A.x").GetAsync<double>(
      1, [&](absl::StatusOr<double> value) { result.set_value(std::move(value)); });
  EXPECT_EQ(*result.get_future().get(), 0.5);
}

TEST_F(StageAsyncTest, ErrorsNameTheAttribute) {
  const absl::Status status =
      Open().GetAttributeAtPath("/A.x").GetAsync<std::string>(1).get().status();
  EXPECT_EQ(DescribeError(status).reason, kWrongType);
  EXPECT_EQ(DescribeError(status).path, "/A.x");
}

TEST_F(StageAsyncTest, ManyCallsOpenAStageThatIsLostOnce) {
  const Stage stage = Open();
  first_.Forget();
  std::vector<Number> numbers;
  for (int i = 0; i < 20; ++i) numbers.push_back(Start(stage, {.metadata = {{"n", "1"}}}));
  for (Number& number : numbers) EXPECT_EQ(*number.get(), 0.5);
  EXPECT_EQ(first_.opened().size(), 2u);
}

TEST_F(StageAsyncTest, TurnsToADaemonThatCanBeReached) {
  const Stage stage = Open();
  first_.unreachable = true;
  EXPECT_EQ(*Start(stage).get(), 0.5);
  EXPECT_EQ(second_.opened().size(), 1u);
}

TEST_F(StageAsyncTest, AllWaitingCallsFailIfNoDaemonCanBeReached) {
  const Stage stage = Open();
  first_.unreachable = true;
  second_.unreachable = true;
  std::vector<Number> numbers;
  for (int i = 0; i < 5; ++i) numbers.push_back(Start(stage, {.metadata = {{"n", "1"}}}));
  for (Number& number : numbers) EXPECT_TRUE(IsUnreachable(number.get().status()));
}

TEST_F(StageAsyncTest, AnEditedSessionWithANameIsNotOpenedAgain) {
  const Stage stage = Open({.session = "shared"});
  ASSERT_TRUE(stage.SetSessionLayer("#usda 1.0\n").ok());
  first_.Forget();
  EXPECT_EQ(ErrorReason(Start(stage).get().status()), "LEASE_EXPIRED");
}

TEST_F(StageAsyncTest, AClosedStageIsOfNoUse) {
  Stage stage = Open();
  ASSERT_TRUE(stage.Close().ok());
  EXPECT_EQ(Start(stage).get().status(), absl::FailedPreconditionError("the stage is closed"));
}

TEST_F(StageAsyncTest, BatchesThatAreTooLargeAreStreamed) {
  const Stage stage = Open();
  first_.large = true;
  const absl::StatusOr<Values> values = stage.GetValuesAsync({"/A.x", "/A.y"}, 1).get();
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->path_count(), 2u);
  EXPECT_EQ(values->Get<Array<float>>(1, 0)->size(), 2u);
}

TEST_F(StageAsyncTest, CancellationEndsACall) {
  const Stage stage = Open();
  first_.Hold();
  const auto cancellation = std::make_shared<Cancellation>();
  Number number = Start(stage, {.cancellation = cancellation});
  cancellation->Cancel();
  EXPECT_EQ(number.get().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(StageAsyncTest, ACallKeepsItsStageOpen) {
  first_.Hold();
  Number number = Start(Open());
  EXPECT_EQ(first_.closed(), 0);
  first_.Release();
  EXPECT_EQ(*number.get(), 0.5);
  first_.AwaitClose();
}

TEST_F(StageAsyncTest, ACallbackMayHoldTheLastHandle) {
  first_.Hold();
  std::promise<double> result;
  {
    const Stage stage = Open();
    stage.GetAttributeAtPath("/A.x").GetAsync<double>(
        1, [&result, stage](const absl::StatusOr<double>& value) { result.set_value(*value); });
  }
  connection_.reset();
  EXPECT_EQ(first_.closed(), 0);
  first_.Release();
  EXPECT_EQ(result.get_future().get(), 0.5);
  first_.AwaitClose();
}

TEST_F(StageAsyncTest, SkinnedPoints) {
  const Stage stage = Open();
  const absl::StatusOr<SkinnedPrim> body =
      stage.GetPrimAtPath("/Body").GetSkinnedPointsAsync(1).get();
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->path, "/Body");
  EXPECT_EQ(body->points.size(), 1u);
  const absl::Status status = stage.GetPrimAtPath("/Rigid").GetSkinnedPointsAsync(1).get().status();
  EXPECT_EQ(ErrorReason(status), "WRONG_KIND");
  first_.Forget();
  EXPECT_TRUE(stage.GetPrimAtPath("/Body").GetSkinnedPointsAsync(1).get().ok()) << "opened again";
}

TEST_F(StageAsyncTest, AnyCall) {
  const Stage stage = Open();
  v1::BatchGetValuesRequest request;
  request.add_paths("/A.x");
  std::promise<size_t> paths;
  stage.CallAsync(&Client::BatchGetValuesAsync, request,
                  [&](const absl::StatusOr<v1::BatchGetValuesResponse>& reply) {
                    paths.set_value(reply.value().path_count());
                  });
  EXPECT_EQ(paths.get_future().get(), 1u);
}

TEST_F(StageAsyncTest, AStreamThatHasBegunIsNotRepeated) {
  const Stage stage = Open();
  first_.BreakStreams({Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED")});
  int parts = 0;
  std::promise<absl::Status> ended;
  stage.StreamAsync(
      &Client::TraverseAsync, v1::TraverseRequest(),
      [&](const v1::TraverseResponse&) {
        ++parts;
        return absl::OkStatus();
      },
      [&](absl::Status status) { ended.set_value(std::move(status)); });
  EXPECT_EQ(ErrorReason(ended.get_future().get()), "LEASE_EXPIRED");
  EXPECT_EQ(parts, 1);
}

}  // namespace
}  // namespace stagedoor::sdk

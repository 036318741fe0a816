#include "client/cc/retry_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr RetryPolicy::Time kStart{};

ClientOptions Options() {
  ClientOptions options;
  options.timeout = seconds(60);
  options.connect_timeout = seconds(10);
  options.max_attempts = 3;
  options.initial_backoff = milliseconds(50);
  options.max_backoff = milliseconds(300);
  return options;
}

const grpc::Status& Gone() {
  static const auto* status = new grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
  return *status;
}

grpc::Status Refusal(grpc::StatusCode code, const google::rpc::Status& details) {
  return grpc::Status(code, "refused", details.SerializeAsString());
}
grpc::Status RefusalWithReason(grpc::StatusCode code) {
  google::rpc::Status details;
  details.add_details()->PackFrom(google::rpc::ErrorInfo());
  return Refusal(code, details);
}
google::rpc::RetryInfo Advice(int64_t seconds, int32_t nanos) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(nanos);
  return info;
}

// In milliseconds; -1 if there is no further attempt.
int64_t Count(const std::optional<milliseconds>& pause) {
  return pause.has_value() ? pause->count() : -1;
}

TEST(RetryPolicyTest, BackoffDoublesUpToItsMaximum) {
  RetryPolicy policy(Options(), kStart);
  std::vector<int64_t> pauses;
  for (int i = 0; i < 5; ++i) pauses.push_back(Count(policy.NextBackoff(Gone(), true, kStart, 0)));
  EXPECT_EQ(pauses, (std::vector<int64_t>{25, 50, 100, 150, 150}));
}

TEST(RetryPolicyTest, BackoffIsSpreadFromHalfToWhole) {
  const struct {
    uint32_t random;
    int64_t expected;
  } kCases[] = {{0, 25}, {1, 26}, {25, 50}, {26, 25}, {~0u, 25 + ~0u % 26}};
  for (const auto& c : kCases) {
    RetryPolicy policy(Options(), kStart);
    EXPECT_EQ(Count(policy.NextBackoff(Gone(), true, kStart, c.random)), c.expected) << c.random;
  }
}

TEST(RetryPolicyTest, BackoffEndsBeforeTheDeadline) {
  RetryPolicy policy(Options(), kStart);
  EXPECT_EQ(policy.deadline(), kStart + seconds(60));
  const auto at = [](bool daemon_known, milliseconds since_start) {
    RetryPolicy policy(Options(), kStart);
    return Count(policy.NextBackoff(Gone(), daemon_known, kStart + since_start, 0));
  };
  EXPECT_EQ(at(true, milliseconds(59974)), 25);
  EXPECT_EQ(at(true, milliseconds(59975)), -1);
  EXPECT_EQ(at(false, milliseconds(9974)), 25) << "no daemon has ever answered";
  EXPECT_EQ(at(false, milliseconds(9975)), -1);
}

TEST(RetryPolicyTest, ConnectTimeoutIsBoundedByTheTimeout) {
  ClientOptions options = Options();
  options.timeout = seconds(2);
  RetryPolicy policy(options, kStart);
  EXPECT_EQ(Count(policy.NextBackoff(Gone(), false, kStart + milliseconds(1974), 0)), 25);
  EXPECT_EQ(Count(policy.NextBackoff(Gone(), false, kStart + milliseconds(1975), 0)), -1);
}

TEST(RetryPolicyTest, OnlyRejectionsCountAsAttempts) {
  RetryPolicy policy(Options(), kStart);
  const grpc::Status refusal = RefusalWithReason(grpc::StatusCode::UNAVAILABLE);
  for (int i = 0; i < 10; ++i) EXPECT_NE(Count(policy.NextBackoff(Gone(), true, kStart, 0)), -1);
  EXPECT_NE(Count(policy.NextBackoff(refusal, true, kStart, 0)), -1);
  EXPECT_NE(Count(policy.NextBackoff(refusal, true, kStart, 0)), -1);
  EXPECT_EQ(Count(policy.NextBackoff(refusal, true, kStart, 0)), -1) << "it was the third attempt";
  EXPECT_NE(Count(policy.NextBackoff(Gone(), true, kStart, 0)), -1);
}

TEST(RetryPolicyTest, OneAttemptMeansNoRetry) {
  ClientOptions options = Options();
  options.max_attempts = 1;
  RetryPolicy policy(options, kStart);
  EXPECT_EQ(
      Count(policy.NextBackoff(RefusalWithReason(grpc::StatusCode::UNAVAILABLE), true, kStart, 0)),
      -1);
}

// A daemon that rejects a call is there, so the connect timeout does not apply.
TEST(RetryPolicyTest, ARejectionIsNotAMissingDaemon) {
  RetryPolicy policy(Options(), kStart);
  const grpc::Status refusal = RefusalWithReason(grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(Count(policy.NextBackoff(refusal, false, kStart + seconds(11), 0)), 25);
}

TEST(RetryPolicyTest, OtherErrorsAreFinalWithoutRetryInfo) {
  RetryPolicy policy(Options(), kStart);
  for (const grpc::StatusCode code :
       {grpc::StatusCode::NOT_FOUND, grpc::StatusCode::RESOURCE_EXHAUSTED,
        grpc::StatusCode::DEADLINE_EXCEEDED, grpc::StatusCode::INTERNAL}) {
    EXPECT_EQ(Count(policy.NextBackoff(RefusalWithReason(code), true, kStart, 0)), -1) << code;
    EXPECT_EQ(Count(policy.NextBackoff(grpc::Status(code, "no"), true, kStart, 0)), -1) << code;
  }
}

TEST(RetryPolicyTest, RetryInfoIsAddedToTheBackoff) {
  const struct {
    int64_t seconds;
    int32_t nanos;
    int64_t expected;
  } kCases[] = {{3, 0, 3025},         {0, 999999, 25}, {0, 1000000, 26},
                {1, 500000000, 1525}, {-1, 0, 25},     {0, 0, 25}};
  for (const auto& c : kCases) {
    google::rpc::Status details;
    details.add_details()->PackFrom(Advice(c.seconds, c.nanos));
    RetryPolicy policy(Options(), kStart);
    EXPECT_EQ(Count(policy.NextBackoff(Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, details), true,
                                       kStart, 0)),
              c.expected)
        << c.seconds << " s, " << c.nanos << " ns";
  }
}

TEST(RetryPolicyTest, RetryInfoIsFoundAmongOtherDetails) {
  google::rpc::Status details;
  details.add_details()->PackFrom(google::rpc::ErrorInfo());
  google::protobuf::Any* broken = details.add_details();
  broken->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  broken->set_value("\xff");
  details.add_details()->PackFrom(Advice(2, 0));
  details.add_details()->PackFrom(Advice(4, 0));
  RetryPolicy policy(Options(), kStart);
  EXPECT_EQ(Count(policy.NextBackoff(Refusal(grpc::StatusCode::ABORTED, details), true, kStart, 0)),
            2025);
}

TEST(RetryPolicyTest, ConnectionFailuresHaveNoDetails) {
  EXPECT_TRUE(IsConnectionFailure(Gone()));
  EXPECT_FALSE(IsConnectionFailure(RefusalWithReason(grpc::StatusCode::UNAVAILABLE)));
  EXPECT_FALSE(IsConnectionFailure(grpc::Status(grpc::StatusCode::INTERNAL, "no")));
  // Errors by which proxies report a lost daemon.
  EXPECT_TRUE(IsConnectionFailure(grpc::Status(grpc::StatusCode::UNKNOWN, "Stream removed")));
  EXPECT_FALSE(IsConnectionFailure(grpc::Status(grpc::StatusCode::UNKNOWN, "no")));
  const std::string reset = "Received RST_STREAM with error code 2";
  EXPECT_TRUE(IsConnectionFailure(grpc::Status(grpc::StatusCode::INTERNAL, reset)));
  EXPECT_TRUE(IsConnectionFailure(grpc::Status(grpc::StatusCode::CANCELLED, reset)));
  EXPECT_FALSE(IsConnectionFailure(grpc::Status(grpc::StatusCode::CANCELLED, "CANCELLED")));
  EXPECT_FALSE(IsConnectionFailure(grpc::Status(grpc::StatusCode::NOT_FOUND, reset)));
  EXPECT_FALSE(IsConnectionFailure(grpc::Status::OK));
}

TEST(RetryClockTest, DefaultClockRunsCallbacks) {
  std::promise<void> ran;
  RetryClock::Default().RunAfter(milliseconds(0), [&] { ran.set_value(); });
  ran.get_future().get();
}

TEST(RetryPolicyTest, ReconnectTimeoutLimitsRetriesOfAKnownDaemon) {
  ClientOptions options = Options();
  options.reconnect_timeout = seconds(2);
  const RetryClock::Time start{};
  RetryPolicy policy(options, start);
  EXPECT_TRUE(policy.NextBackoff(Gone(), /*daemon_known=*/true, start + seconds(1), 0).has_value());
  EXPECT_FALSE(policy.NextBackoff(Gone(), true, start + seconds(2), 0).has_value());
  EXPECT_TRUE(policy.NextBackoff(Gone(), /*daemon_known=*/false, start + seconds(2), 0).has_value())
      << "connect_timeout holds for others";
}

}  // namespace
}  // namespace stagedoor

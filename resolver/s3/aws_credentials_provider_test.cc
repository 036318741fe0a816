#include "resolver/s3/aws_credentials_provider.h"

#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Loads "1", "2" and so on, which expire after an hour of a clock of its own.
class AwsCredentialsProviderTest : public testing::Test {
 protected:
  AwsCredentialsProviderTest()
      : provider_(
            [this](RequestContext&) -> absl::StatusOr<AwsCredentials> {
              ++loads_;
              if (fail_) return UnavailableError("down");
              return AwsCredentials{"A", "s", Concat(loads_), now_ + lifetime_};
            },
            [this] { return now_; }) {}

  std::string Token() {
    const auto keys = provider_.Get(context_);
    return keys.ok() ? keys->session_token : std::string(Message(keys.status()));
  }

  std::chrono::sys_seconds now_{seconds(1000)};
  seconds lifetime_ = minutes(60);
  int loads_ = 0;
  bool fail_ = false;
  RequestContext context_;
  AwsCredentialsProvider provider_;
};

TEST_F(AwsCredentialsProviderTest, RefreshesBeforeTheyExpire) {
  EXPECT_EQ(Token(), "1");
  now_ += minutes(54);
  EXPECT_EQ(Token(), "1");
  now_ += minutes(2);
  EXPECT_EQ(Token(), "2");
  EXPECT_EQ(Token(), "2");
}

TEST_F(AwsCredentialsProviderTest, KeepsShortLivedOnesForHalfTheirTime) {
  lifetime_ = seconds(120);
  EXPECT_EQ(Token(), "1");
  now_ += seconds(59);
  EXPECT_EQ(Token(), "1");
  now_ += seconds(2);
  EXPECT_EQ(Token(), "2");
}

TEST_F(AwsCredentialsProviderTest, UsesGoodOnesWhileTheSourceIsDown) {
  EXPECT_EQ(Token(), "1");
  fail_ = true;
  now_ += minutes(56);
  EXPECT_EQ(Token(), "1");
  EXPECT_EQ(Token(), "1");
  EXPECT_EQ(loads_, 2) << "the source is not asked for each request";
  now_ += seconds(31);
  EXPECT_EQ(Token(), "1");
  EXPECT_EQ(loads_, 3);
  now_ += minutes(5);
  EXPECT_EQ(Token(), "down");
  fail_ = false;
  EXPECT_EQ(Token(), "5");
}

TEST_F(AwsCredentialsProviderTest, RefreshesRejectedOnesOnce) {
  EXPECT_EQ(Token(), "1");
  provider_.Expire("1");
  EXPECT_EQ(Token(), "2");
  provider_.Expire("1");  // another request that was sent with the old ones
  EXPECT_EQ(Token(), "2");
}

TEST_F(AwsCredentialsProviderTest, RejectsExpiredOnes) {
  lifetime_ = seconds(-1);
  EXPECT_EQ(Token(), "the credentials have expired already");
}

TEST(AwsCredentialsProviderThreadsTest, LoadsOnceForAll) {
  Mutex mu;
  CondVar changed;
  int loads = 0;
  bool release = false;
  AwsCredentialsProvider provider(
      [&](RequestContext&) {
        MutexLock lock(mu);
        ++loads;
        changed.NotifyAll();
        while (!release) changed.Wait(mu);
        return AwsCredentials{"A", "s", "", {}};
      },
      [] { return std::chrono::sys_seconds(); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      RequestContext context;
      EXPECT_TRUE(provider.Get(context).ok());
    });
  }
  {
    MutexLock lock(mu);
    while (loads == 0) changed.Wait(mu);
  }
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(provider.Get(cancelled).status().code(), absl::StatusCode::kCancelled);
  {
    MutexLock lock(mu);
    release = true;
    changed.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(loads, 1);
}

}  // namespace
}  // namespace stagedoor

#include "client/sdk/lease_keeper.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace stagedoor::sdk {
namespace {

using std::chrono::seconds;

// Leases are added with a distant time to live, so that the thread of the keeper does nothing.
class LeaseKeeperTest : public ::testing::Test {
 protected:
  std::shared_ptr<Lease> Add(const std::string& handle, seconds ttl) {
    auto lease = std::make_shared<Lease>();
    lease->Adopt({handle, 0, ttl}, start_);
    keeper_.Keep(lease);
    return lease;
  }
  std::vector<std::string> RenewedAt(seconds time) {
    renewed_.clear();
    now_ = start_ + time;
    next_ = keeper_.RenewDue(now_);
    return renewed_;
  }
  seconds next() const { return std::chrono::duration_cast<seconds>(next_ - start_); }

  const Lease::Clock::time_point start_ = Lease::Clock::now() + std::chrono::hours(1000);
  Lease::Clock::time_point now_;
  Lease::Clock::time_point next_;
  std::vector<std::string> renewed_;
  LeaseKeeper keeper_{[this](Lease& lease) { renewed_.push_back(lease.Use(now_).handle); }};
};

using Handles = std::vector<std::string>;

TEST_F(LeaseKeeperTest, LeasesAreRenewedAfterAThirdOfTheirTime) {
  const auto lease = Add("a", seconds(30));
  EXPECT_EQ(RenewedAt(seconds(9)), Handles{});
  EXPECT_EQ(next(), seconds(10));
  EXPECT_EQ(RenewedAt(seconds(10)), Handles{"a"});
  EXPECT_EQ(next(), seconds(20));
}

TEST_F(LeaseKeeperTest, LeasesThatAreUsedNeedNotBeRenewed) {
  const auto lease = Add("a", seconds(30));
  lease->Use(start_ + seconds(8));
  EXPECT_EQ(RenewedAt(seconds(17)), Handles{});
  EXPECT_EQ(RenewedAt(seconds(18)), Handles{"a"});
}

TEST_F(LeaseKeeperTest, ClosedAndDestroyedLeasesAreForgotten) {
  const auto closed = Add("a", seconds(30));
  auto destroyed = Add("b", seconds(30));
  const auto kept = Add("c", seconds(60));
  EXPECT_TRUE(closed->Close());
  EXPECT_FALSE(closed->Close());
  const std::weak_ptr<Lease> gone = destroyed;
  destroyed.reset();
  while (!gone.expired()) std::this_thread::yield();  // the thread looks at each lease once
  EXPECT_EQ(RenewedAt(seconds(20)), Handles{"c"});
  EXPECT_EQ(next(), seconds(40));
}

TEST_F(LeaseKeeperTest, NothingIsDueWithoutLeases) {
  EXPECT_EQ(RenewedAt(seconds(1000)), Handles{});
  EXPECT_EQ(next_, Lease::Clock::time_point::max());
}

}  // namespace
}  // namespace stagedoor::sdk

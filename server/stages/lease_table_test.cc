#include "server/stages/lease_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/request_scope.h"
#include "base/testing/fail_each_allocation.h"
#include "server/error_info.h"
#include "server/stages/change_signal.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

class LeaseTableTest : public ::testing::Test {
 protected:
  LeaseOptions Options() {
    LeaseOptions options;
    options.default_ttl = seconds(10);
    options.max_ttl = seconds(100);
    options.max_leases = 3;
    options.max_remembered = 2;
    options.now = [this] { return now_; };
    return options;
  }
  std::string Add(LeaseTable& table, LeaseTable::Clock::duration ttl = {}) {
    const auto grant = table.Add(nullptr, ttl, {});
    EXPECT_TRUE(grant.ok());
    return grant->handle;
  }

  LeaseTable::Clock::time_point now_{seconds(1000)};
};

TEST_F(LeaseTableTest, UseExtendsTheLease) {
  LeaseTable table(Options());
  const std::string handle = Add(table);
  for (int i = 0; i < 5; ++i) {
    now_ += seconds(9);
    EXPECT_TRUE(table.Acquire(handle, "").ok()) << i;
  }
}

TEST_F(LeaseTableTest, CountsNoLeaseThatIsNotGiven) {
  LeaseTable table(Options());
  const LeaseTable::Owner owner{.name = "an owner whose name does not fit into a string itself",
                                .max_leases = 1};
  bool given = false;
  FailEachAllocation([&] {
    const auto grant = table.Add(nullptr, {}, owner);
    ASSERT_TRUE(grant.ok()) << grant.status();
    given = true;
    EXPECT_EQ(table.size(), 1u);
    const RequestMemoryExemption exempt;
    EXPECT_TRUE(table.Remove(grant->handle, owner.name).ok());
  });
  EXPECT_TRUE(given);
}

TEST_F(LeaseTableTest, LeasesEndAlthoughAllocationsFail) {
  LeaseTable table(Options());
  const std::string removed = Add(table), expired = Add(table);
  const auto signal = std::make_shared<ChangeSignal>();
  ASSERT_TRUE(table.Watch(removed, "", signal).ok());
  ASSERT_TRUE(table.Watch(expired, "", signal).ok());
  int ended = 0;
  signal->Wait(
      [&ended](ChangeSignal::State state) { ended += state == ChangeSignal::State::kEnded; });
  EXPECT_EQ(FailEachAllocation([&] { EXPECT_TRUE(table.Remove(removed, "").ok()); }), 0u);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(ended, 1);
  now_ += seconds(10);
  const RequestScope::Guard scope({.limits_memory = true});
  FailAllocations(1, /*all=*/true);
  EXPECT_THROW(table.Acquire(expired, "").IgnoreError(), std::bad_alloc);  // its error
  StopFailingAllocations();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(ended, 2);
}

TEST_F(LeaseTableTest, ExpiredLeasesAreDistinguishedFromUnknownOnes) {
  LeaseTable table(Options());
  const std::string handle = Add(table);
  now_ += seconds(10);
  const absl::Status expired = table.Acquire(handle, "").status();
  EXPECT_EQ(expired.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetReason(expired), v1::ERROR_REASON_LEASE_EXPIRED);
  const absl::Status unknown = table.Acquire("stage-0", "").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GetReason(unknown), v1::ERROR_REASON_STAGE_NOT_FOUND);
}

TEST_F(LeaseTableTest, OldExpiredLeasesAreForgotten) {
  LeaseTable table(Options());
  const std::string first = Add(table), second = Add(table), third = Add(table);
  now_ += seconds(11);
  EXPECT_EQ(table.Sweep(), 3u);
  EXPECT_EQ(table.size(), 0u);
  int forgotten = 0;
  for (const std::string& handle : {first, second, third}) {
    forgotten += table.Acquire(handle, "").status().code() == absl::StatusCode::kNotFound;
  }
  EXPECT_EQ(forgotten, 1);
}

TEST_F(LeaseTableTest, TimesToLiveAreLimited) {
  LeaseTable table(Options());
  EXPECT_EQ(table.Add(nullptr, seconds(5), {})->ttl, seconds(5));
  EXPECT_EQ(table.Add(nullptr, seconds(0), {})->ttl, seconds(10));
  EXPECT_EQ(table.Add(nullptr, seconds(1000), {})->ttl, seconds(100));
}

TEST_F(LeaseTableTest, TooManyLeasesAreRejected) {
  LeaseTable table(Options());
  for (int i = 0; i < 3; ++i) Add(table);
  EXPECT_EQ(table.Add(nullptr, seconds(5), {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(LeaseTableTest, RenewSetsANewTimeToLive) {
  LeaseTable table(Options());
  const std::string handle = Add(table);
  EXPECT_EQ(*table.Renew(handle, "", seconds(50)), seconds(50));
  now_ += seconds(49);
  EXPECT_EQ(table.RemainingTtl(handle), seconds(1));
  EXPECT_TRUE(table.Acquire(handle, "").ok());
}

TEST_F(LeaseTableTest, RemovedHandlesAreGone) {
  LeaseTable table(Options());
  const std::string handle = Add(table), other = Add(table);
  EXPECT_NE(handle, other);
  EXPECT_TRUE(table.Remove(handle, "").ok());
  EXPECT_EQ(table.Remove(handle, "").code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(table.Acquire(other, "").ok());
}

TEST_F(LeaseTableTest, WatchingDoesNotExtendTheLeaseAndHearsOfItsEnd) {
  LeaseTable table(Options());
  const std::string expiring = Add(table), removed = Add(table), swept = Add(table);
  std::vector<std::string> ended;
  std::vector<std::shared_ptr<ChangeSignal>> signals;
  for (const std::string& handle : {expiring, removed, swept}) {
    signals.push_back(std::make_shared<ChangeSignal>());
    signals.back()->Wait([&ended, handle](ChangeSignal::State state) {
      EXPECT_EQ(state, ChangeSignal::State::kEnded);
      ended.push_back(handle);
    });
    EXPECT_TRUE(table.Watch(handle, "", signals.back()).ok());
  }
  now_ += seconds(9);
  EXPECT_TRUE(table.Peek(expiring, "").ok());
  EXPECT_TRUE(table.Remove(removed, "").ok());
  EXPECT_EQ(ended, (std::vector<std::string>{removed}));
  now_ += seconds(1);
  EXPECT_EQ(GetReason(table.Peek(expiring, "").status()), v1::ERROR_REASON_LEASE_EXPIRED);
  table.Sweep();
  EXPECT_EQ(ended, (std::vector<std::string>{removed, expiring, swept}));
  EXPECT_EQ(GetReason(table.Watch(swept, "", signals.back())), v1::ERROR_REASON_LEASE_EXPIRED);
  EXPECT_EQ(GetReason(table.Peek(expiring, "other").status()), v1::ERROR_REASON_STAGE_NOT_FOUND);
}

TEST_F(LeaseTableTest, AHandleIsUnknownToOthers) {
  LeaseTable table(Options());
  const std::string handle = table.Add(nullptr, seconds(10), {.name = "user:ann"})->handle;
  const absl::Status unknown = table.Acquire("stage-0", "user:bob").status();
  EXPECT_EQ(table.Acquire(handle, "user:bob").status(), unknown);
  EXPECT_EQ(table.Acquire(handle, "").status(), unknown);
  EXPECT_EQ(table.Renew(handle, "user:bob", seconds(50)).status(), unknown);
  EXPECT_EQ(table.Remove(handle, "user:bob"), unknown);
  EXPECT_TRUE(table.Acquire(handle, "user:ann").ok());
  now_ += seconds(10);
  EXPECT_EQ(table.Acquire(handle, "user:bob").status(), unknown);
  EXPECT_EQ(GetReason(table.Acquire(handle, "user:ann").status()), v1::ERROR_REASON_LEASE_EXPIRED);
  EXPECT_EQ(table.Acquire(handle, "user:bob").status(), unknown) << "expiry is a secret too";
}

TEST_F(LeaseTableTest, AnOwnerHasALimitOfItsOwn) {
  LeaseTable table(Options());
  EXPECT_FALSE(table.Add(nullptr, seconds(10), {.name = "user:eve", .max_leases = 0}).ok());
  const LeaseTable::Owner ann{.name = "user:ann", .max_leases = 1};
  const std::string handle = table.Add(nullptr, seconds(10), ann)->handle;
  const absl::Status full = table.Add(nullptr, seconds(10), ann).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetReason(full), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_TRUE(table.Add(nullptr, seconds(100), {.name = "user:bob", .max_leases = 1}).ok());
  EXPECT_TRUE(table.Remove(handle, "user:ann").ok());
  const auto again = table.Add(nullptr, seconds(10), ann);
  ASSERT_TRUE(again.ok()) << "a removed lease does not count";
  now_ += seconds(10);
  EXPECT_EQ(table.Sweep(), 1u);
  EXPECT_TRUE(table.Add(nullptr, seconds(10), ann).ok()) << "an expired lease does not count";
}

TEST_F(LeaseTableTest, HandlesAreRecognized) {
  LeaseTable table(Options());
  const std::string handle = Add(table);
  EXPECT_TRUE(LeaseTable::IsHandle(handle));
  EXPECT_FALSE(LeaseTable::IsHandle(handle + "0"));
  EXPECT_FALSE(LeaseTable::IsHandle("lease-" + handle.substr(6)));
  EXPECT_FALSE(LeaseTable::IsHandle(""));
}

TEST_F(LeaseTableTest, ARestoredLeaseIsLikeTheOneThatWasGranted) {
  LeaseTable table(Options());
  const std::string handle = Add(table);
  LeaseTable other(Options());
  ASSERT_TRUE(other.Restore(handle, nullptr, seconds(20), {.name = "ann"}).ok());
  now_ += seconds(19);
  EXPECT_TRUE(other.Acquire(handle, "ann").ok());
  EXPECT_FALSE(other.Acquire(handle, "bob").ok());
  now_ += seconds(20);
  EXPECT_EQ(GetReason(other.Acquire(handle, "ann").status()), v1::ERROR_REASON_LEASE_EXPIRED);
  // It can be restored again, because another replica renewed it.
  ASSERT_TRUE(other.Restore(handle, nullptr, seconds(20), {.name = "ann"}).ok());
  EXPECT_TRUE(other.Acquire(handle, "ann").ok());
}

TEST_F(LeaseTableTest, RestoringKeepsTheLeaseThatIsThere) {
  LeaseTable table(Options());
  const std::string handle = Add(table, seconds(50));
  ASSERT_TRUE(table.Restore(handle, nullptr, seconds(1), {}).ok());
  EXPECT_EQ(table.RemainingTtl(handle), seconds(50));
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(LeaseTableTest, RestoredLeasesCountTowardsTheLimits) {
  LeaseTable table(Options());
  for (int i = 0; i < 3; ++i) Add(table);
  const absl::Status full = table.Restore("stage-1", nullptr, seconds(1), {});
  EXPECT_EQ(GetReason(full), v1::ERROR_REASON_BUDGET_EXHAUSTED);
}

TEST_F(LeaseTableTest, UseIsTakenOnceInAnEighthOfTheTimeToLive) {
  LeaseTable table(Options());
  const std::string used = Add(table, seconds(80));
  Add(table, seconds(80));
  EXPECT_TRUE(table.TakeUsed().empty());  // nothing since they were granted
  now_ += seconds(9);
  ASSERT_TRUE(table.Acquire(used, "").ok());
  now_ += seconds(1);
  const auto taken = table.TakeUsed();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].handle, used);
  EXPECT_EQ(taken[0].ttl, seconds(80));
  EXPECT_TRUE(table.TakeUsed().empty());
  now_ += seconds(9);
  ASSERT_TRUE(table.Acquire(used, "").ok());
  EXPECT_TRUE(table.TakeUsed().empty());  // too soon
  now_ += seconds(1);
  EXPECT_EQ(table.TakeUsed().size(), 1u);
  EXPECT_EQ(table.All().size(), 2u);
}

TEST_F(LeaseTableTest, FindsOneLease) {
  LeaseTable table(Options());
  const auto grant = table.Add(nullptr, seconds(5), {.name = "ann", .client_name = "node"});
  const auto found = table.Find(grant->handle);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->owner.client_name, "node");
  EXPECT_EQ(found->ttl, seconds(5));
  EXPECT_FALSE(table.Find("stage-0").has_value());
}

}  // namespace
}  // namespace stagedoor::server

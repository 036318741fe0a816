#include "server/stages/stage_watches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/fail_each_allocation.h"
#include "server/error_info.h"
#include "server/stages/change_signal.h"

namespace stagedoor::server {
namespace {

using State = ChangeSignal::State;

TEST(StageWatchesTest, LimitsAllAndEachClient) {
  StageWatches watches({.max_watches = 3, .max_per_client = 2, .timer = {}});
  auto a = watches.Admit("a"), b = watches.Admit("a");
  ASSERT_TRUE(a.ok() && b.ok());
  const absl::Status client = watches.Admit("a").status();
  EXPECT_EQ(client.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetExhaustedBudget(client), "watches of the client");
  auto c = watches.Admit("b");
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(GetExhaustedBudget(watches.Admit("c").status()), "watches");
  EXPECT_EQ(watches.size(), 3u);
  a->reset();
  EXPECT_TRUE(watches.Admit("a").ok());
}

TEST(StageWatchesTest, CountsNothingThatIsNotAdmitted) {
  StageWatches watches({.max_watches = 1, .timer = {}});
  FailEachAllocation([&watches] {
    const auto place = watches.Admit("a client whose name does not fit into a string itself");
    EXPECT_TRUE(place.ok()) << place.status();
  });
  EXPECT_EQ(watches.size(), 0u);
}

// The request that makes a change may run out of memory; those who watch are notified.
TEST(ChangeSignalTest, NotifiesAlthoughAllocationsFail) {
  ChangeSignal signal;
  int notified = 0;
  const std::string large_capture(1000, 'x');
  signal.Wait([&notified, large_capture](State) { ++notified; });
  EXPECT_EQ(FailEachAllocation([&signal] { signal.NotifyChange(); }), 0u);
  EXPECT_EQ(notified, 1);
}

TEST(ChangeSignalTest, KeepsWhatWasNotifiedUntilItIsCleared) {
  ChangeSignal signal;
  std::vector<State> woken;
  const auto wake = [&](State state) { woken.push_back(state); };
  EXPECT_EQ(signal.Wait(wake), State::kQuiet);
  signal.NotifyChange();
  EXPECT_EQ(woken, (std::vector<State>{State::kChanged}));
  signal.Clear();
  signal.NotifyChange();
  EXPECT_EQ(woken.size(), 1u);
  EXPECT_EQ(signal.Wait(wake), State::kChanged);
  signal.NotifyEnd();
  signal.NotifyChange();
  EXPECT_EQ(woken.size(), 3u);
  signal.Clear();
  EXPECT_EQ(signal.Wait(wake), State::kEnded) << "an end is never forgotten";
}

TEST(ChangeSignalTest, ThoseWhoNotifyDoNotKeepIt) {
  ChangeSignals signals;
  const auto kept = std::make_shared<ChangeSignal>();
  signals.Add(kept);
  for (int i = 0; i < 100; ++i) signals.Add(std::make_shared<ChangeSignal>());
  EXPECT_EQ(signals.Living(), (std::vector<std::shared_ptr<ChangeSignal>>{kept}));
}

}  // namespace
}  // namespace stagedoor::server

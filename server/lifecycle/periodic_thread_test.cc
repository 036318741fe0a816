#include "server/lifecycle/periodic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <string>

#include "server/lifecycle/at_end.h"

namespace stagedoor::server {
namespace {

TEST(PeriodicThread, CallsAgainAndAgain) {
  std::counting_semaphore<> calls{0};
  const PeriodicThread thread(std::chrono::milliseconds(1), [&] { calls.release(); });
  for (int i = 0; i < 3; ++i) calls.acquire();
}

TEST(PeriodicThread, DoesNotCallAfterItsEnd) {
  std::atomic<bool> ended{false}, late{false};
  std::atomic<int> calls{0};
  {
    const PeriodicThread thread(std::chrono::milliseconds(1), [&] {
      if (ended) late = true;
      ++calls;
    });
  }
  ended = true;
  const int before = calls;
  EXPECT_FALSE(late);
  EXPECT_EQ(calls, before);
}

TEST(PeriodicThread, EndsWhileItWaitsForALongTime) {
  const PeriodicThread thread(std::chrono::hours(1), [] {});
}

struct Members {
  std::string& order;
  const AtEnd first{[this] { order += '1'; }};
  const AtEnd second{[this] { order += '2'; }};
};

TEST(AtEnd, IsCalledInTheOrderOfDestruction) {
  std::string order;
  { const Members members{.order = order}; }
  EXPECT_EQ(order, "21");
}

}  // namespace
}  // namespace stagedoor::server

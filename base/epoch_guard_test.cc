#include "base/epoch_guard.h"

#include <atomic>
#include <thread>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(EpochGuardTest, ReadersDelayReclamation) {
  std::atomic<bool> reads{false}, leave{false};
  std::thread reader([&] {
    const EpochGuard guard;
    { const EpochGuard nested; }
    reads = true;
    while (!leave) std::this_thread::yield();
  });
  while (!reads) std::this_thread::yield();
  const uint64_t taken_out = CurrentEpoch();
  EXPECT_LE(AdvanceEpoch(), taken_out);
  EXPECT_LE(AdvanceEpoch(), taken_out);
  leave = true;
  reader.join();
  EXPECT_GT(AdvanceEpoch(), taken_out);
}

TEST(EpochGuardTest, LaterReadersDoNotDelayReclamation) {
  const uint64_t taken_out = CurrentEpoch();
  AdvanceEpoch();
  const EpochGuard guard;
  EXPECT_GT(AdvanceEpoch(), taken_out);
  EXPECT_LE(AdvanceEpoch(), CurrentEpoch() - 1);
}

}  // namespace
}  // namespace stagedoor

#include "base/memory_shortage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60000};

// The end of a shortage keeps others from waiting for a while.
void LetItPass() { std::this_thread::sleep_for(kMemoryReliefPatience + milliseconds(1)); }

class MemoryShortageTest : public ::testing::Test {
 protected:
  void SetUp() override { SetMemoryReliefOffered(true); }
  void TearDown() override {
    EndMemoryShortage();
    SetMemoryReliefOffered(false);
    LetItPass();
  }
};

TEST_F(MemoryShortageTest, NobodyWaitsWithoutAThreadThatFrees) {
  SetMemoryReliefOffered(false);
  EXPECT_FALSE(AwaitMemoryRelief());
  EXPECT_FALSE(AwaitMemoryShortage(milliseconds(0))) << "nothing was asked for";
}

TEST_F(MemoryShortageTest, AnAllocationWaitsForRelief) {
  std::atomic<bool> relieved{false};
  std::thread allocation([&] {
    // On a busy machine it may not be served in time, and asks again.
    while (!AwaitMemoryRelief()) {
    }
    EXPECT_TRUE(relieved);
  });
  EXPECT_TRUE(AwaitMemoryShortage(kLong));
  relieved = true;
  EndMemoryShortage();
  EXPECT_FALSE(AwaitMemoryShortage(milliseconds(0)));
  // In case it gave up before the end above, it is served again.
  std::thread server([&] {
    while (relieved) {
      if (AwaitMemoryShortage(milliseconds(1))) EndMemoryShortage();
    }
  });
  allocation.join();
  relieved = false;
  server.join();
}

TEST_F(MemoryShortageTest, AnAllocationGivesUpIfNothingIsFreed) {
  EXPECT_FALSE(AwaitMemoryRelief());
  EXPECT_TRUE(AwaitMemoryShortage(milliseconds(0))) << "it is still wanted";
}

TEST_F(MemoryShortageTest, AllocationsDoNotWaitAgainSoonAfterRelief) {
  EndMemoryShortage();
  const auto begin = std::chrono::steady_clock::now();
  while (AwaitMemoryRelief()) {
  }
  // It returned false without asking, unless the machine was too slow for this test.
  if (std::chrono::steady_clock::now() - begin < kMemoryReliefPatience) {
    EXPECT_FALSE(AwaitMemoryShortage(milliseconds(0)));
  }
}

}  // namespace
}  // namespace stagedoor

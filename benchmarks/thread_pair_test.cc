#include "benchmarks/thread_pair.h"

#include <gtest/gtest.h>

#include <array>
#include <latch>

namespace stagedoor::bench {
namespace {

TEST(ThreadPairTest, BothHalvesRunAtTheSameTime) {
  ThreadPair pair;
  std::latch both{2};
  pair.Run([&](int) { both.arrive_and_wait(); });  // would hang if they ran one after another
}

TEST(ThreadPairTest, TheSameTwoThreadsRunAllWork) {
  ThreadPair pair;
  std::array<std::thread::id, 2> first, again;
  pair.Run([&](int half) { first[half] = std::this_thread::get_id(); });
  pair.Run([&](int half) { again[half] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_NE(first[1], first[0]);
  EXPECT_EQ(again, first);
}

TEST(ThreadPairTest, RunWaitsForBothHalves) {
  ThreadPair pair;
  std::array<int, 2> done{};
  for (int round = 1; round <= 1000; ++round) {
    pair.Run([&](int half) { ++done[half]; });
    ASSERT_EQ(done, (std::array<int, 2>{round, round}));
  }
}

}  // namespace
}  // namespace stagedoor::bench

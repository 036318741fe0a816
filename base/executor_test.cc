#include "base/executor.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(ThreadPoolExecutorTest, HasTheRequestedNumberOfThreads) {
  EXPECT_EQ(ThreadPoolExecutor(3).concurrency(), 3);
  EXPECT_EQ(ThreadPoolExecutor(1).concurrency(), 1);
  const int hardware = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_EQ(ThreadPoolExecutor(0).concurrency(), hardware);
  EXPECT_EQ(ThreadPoolExecutor(-1).concurrency(), hardware);
}

TEST(ParallelForTest, VisitsEveryIndexOnce) {
  ThreadPoolExecutor pool(4);
  for (const size_t n : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}}) {
    for (const size_t grain : {size_t{0}, size_t{1}, size_t{3}, size_t{5000}}) {
      std::vector<std::atomic<int>> seen(n);
      ParallelFor(pool, n, grain, [&](size_t begin, size_t end) {
        EXPECT_LT(begin, end);
        for (size_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& count : seen) EXPECT_EQ(count, 1) << n << " by " << grain;
    }
  }
}

TEST(ParallelForTest, NestsOnASingleThreadWithoutDeadlock) {
  ThreadPoolExecutor pool(1);
  std::atomic<int> leaves{0};
  ParallelFor(pool, 8, 1, [&](size_t, size_t) {
    ParallelFor(pool, 8, 1, [&](size_t, size_t) {
      ParallelFor(pool, 4, 1, [&](size_t, size_t) { ++leaves; });
    });
  });
  EXPECT_EQ(leaves, 8 * 8 * 4);
}

TEST(ParallelForTest, NestsOnManyThreads) {
  ThreadPoolExecutor pool(4);
  std::atomic<int> leaves{0};
  for (int round = 0; round < 50; ++round) {
    ParallelFor(pool, 16, 1, [&](size_t, size_t) {
      ParallelFor(pool, 16, 3,
                  [&](size_t begin, size_t end) { leaves += static_cast<int>(end - begin); });
    });
  }
  EXPECT_EQ(leaves, 50 * 16 * 16);
}

// Queues what is scheduled, and runs nothing.
class BusyExecutor final : public Executor {
 public:
  void Schedule(std::function<void()> fn) override { queue.push_back(std::move(fn)); }
  int concurrency() const override { return 4; }
  std::vector<std::function<void()>> queue;
};

TEST(ParallelForTest, UnstartedHelpersDoNotAccumulate) {
  BusyExecutor busy;
  int ran = 0;
  for (int loop = 0; loop < 1000; ++loop) {
    ParallelFor(busy, 10, 1, [&](size_t, size_t) { ++ran; });
  }
  EXPECT_EQ(ran, 10000);
  const size_t queued = busy.queue.size();
  EXPECT_LE(queued, 16u);
  // Once they have run there is room for new ones.
  for (const auto& helper : std::exchange(busy.queue, {})) helper();
  ParallelFor(busy, 10, 1, [&](size_t, size_t) { ++ran; });
  EXPECT_EQ(busy.queue.size(), 3u);
  EXPECT_EQ(ran, 10010);
  for (const auto& helper : busy.queue) helper();
}

TEST(ParallelForTest, EachThreadMayQueueFourHelpersForEachThreadOfTheExecutor) {
  BusyExecutor busy;
  std::thread([&] {
    for (int loop = 0; loop < 10; ++loop) ParallelFor(busy, 10, 1, [](size_t, size_t) {});
  }).join();
  EXPECT_EQ(busy.queue.size(), 16u);
}

TEST(ParallelForTest, AnExceptionReachesTheCallerAndStopsTheRest) {
  InlineExecutor executor;
  int ran = 0;
  const auto piece = [&](size_t, size_t) {
    if (++ran == 3) throw std::bad_alloc();
  };
  EXPECT_THROW(ParallelFor(executor, 100, 1, piece), std::bad_alloc);
  EXPECT_EQ(ran, 3);
}

TEST(ParallelForTest, TheFirstExceptionIsRethrown) {
  BusyExecutor busy;
  const auto piece = [&](size_t begin, size_t) {
    if (begin < busy.queue.size()) busy.queue[begin]();
    throw std::runtime_error(Concat("piece ", begin));
  };
  try {
    ParallelFor(busy, 2, 1, piece);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "piece 1");
  }
}

TEST(ParallelForTest, WithoutMemoryForHelpersTheCallerDoesAllWork) {
  class NoMemory final : public Executor {
   public:
    void Schedule(std::function<void()>) override { throw std::bad_alloc(); }
    int concurrency() const override { return 4; }
  };
  NoMemory executor;
  int ran = 0;
  ParallelFor(executor, 10, 1, [&](size_t, size_t) { ++ran; });
  EXPECT_EQ(ran, 10);
}

TEST(ThreadPoolExecutorTest, HasAtLeastOneThread) {
  for (const int wanted : {0, -1}) {
    std::atomic<int> ran{0};
    {
      ThreadPoolExecutor pool(wanted);
      EXPECT_GE(pool.concurrency(), 1);
      pool.Schedule([&] { ++ran; });
    }
    EXPECT_EQ(ran, 1);
  }
}

TEST(ThreadPoolExecutorTest, RunsScheduledWorkBeforeItEnds) {
  std::atomic<int> ran{0};
  {
    ThreadPoolExecutor pool(2);
    EXPECT_EQ(pool.concurrency(), 2);
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
}

}  // namespace
}  // namespace stagedoor

#include "base/lane_executor.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <vector>

#include "base/time_slice.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

// Work that reports when it begins and ends, and waits for Open() in between.
class Gate {
 public:
  std::function<void()> Work() {
    return [this] {
      begun_.set_value();
      open_.get_future().wait();
      ended_.set_value();
    };
  }
  void WaitUntilBegun() { begun_.get_future().wait(); }
  void Open() { open_.set_value(); }
  void WaitUntilEnded() { ended_.get_future().wait(); }

 private:
  std::promise<void> begun_, open_, ended_;
};

int Nice() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid))); }

// Returns the result of `fn` on a thread of `lane`.
template <typename Fn>
auto ResultOf(LaneExecutor& executor, Lane lane, Fn fn) {
  const auto result = std::make_shared<std::promise<decltype(fn())>>();
  executor.Schedule(lane, [result, fn] { result->set_value(fn()); });
  return result->get_future().get();
}

// Uses one thread per lane and a clock that only Advance() moves.
class LaneExecutorTest : public ::testing::Test {
 protected:
  LaneExecutor::Options Options(size_t max_overrunning = 8) {
    LaneExecutor::Options options;
    options.threads = 1;
    options.slice = milliseconds(5);
    options.max_overrunning = max_overrunning;
    options.now = [this] { return LaneExecutor::Clock::time_point(milliseconds(now_ms_)); };
    options.watch = false;
    return options;
  }
  void Advance(int ms) { now_ms_ += ms; }

  std::atomic<int> now_ms_{1000};
};

TEST_F(LaneExecutorTest, ShortWorkDoesNotWaitForLongWork) {
  std::vector<Gate> gates(4);
  LaneExecutor executor(Options());
  for (Gate& gate : gates) executor.Schedule(Lane::kLong, gate.Work());
  gates[0].WaitUntilBegun();
  EXPECT_EQ(ResultOf(executor, Lane::kShort, [] { return 7; }), 7);
  EXPECT_EQ(executor.queue_length(Lane::kLong), 3u);
  for (Gate& gate : gates) gate.Open();
}

TEST_F(LaneExecutorTest, LongWorkHasALowerPriority) {
  LaneExecutor executor(Options());
  const int usual = ResultOf(executor, Lane::kShort, Nice);
  EXPECT_EQ(usual, Nice());
  EXPECT_GT(ResultOf(executor, Lane::kLong, Nice), usual);
}

TEST_F(LaneExecutorTest, OnlyShortWorkAsksForAShortTimeSlice) {
  LaneExecutor executor(Options());
  const auto slice = [] { return GetTimeSlice(); };
  const auto take_back = [] { return SetTimeSlice(std::chrono::nanoseconds(0)); };
  if (!ResultOf(executor, Lane::kLong, take_back))
    GTEST_SKIP() << "the kernel does not support custom time slices";
  const std::chrono::nanoseconds usual = ResultOf(executor, Lane::kLong, slice);
  if (usual == kPromptTimeSlice) GTEST_SKIP() << "the default time slice is the short one";
  EXPECT_EQ(ResultOf(executor, Lane::kShort, slice), kPromptTimeSlice);

  Gate gate;
  std::promise<std::chrono::nanoseconds> overrun;
  executor.Schedule(Lane::kShort, [&] {
    gate.Work()();
    overrun.set_value(GetTimeSlice());
  });
  gate.WaitUntilBegun();
  Advance(6);
  executor.Watch();
  gate.Open();
  EXPECT_EQ(overrun.get_future().get(), usual);
  EXPECT_EQ(ResultOf(executor, Lane::kShort, slice), kPromptTimeSlice)
      << "of the thread in its place";
}

TEST_F(LaneExecutorTest, NestedWorkStaysInItsLane) {
  std::promise<Lane> nested;
  LaneExecutor executor(Options());
  const auto lane = [&] { return executor.CurrentLane(); };
  EXPECT_EQ(executor.CurrentLane(), Lane::kShort);
  EXPECT_EQ(ResultOf(executor, Lane::kShort, lane), Lane::kShort);
  EXPECT_EQ(ResultOf(executor, Lane::kLong, lane), Lane::kLong);
  executor.Schedule(Lane::kLong,
                    [&] { executor.Schedule([&] { nested.set_value(executor.CurrentLane()); }); });
  EXPECT_EQ(nested.get_future().get(), Lane::kLong);
}

TEST_F(LaneExecutorTest, OverrunningWorkMakesRoom) {
  Gate gate;
  LaneExecutor executor(Options());
  executor.Schedule(Lane::kShort, gate.Work());
  gate.WaitUntilBegun();
  Advance(5);
  executor.Watch();
  EXPECT_EQ(executor.overrunning(), 0u);  // exactly one slice
  Advance(1);
  executor.Watch();
  EXPECT_EQ(executor.overrunning(), 1u);
  const int usual = Nice();
  EXPECT_EQ(ResultOf(executor, Lane::kShort, Nice), usual);
  gate.Open();
}

TEST_F(LaneExecutorTest, OverrunningWorkContinuesAsLongWork) {
  Gate gate;
  std::promise<Lane> lane;
  std::promise<int> nice;
  LaneExecutor executor(Options());
  executor.Schedule(Lane::kShort, [&] {
    gate.Work()();
    lane.set_value(executor.CurrentLane());
    nice.set_value(Nice());
  });
  gate.WaitUntilBegun();
  Advance(6);
  executor.Watch();
  gate.Open();
  EXPECT_EQ(lane.get_future().get(), Lane::kLong);
  EXPECT_GT(nice.get_future().get(), Nice());
}

TEST_F(LaneExecutorTest, ThreadsOfLongWorkBeyondThoseOfOneLaneHaveTheLowestPriority) {
  Gate alone, other, beside;
  std::promise<int> nice_alone, nice_beside;
  LaneExecutor executor(Options());
  const auto overrun = [&](Gate& gate, std::promise<int>& nice) {
    executor.Schedule(Lane::kShort, [&] {
      gate.Work()();
      nice.set_value(Nice());
    });
    gate.WaitUntilBegun();
    Advance(6);
    executor.Watch();
    gate.Open();
    return nice.get_future().get();
  };
  EXPECT_EQ(overrun(alone, nice_alone), std::min(Nice() + 10, 19));
  executor.Schedule(Lane::kLong, other.Work());
  other.WaitUntilBegun();
  EXPECT_EQ(overrun(beside, nice_beside), 19);
  other.Open();
}

TEST_F(LaneExecutorTest, PartsOfOverrunningWorkAreLongWorkToo) {
  Gate gate;
  std::promise<int> queued, later;
  std::promise<Lane> nested;
  LaneExecutor executor(Options());
  executor.Schedule(Lane::kShort, [&] {
    executor.Schedule([&] { queued.set_value(Nice()); });  // waits in the short lane
    gate.Work()();
    executor.Schedule([&] {
      later.set_value(Nice());
      executor.Schedule([&] { nested.set_value(executor.CurrentLane()); });
    });
  });
  gate.WaitUntilBegun();
  Advance(6);
  executor.Watch();
  gate.Open();
  EXPECT_GT(queued.get_future().get(), Nice());
  EXPECT_GT(later.get_future().get(), Nice());
  EXPECT_EQ(nested.get_future().get(), Lane::kLong);
  EXPECT_EQ(ResultOf(executor, Lane::kShort, Nice), Nice()) << "other work is not affected";
}

TEST_F(LaneExecutorTest, AThreadThatOverranEndsAndIsReplacedOnce) {
  LaneExecutor executor(Options());
  for (int round = 0; round < 20; ++round) {
    Gate gate;
    executor.Schedule(Lane::kShort, gate.Work());
    gate.WaitUntilBegun();
    Advance(6);
    executor.Watch();
    executor.Watch();
    EXPECT_EQ(executor.overrunning(), 1u);
    gate.Open();
    gate.WaitUntilEnded();
    while (executor.overrunning() != 0) std::this_thread::yield();
  }
  EXPECT_EQ(ResultOf(executor, Lane::kShort, Nice), Nice());
}

TEST_F(LaneExecutorTest, TheNumberOfOverrunningThreadsIsBounded) {
  std::vector<Gate> gates(3);
  LaneExecutor executor(Options(2));
  for (Gate& gate : gates) {
    executor.Schedule(Lane::kShort, gate.Work());
    gate.WaitUntilBegun();
    Advance(6);
    executor.Watch();
  }
  EXPECT_EQ(executor.overrunning(), 2u);
  std::promise<void> ran;
  executor.Schedule(Lane::kShort, [&] { ran.set_value(); });
  EXPECT_EQ(executor.queue_length(Lane::kShort), 1u);
  gates[2].Open();
  ran.get_future().wait();
  gates[0].Open();
  gates[1].Open();
}

TEST_F(LaneExecutorTest, TheWatcherFindsOverrunningWork) {
  LaneExecutor::Options options = Options();
  options.watch = true;
  options.slice = milliseconds(1);
  Gate gate;
  LaneExecutor executor(options);
  executor.Schedule(Lane::kShort, gate.Work());
  gate.WaitUntilBegun();
  Advance(100);
  EXPECT_EQ(ResultOf(executor, Lane::kShort, [] { return 7; }), 7);
  gate.Open();
}

TEST_F(LaneExecutorTest, AFailedAllocationDoesNotEndTheThread) {
  LaneExecutor executor(Options());
  for (const Lane lane : {Lane::kShort, Lane::kLong}) {
    executor.Schedule(lane, [] { throw std::bad_alloc(); });
    EXPECT_EQ(ResultOf(executor, lane, [] { return 7; }), 7);
  }
}

TEST_F(LaneExecutorTest, RunsScheduledWorkBeforeItEnds) {
  std::atomic<int> ran{0};
  {
    LaneExecutor executor(Options());
    for (int i = 0; i < 100; ++i) {
      executor.Schedule(i % 2 == 0 ? Lane::kShort : Lane::kLong, [&] { ++ran; });
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST_F(LaneExecutorTest, LoopsOfBothLanesNest) {
  LaneExecutor executor(LaneExecutor::Options{.threads = 2});
  for (const Lane lane : {Lane::kShort, Lane::kLong}) {
    std::atomic<int> leaves{0};
    ResultOf(executor, lane, [&] {
      ParallelFor(executor, 8, 1, [&](size_t, size_t) {
        ParallelFor(executor, 8, 1, [&](size_t, size_t) { ++leaves; });
      });
      return 0;
    });
    EXPECT_EQ(leaves, 64);
  }
}

}  // namespace
}  // namespace stagedoor

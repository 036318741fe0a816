#include "base/time_slice.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <thread>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr microseconds kShort = kPromptTimeSlice;

pid_t ThreadId() { return static_cast<pid_t>(::syscall(SYS_gettid)); }
int Nice() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(ThreadId())); }

// Each test runs on its own thread, so that no requested slice outlives it.
class TimeSliceTest : public ::testing::Test {
 protected:
  static void OnThread(const std::function<void()>& test) { std::thread(test).join(); }

  // Tries it instead of checking the kernel's version, because it may also be forbidden.
  void SetUp() override {
    bool supported = false;
    OnThread([&] { supported = RequestTimeSlice(kShort) && TimeSlice() > nanoseconds(0); });
    if (!supported) GTEST_SKIP() << "the kernel does not support custom time slices";
  }
};

TEST_F(TimeSliceTest, IsTheRequestedSlice) {
  OnThread([] {
    EXPECT_TRUE(RequestTimeSlice(kShort));
    EXPECT_EQ(TimeSlice(), kShort);
    EXPECT_TRUE(RequestTimeSlice(2 * kShort));
    EXPECT_EQ(TimeSlice(), 2 * kShort);
  });
}

TEST_F(TimeSliceTest, IsTheDefaultAgainOnceARequestIsWithdrawn) {
  OnThread([] {
    EXPECT_TRUE(RequestTimeSlice(nanoseconds(0)));
    const nanoseconds usual = TimeSlice();
    const nanoseconds wish = usual == kShort ? 2 * kShort : kShort;
    EXPECT_TRUE(RequestTimeSlice(wish));
    ASSERT_EQ(TimeSlice(), wish);
    EXPECT_TRUE(RequestTimeSlice(nanoseconds(-1)));
    EXPECT_EQ(TimeSlice(), usual);
  });
}

TEST_F(TimeSliceTest, LeavesPriorityAndPolicyAlone) {
  OnThread([] {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_BATCH, &none);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(ThreadId()), Nice() + 3);
    // Either call may have been refused.
    const int policy = ::sched_getscheduler(0), nice = Nice();
    EXPECT_TRUE(RequestTimeSlice(kShort));
    EXPECT_EQ(Nice(), nice);
    EXPECT_EQ(::sched_getscheduler(0), policy);
  });
}

TEST_F(TimeSliceTest, AppliesToOneThread) {
  std::promise<pid_t> id;
  std::promise<void> end;
  std::thread other([&] {
    id.set_value(ThreadId());
    end.get_future().wait();
  });
  const pid_t thread = id.get_future().get();
  const nanoseconds before = TimeSlice();
  const nanoseconds wish = before == kShort ? 2 * kShort : kShort;
  EXPECT_TRUE(RequestTimeSlice(wish, thread));
  EXPECT_EQ(TimeSlice(thread), wish);
  EXPECT_EQ(TimeSlice(), before);
  end.set_value();
  other.join();
}

TEST_F(TimeSliceTest, IsTheDefaultInTheBackground) {
  OnThread([] {
    EXPECT_TRUE(RequestTimeSlice(nanoseconds(0)));
    const nanoseconds usual = TimeSlice();
    EXPECT_TRUE(RequestTimeSlice(usual == kShort ? 2 * kShort : kShort));
    RunInTheBackground();
    EXPECT_EQ(TimeSlice(), usual);
  });
}

TEST(BackgroundTest, LowersThePriorityOfOneThread) {
  const int before = Nice();
  std::thread([before] {
    RunInTheBackground();
    EXPECT_EQ(Nice(), std::min(before + 10, 19));
    RunInTheBackground();
    EXPECT_EQ(Nice(), std::min(before + 20, 19)) << "the lowest priority";
  }).join();
  EXPECT_EQ(Nice(), before);
}

TEST(BackgroundTest, AppliesToAnotherThread) {
  const int before = Nice();
  std::promise<pid_t> id;
  std::promise<void> end;
  std::thread other([&] {
    id.set_value(ThreadId());
    end.get_future().wait();
    EXPECT_EQ(Nice(), std::min(before + 10, 19));
  });
  RunInTheBackground(id.get_future().get());
  EXPECT_EQ(Nice(), before);
  end.set_value();
  other.join();
}

TEST(TimeSliceRefusalTest, AMissingThreadHasNoSlice) {
  // Above the largest id that Linux assigns (2^22).
  constexpr pid_t kNobody = 1 << 23;
  EXPECT_FALSE(RequestTimeSlice(kShort, kNobody));
  EXPECT_EQ(TimeSlice(kNobody), nanoseconds(0));
}

TEST(TimeSliceRefusalTest, AThreadWithoutASliceIsLeftAlone) {
  std::thread([] {
    const sched_param none{};
    if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) return;
    EXPECT_FALSE(RequestTimeSlice(kShort));
    EXPECT_EQ(::sched_getscheduler(0), SCHED_IDLE);
    EXPECT_EQ(TimeSlice(), nanoseconds(0));
  }).join();
}

}  // namespace
}  // namespace stagedoor

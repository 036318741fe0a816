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
    OnThread([&] { supported = SetTimeSlice(kShort) && GetTimeSlice() > nanoseconds(0); });
    if (!supported) GTEST_SKIP() << "the kernel does not support custom time slices";
  }
};

TEST_F(TimeSliceTest, IsTheRequestedSlice) {
  OnThread([] {
    EXPECT_TRUE(SetTimeSlice(kShort));
    EXPECT_EQ(GetTimeSlice(), kShort);
    EXPECT_TRUE(SetTimeSlice(2 * kShort));
    EXPECT_EQ(GetTimeSlice(), 2 * kShort);
  });
}

TEST_F(TimeSliceTest, IsTheDefaultAgainOnceARequestIsWithdrawn) {
  OnThread([] {
    EXPECT_TRUE(SetTimeSlice(nanoseconds(0)));
    const nanoseconds usual = GetTimeSlice();
    const nanoseconds wish = usual == kShort ? 2 * kShort : kShort;
    EXPECT_TRUE(SetTimeSlice(wish));
    ASSERT_EQ(GetTimeSlice(), wish);
    EXPECT_TRUE(SetTimeSlice(nanoseconds(-1)));
    EXPECT_EQ(GetTimeSlice(), usual);
  });
}

TEST_F(TimeSliceTest, LeavesPriorityAndPolicyAlone) {
  OnThread([] {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_BATCH, &none);
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(ThreadId()), Nice() + 3);
    // Either call may have been refused.
    const int policy = ::sched_getscheduler(0), nice = Nice();
    EXPECT_TRUE(SetTimeSlice(kShort));
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
  const nanoseconds before = GetTimeSlice();
  const nanoseconds wish = before == kShort ? 2 * kShort : kShort;
  EXPECT_TRUE(SetTimeSlice(wish, thread));
  EXPECT_EQ(GetTimeSlice(thread), wish);
  EXPECT_EQ(GetTimeSlice(), before);
  end.set_value();
  other.join();
}

TEST_F(TimeSliceTest, IsTheDefaultInTheBackground) {
  OnThread([] {
    EXPECT_TRUE(SetTimeSlice(nanoseconds(0)));
    const nanoseconds usual = GetTimeSlice();
    EXPECT_TRUE(SetTimeSlice(usual == kShort ? 2 * kShort : kShort));
    SetBackgroundPriority(Background::kFew);
    EXPECT_EQ(GetTimeSlice(), usual);
  });
}

TEST(BackgroundTest, LowersThePriorityOfOneThread) {
  const int before = Nice();
  std::thread([before] {
    SetBackgroundPriority(Background::kFew);
    EXPECT_EQ(Nice(), std::min(before + 10, 19));
    SetBackgroundPriority(Background::kMany);
    EXPECT_EQ(Nice(), 19) << "the lowest priority";
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
  SetBackgroundPriority(Background::kFew, id.get_future().get());
  EXPECT_EQ(Nice(), before);
  end.set_value();
  other.join();
}

TEST(TimeSliceRefusalTest, AMissingThreadHasNoSlice) {
  // Above the largest id that Linux assigns (2^22).
  constexpr pid_t kNobody = 1 << 23;
  EXPECT_FALSE(SetTimeSlice(kShort, kNobody));
  EXPECT_EQ(GetTimeSlice(kNobody), nanoseconds(0));
}

TEST(TimeSliceRefusalTest, AThreadWithoutASliceIsLeftAlone) {
  std::thread([] {
    const sched_param none{};
    if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) return;
    EXPECT_FALSE(SetTimeSlice(kShort));
    EXPECT_EQ(::sched_getscheduler(0), SCHED_IDLE);
    EXPECT_EQ(GetTimeSlice(), nanoseconds(0));
  }).join();
}

}  // namespace
}  // namespace stagedoor

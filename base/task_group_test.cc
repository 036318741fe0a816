#include "base/task_group.h"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(TaskGroupTest, WaitsForWhatIsScheduled) {
  ThreadPoolExecutor executor(2);
  std::atomic<int> ran{0};
  {
    TaskGroup group(executor);
    for (int i = 0; i < 100; ++i) group.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran, 100);
}

TEST(TaskGroupTest, WaitsUntilCapturedObjectsAreDestroyed) {
  ThreadPoolExecutor executor(2);
  std::atomic<bool> destroyed{false};
  {
    TaskGroup group(executor);
    std::shared_ptr<void> captured(nullptr, [&](void*) {
      std::this_thread::yield();
      destroyed = true;
    });
    group.Schedule([captured = std::move(captured)] {});
  }
  EXPECT_TRUE(destroyed);
}

TEST(TaskGroupTest, RunsOnTheCallingThreadOfAnInlineExecutor) {
  InlineExecutor executor;
  TaskGroup group(executor);
  bool ran = false;
  group.Schedule([&] { ran = true; });
  EXPECT_TRUE(ran);
}

// Keeps functions without running them.
class IdleExecutor final : public Executor {
 public:
  void Schedule(std::function<void()> fn) override { queue_.push_back(std::move(fn)); }
  int concurrency() const override { return 1; }

 private:
  std::deque<std::function<void()>> queue_;
};

TEST(TaskGroupTest, DoesNotWaitForWhatWasDroppedWithTheExecutor) {
  std::optional<IdleExecutor> executor(std::in_place);
  TaskGroup group(*executor);
  bool ran = false;
  group.Schedule([&] { ran = true; });
  executor.reset();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace stagedoor

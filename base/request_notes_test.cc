#include "base/request_notes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/executor.h"
#include "base/thread_pool_executor.h"

namespace stagedoor {
namespace {

TEST(RequestNotesTest, KeepsTheEndOfALongSubject) {
  RequestNotes notes;
  EXPECT_EQ(notes.subject(), "");
  notes.SetSubject(std::string(100, 'x') + std::string(200, 'y'));
  EXPECT_EQ(notes.subject(), "…" + std::string(200, 'y'));
  notes.SetSubject(std::string(200, 'z'));
  EXPECT_EQ(notes.subject(), std::string(200, 'z'));
}

TEST(RequestNotesTest, OtherThreadsReadTheSubject) {
  RequestNotes notes;
  std::thread writer([&] {
    for (int i = 0; i < 10000; ++i) notes.SetSubject(std::string(i % 2 == 0 ? 100 : 50, 'x'));
  });
  for (int i = 0; i < 10000; ++i) {
    const std::string subject = notes.subject();
    EXPECT_TRUE(subject.empty() || subject.size() == 100 || subject.size() == 50);
  }
  writer.join();
}

TEST(RequestNotesTest, GuardsNest) {
  RequestNotes outer, inner;
  EXPECT_EQ(RequestNotes::Current(), nullptr);
  {
    const RequestNotes::Guard first(&outer);
    {
      const RequestNotes::Guard second(&inner);
      EXPECT_EQ(RequestNotes::Current(), &inner);
    }
    EXPECT_EQ(RequestNotes::Current(), &outer);
  }
  EXPECT_EQ(RequestNotes::Current(), nullptr);
}

TEST(RequestNotesTest, HelpersOfALoopWorkForTheSameRequest) {
  ThreadPoolExecutor executor(3);
  RequestNotes notes;
  const RequestNotes::Guard guard(&notes);
  std::atomic<int> others{0};
  ParallelFor(executor, 100, 1, [&](size_t, size_t) {
    if (RequestNotes::Current() != &notes) ++others;
  });
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace stagedoor

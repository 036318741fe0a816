#include "base/request_notes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "base/executor.h"
#include "base/thread_pool_executor.h"

namespace stagedoor {
namespace {

TEST(RequestNotesTest, KeepsTheEndOfALongSubject) {
  RequestNotes notes;
  EXPECT_EQ(notes.subject(), "");
  notes.SetSubject(std::string(100, 'x') + std::string(200, 'y'));
  EXPECT_EQ(notes.subject(), std::string(200, 'y'));
  EXPECT_TRUE(notes.is_subject_truncated());
  notes.SetSubject(std::string(200, 'z'));
  EXPECT_EQ(notes.subject(), std::string(200, 'z'));
  EXPECT_FALSE(notes.is_subject_truncated());
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

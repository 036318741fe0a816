#include "base/failure_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"

namespace stagedoor {
namespace {

using Memory = FailureMemory<std::string>;
using std::chrono::seconds;

const Memory::Clock::time_point kStart;

TEST(FailureMemoryTest, RemembersUntilTheExpiry) {
  Memory memory;
  memory.Remember("a", NotFoundError("no a"), kStart + seconds(5), 10);
  ASSERT_NE(memory.Find("a", kStart), nullptr);
  EXPECT_EQ(memory.Find("a", kStart)->code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(memory.Find("b", kStart), nullptr);
  EXPECT_EQ(memory.Find("a", kStart + seconds(5)), nullptr);
  EXPECT_EQ(memory.size(), 0u);
}

TEST(FailureMemoryTest, FailuresOfTheMomentAreNotRemembered) {
  Memory memory;
  memory.Remember("a", UnavailableError("busy"), kStart + seconds(5), 10);
  memory.Remember("b", absl::CancelledError(), kStart + seconds(5), 10);
  EXPECT_EQ(memory.size(), 0u);
}

TEST(FailureMemoryTest, TheOldestGoesAboveTheLimit) {
  Memory memory;
  for (const char* key : {"a", "b", "a", "c"}) {
    memory.Remember(key, NotFoundError("no ", key), kStart + seconds(5), 2);
  }
  EXPECT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory.Find("b", kStart), nullptr);
  EXPECT_NE(memory.Find("a", kStart), nullptr);
  EXPECT_NE(memory.Find("c", kStart), nullptr);
}

TEST(FailureMemoryTest, ForgetsWhatItIsTold) {
  Memory memory;
  for (const char* key : {"a1", "a2", "b1"}) {
    memory.Remember(key, NotFoundError("no ", key), kStart + seconds(5), 10);
  }
  memory.ForgetIf([](const std::string& key) { return key[0] == 'a'; });
  EXPECT_EQ(memory.size(), 1u);
  memory.Forget("b1");
  EXPECT_EQ(memory.Find("b1", kStart), nullptr);
}

}  // namespace
}  // namespace stagedoor

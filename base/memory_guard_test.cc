#include "base/memory_guard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded_new.h"
#include "base/request_scope.h"

namespace stagedoor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// Returns how much can be allocated and used, in pieces of `bytes`, before an allocation fails; at
// most 400 MiB.
uint64_t Fill(size_t bytes) {
  std::vector<std::unique_ptr<char[]>> pieces;
  uint64_t filled = 0;
  try {
    while (filled < 400 * kMiB) {
      pieces.emplace_back(new char[bytes]);
      std::memset(pieces.back().get(), 1, bytes);
      filled += bytes;
    }
  } catch (const std::bad_alloc&) {
  }
  return filled;
}

class MemoryGuardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!STAGEDOOR_GUARDS_NEW) GTEST_SKIP() << "sanitizers use memory of their own";
    SetMemoryLimit(MemoryInUse() + 100 * kMiB);
  }
  void TearDown() override { SetMemoryLimit(0); }
};

TEST_F(MemoryGuardTest, RequestsFailAtTheLimit) {
  for (const size_t bytes : {size_t{100}, size_t{64} << 10, size_t{3} << 20}) {
    const RequestScope::Guard scope({.limits_memory = true});
    const uint64_t filled = Fill(bytes);
    EXPECT_GT(filled, 50 * kMiB) << bytes;
    EXPECT_LT(filled, 110 * kMiB) << bytes;
  }
}

TEST_F(MemoryGuardTest, OneLargeAllocationFailsBeforeItIsUsed) {
  const RequestScope::Guard scope({.limits_memory = true});
  EXPECT_THROW(std::string(size_t{1} << 40, 'x'), std::bad_alloc);
  EXPECT_THROW(std::vector<char>().reserve(200 * kMiB), std::bad_alloc);
  EXPECT_THROW(CheckMemoryAvailable(200 * kMiB), std::bad_alloc);
  CheckMemoryAvailable(10 * kMiB);
}

TEST_F(MemoryGuardTest, OtherThreadsAreNotLimited) {
  const RequestScope::Guard scope({.limits_memory = true});
  std::vector<std::string> held;
  EXPECT_THROW(for (;;) held.emplace_back(kMiB, 'x'), std::bad_alloc);
  uint64_t filled = 0;
  std::thread([&] { filled = Fill(kMiB / 4); }).join();
  EXPECT_EQ(filled, 400 * kMiB);
}

TEST_F(MemoryGuardTest, FreedMemoryCanBeAllocatedAgain) {
  const RequestScope::Guard scope({.limits_memory = true});
  for (int round = 0; round < 5; ++round) EXPECT_GT(Fill(1000), 50 * kMiB) << round;
}

TEST_F(MemoryGuardTest, SmallWorkIsNotChecked) {
  const RequestScope::Guard scope({.limits_memory = true});
  std::vector<std::string> held;
  EXPECT_THROW(for (;;) held.emplace_back(kMiB, 'x'), std::bad_alloc);
  std::thread([] {
    const RequestScope::Guard small({.limits_memory = true});
    EXPECT_NO_THROW(std::string(1000, 'x'));
  }).join();
}

TEST_F(MemoryGuardTest, SmallWorkMayUseTheReserve) {
  SetMemoryLimit(MemoryInUse() + 100 * kMiB, 50 * kMiB);
  const RequestScope::Guard scope({.limits_memory = true});
  std::vector<std::string> held;
  EXPECT_THROW(for (;;) held.emplace_back(kMiB, 'x'), std::bad_alloc);
  // A thread checks the limit once per MiB, so some of these allocations do, each within small
  // work.
  std::thread([] {
    std::vector<std::string> kept;
    for (int i = 0; i < 30; ++i) {
      const RequestScope::Guard small({.limits_memory = true});
      EXPECT_NO_THROW(kept.emplace_back(kMiB / 2, 'x')) << i;
    }
    const RequestScope::Guard large({.limits_memory = true});
    EXPECT_THROW(for (;;) kept.emplace_back(kMiB / 2, 'x'), std::bad_alloc);
    EXPECT_LT(kept.size(), 34U);
  }).join();
}

TEST_F(MemoryGuardTest, SmallWorkCannotExceedTheReserve) {
  SetMemoryLimit(MemoryInUse() + 100 * kMiB, 50 * kMiB);
  std::vector<std::string> kept;
  const auto do_small_work = [&] {
    const RequestScope::Guard small({.limits_memory = true});
    kept.emplace_back(kMiB / 2, 'x');
  };
  EXPECT_THROW(for (;;) do_small_work(), std::bad_alloc);
  EXPECT_GT(kept.size(), 2 * 125U);
  EXPECT_LT(kept.size(), 2 * 155U);
}

}  // namespace
}  // namespace stagedoor

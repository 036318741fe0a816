// Tests the operators new of a process with a memory limit.
#include "base/guarded_new.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "base/memory_guard.h"
#include "base/request_scope.h"

namespace stagedoor {
namespace {

constexpr uint64_t kMiB = 1 << 20;

class GuardedNewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!STAGEDOOR_GUARDS_NEW) GTEST_SKIP() << "sanitizers have their own operators new";
    SetMemoryLimit(MemoryInUse() + 100 * kMiB);
  }
  void TearDown() override { SetMemoryLimit(0); }
};

struct alignas(256) Wide {
  char bytes[256];
};

TEST_F(GuardedNewTest, OverAlignedTypesAreAligned) {
  for (const bool request : {false, true}) {
    std::optional<RequestScope::Guard> scope;
    if (request) scope.emplace(RequestScope{.limits_memory = true});
    std::vector<std::unique_ptr<Wide>> held;
    for (int i = 0; i < 100; ++i) {
      held.push_back(std::make_unique<Wide>());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(held.back().get()) % alignof(Wide), 0u);
    }
  }
  const RequestScope::Guard scope({.limits_memory = true});
  constexpr std::align_val_t kWide{alignof(Wide)};
  EXPECT_THROW(::operator delete(::operator new(200 * kMiB, kWide), kWide), std::bad_alloc);
}

// The C++ standard requires this.
TEST_F(GuardedNewTest, EmptyAllocationsHaveDistinctAddresses) {
  void* a = ::operator new(0);
  void* b = ::operator new(0);
  void* c = ::operator new(0, std::align_val_t(64));
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  EXPECT_NE(c, nullptr);
  ::operator delete(a);
  ::operator delete(b);
  ::operator delete(c, std::align_val_t(64));
}

int handler_calls = 0;

TEST_F(GuardedNewTest, TheNewHandlerIsCalledExceptForRequests) {
  handler_calls = 0;
  SetMemoryLimit(0);  // no limit except the machine's
  const auto ask_for_too_much = [] {
    std::set_new_handler([] {
      if (++handler_calls == 3) std::set_new_handler(nullptr);
    });
    EXPECT_THROW(::operator delete(::operator new (size_t{1} << 62)), std::bad_alloc);
    std::set_new_handler(nullptr);
  };
  ask_for_too_much();
  EXPECT_EQ(handler_calls, 3) << "until there is no handler";
  const RequestScope::Guard scope({.limits_memory = true});
  ask_for_too_much();
  EXPECT_EQ(handler_calls, 3) << "a request does not wait";
}

}  // namespace
}  // namespace stagedoor

#include "base/request_scope.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "base/executor.h"
#include "base/request_notes.h"
#include "base/testing/thread_pool_executor.h"

namespace stagedoor {
namespace {

class Owner final : public ScopeOwner {};

TEST(RequestScopeTest, GuardsNest) {
  RequestNotes outer, inner;
  EXPECT_EQ(RequestScope::Current().notes, nullptr);
  {
    const RequestScope::Guard first(RequestScope::Current().WithNotes(&outer));
    {
      const RequestScope::Guard second(RequestScope::Current().WithNotes(&inner));
      EXPECT_EQ(RequestScope::Current().notes, &inner);
    }
    EXPECT_EQ(RequestScope::Current().notes, &outer);
  }
  EXPECT_EQ(RequestScope::Current().notes, nullptr);
}

TEST(RequestScopeTest, OtherPartsStay) {
  RequestNotes notes;
  RequestCaller caller;
  Owner owner;
  const RequestScope::Guard first(
      RequestScope{.notes = &notes, .limits_memory = true}.WithCaller(&caller).WithOwner(&owner));
  {
    const RequestScope::Guard none(RequestScope::Current().WithOwner(nullptr));
    EXPECT_EQ(RequestScope::Current().owner, nullptr);
    EXPECT_EQ(RequestScope::Current().caller, &caller);
    EXPECT_TRUE(RequestScope::Current().limits_memory);
    const RequestMemoryExemption exempt;
    EXPECT_FALSE(RequestScope::Current().limits_memory);
    EXPECT_EQ(RequestScope::Current().notes, &notes);
  }
  EXPECT_TRUE(RequestScope::Current().limits_memory);
  EXPECT_EQ(RequestScope::Current().owner, &owner);
}

TEST(RequestScopeTest, StepsRememberTheirOwner) {
  const auto owner = std::make_shared<Owner>();
  std::shared_ptr<ScopeOwner> adopted;
  {
    const RequestScope::Guard step(RequestScope().WithStep(adopted));
    EXPECT_EQ(RequestScope::Current().owner, nullptr);
    RequestScope::Adopt(owner);
    EXPECT_EQ(RequestScope::Current().owner, owner.get());
  }
  EXPECT_EQ(RequestScope::Current().owner, nullptr);
  {
    const RequestScope::Guard step(RequestScope().WithStep(adopted));
    EXPECT_EQ(RequestScope::Current().owner, owner.get());
  }
  RequestScope::Adopt(owner);  // outside of steps
  EXPECT_EQ(RequestScope::Current().owner, nullptr);
}

TEST(RequestScopeTest, HelpersOfALoopWorkForItsCaller) {
  ThreadPoolExecutor executor(3);
  RequestNotes notes;
  RequestCaller caller;
  std::shared_ptr<ScopeOwner> adopted = std::make_shared<Owner>();
  std::atomic<int> others{0};
  const auto count_others = [&](bool ours) {
    ParallelFor(executor, 200, 1, [&](size_t, size_t) {
      const RequestScope& scope = RequestScope::Current();
      const bool is_whole = scope.notes == &notes && scope.caller == &caller &&
                            scope.owner == adopted.get() && scope.limits_memory;
      others += ours ? !is_whole || scope.adopted != nullptr : scope.notes != nullptr;
    });
  };
  {
    const RequestScope::Guard guard(
        RequestScope{.notes = &notes, .caller = &caller, .limits_memory = true}.WithStep(adopted));
    count_others(true);
  }
  count_others(false);
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace stagedoor

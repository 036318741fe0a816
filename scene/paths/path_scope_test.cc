#include "scene/paths/path_scope.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/memory_pool.h"
#include "base/request_scope.h"
#include "base/testing/fail_each_allocation.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

Path P(const std::string& text) { return *Path::Parse(text); }

// Creates /<root>/p0, /<root>/p1 and so on.
void MakePaths(const std::string& root, int count) {
  const Path parent = P("/" + root);
  for (int i = 0; i < count; ++i) parent.AppendChild(Token("p" + std::to_string(i)));
}

TEST(PathScopeTest, PathsAreFreedWithTheirScope) {
  const size_t before = PathStats().count;
  auto scope = PathScope::Create();
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
    MakePaths("PathsGoWithTheirScope", 1000);
    P("/PathsGoWithTheirScope/p1.x[/PathsGoWithTheirScope/Target.y]");
  }
  EXPECT_EQ(PathStats().count, before + 1005);
  EXPECT_EQ(scope->count(), 1005u);
  scope = nullptr;
  EXPECT_EQ(PathStats().count, before);
}

TEST(PathScopeTest, ScopesShareEqualPaths) {
  auto first = PathScope::Create();
  auto second = PathScope::Create();
  Path made;
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(first.get()));
    made = P("/PathsOfOneScope/A.b");
  }
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(second.get()));
    EXPECT_EQ(P("/PathsOfOneScope/A.b"), made);
  }
  first = nullptr;
  EXPECT_EQ(made.ToString(), "/PathsOfOneScope/A.b");
  const size_t before = PathStats().count;
  second = nullptr;
  EXPECT_EQ(PathStats().count, before - 3);
}

TEST(PathScopeTest, ASmallScopeHoldsManyPaths) {
  const size_t before = PathStats().count;
  auto scope = PathScope::CreateSmall();
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
    MakePaths("ASmallOne", 1000);
  }
  EXPECT_EQ(scope->count(), 1001u);
  EXPECT_EQ(PathStats().count, before + 1001);
  scope = nullptr;
  EXPECT_EQ(PathStats().count, before);
}

TEST(PathScopeTest, PathsCreatedOutsideOfScopesAreKept) {
  const size_t before = PathStats().count;
  auto scope = PathScope::Create();
  Path made;
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
    made = P("/PathsMadeOutside/A");
  }
  {
    const RequestScope::Guard none(RequestScope::Current().WithOwner(nullptr));
    EXPECT_EQ(P("/PathsMadeOutside/A"), made);
  }
  scope = nullptr;
  EXPECT_EQ(P("/PathsMadeOutside/A"), made);
  EXPECT_EQ(PathStats().count, before + 2);
}

TEST(PathScopeTest, AChildHoldsItsParentAndTarget) {
  auto scope = PathScope::Create();
  Path made;
  {
    auto passing = PathScope::Create();
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(passing.get()));
    made = P("/AChildHolds/A.r[/AChildHolds/T]");
    scope->Keep(made);
  }
  EXPECT_EQ(made.ToString(), "/AChildHolds/A.r[/AChildHolds/T]");
  EXPECT_EQ(scope->count(), 1u);
}

TEST(PathScopeTest, PathsOfTheBaseAreNotHeldTwice) {
  MemoryPool pool("test");
  auto base = PathScope::Create(&pool);
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(base.get()));
    MakePaths("PathsOfTheBase", 100);
  }
  const size_t charged = pool.used();
  EXPECT_GE(charged, 101u * 64);
  std::weak_ptr<PathScope> watched = base;
  auto next = PathScope::Create(&pool, std::move(base));
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(next.get()));
    MakePaths("PathsOfTheBase", 101);
  }
  EXPECT_EQ(next->count(), 1u);
  EXPECT_EQ(pool.used(), charged + charged / 101);
  EXPECT_FALSE(watched.expired());
  next = nullptr;
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(pool.used(), 0u);
}

TEST(PathScopeTest, SuccessorsShareTheScopeOfTheFirstSuccessor) {
  const std::shared_ptr<PathScope> none = PathScope::CreateSuccessor(nullptr);
  ASSERT_NE(none, nullptr);
  const std::shared_ptr<PathScope> first = PathScope::Create();
  const std::shared_ptr<PathScope> a = PathScope::CreateSuccessor(first),
                                   b = PathScope::CreateSuccessor(first);
  EXPECT_NE(a, first);
  EXPECT_NE(a, b) << "each session has its own scope";
  EXPECT_EQ(PathScope::CreateSuccessor(a), a);
}

TEST(PathScopeTest, TablesShrinkWhenPathsAreFreed) {
  auto scope = PathScope::Create();
  const size_t before = PathStats().bytes;
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
    MakePaths("TablesShrink", 200000);
  }
  const size_t most = PathStats().bytes - before;
  scope = nullptr;
  const size_t after = PathStats().bytes;
  EXPECT_LT(after, before + most / 8);
}

// One scope releases paths while others create or find the same ones.
TEST(PathScopeTest, ScopesOfManyThreadsShareAndReleasePaths) {
  const size_t before = PathStats().count;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 60; ++round) {
        const auto scope = PathScope::Create();
        const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
        std::vector<Path> made;
        for (int i = 0; i < 64; ++i) {
          made.push_back(P("/Shared/n" + std::to_string((i + t + round) % 48) + "/m.x"));
        }
        for (int i = 0; i < 64; ++i) {
          ASSERT_EQ(made[i].ToString(),
                    "/Shared/n" + std::to_string((i + t + round) % 48) + "/m.x");
          ASSERT_EQ(made[i], P(made[i].ToString()));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(PathStats().count, before);
}

TEST(PathScopeTest, FailedAllocationsLeaveNoNodesBehind) {
  const Path root = P("/NothingStays");
  const Token names[] = {Token("a"), Token("b"), Token("c")};
  const size_t before = PathStats().count;
  const uint64_t allocations = FailEachAllocation([&] {
    std::shared_ptr<PathScope> scope;
    {
      const RequestMemoryExemption exempt;
      scope = PathScope::Create();
    }
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
    Path path = root;
    for (const Token name : names) path = path.AppendChild(name);
  });
  EXPECT_GE(allocations, 3u);
  EXPECT_EQ(PathStats().count, before);
}

}  // namespace
}  // namespace stagedoor

#include "base/memory_account.h"

#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

TEST(MemoryAccountTest, ChargesEndWithTheirObjects) {
  MemoryAccount account(100);
  {
    MemoryCharge first(&account);
    first.Grow(60);
    MemoryCharge second(&account);
    second.Grow(50);
    EXPECT_EQ(account.used(), 110u);
    EXPECT_TRUE(account.over());
    EXPECT_TRUE(first.over());
    second.Shrink(20);
    EXPECT_EQ(second.bytes(), 30u);
    EXPECT_FALSE(account.over());
    MemoryCharge third(&account);
    third.Set(7);
    third.Set(5);
    EXPECT_EQ(account.used(), 95u);
  }
  EXPECT_EQ(account.used(), 0u);
}

TEST(MemoryAccountTest, WithoutAnAccountNothingIsCounted) {
  MemoryCharge charge(nullptr);
  charge.Grow(1000);
  EXPECT_EQ(charge.bytes(), 0u);
  EXPECT_FALSE(charge.over());
}

TEST(MemoryAccountTest, CountsTheChargesOfManyThreads) {
  MemoryAccount account;
  MemoryCharge shared(&account);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) shared.Grow(3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(account.used(), 120000u);
}

}  // namespace
}  // namespace stagedoor

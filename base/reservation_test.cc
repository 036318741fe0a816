#include "base/reservation.h"

#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

static_assert(!std::is_copy_constructible_v<Reservation>);
static_assert(!std::is_copy_assignable_v<Reservation>);
static_assert(std::is_nothrow_move_constructible_v<Reservation>);
static_assert(std::is_nothrow_move_assignable_v<Reservation>);
static_assert(sizeof(Reservation) == 2 * sizeof(void*), "there is one in each prim index");

TEST(ReservationTest, EndsWithItsHolder) {
  MemoryPool pool("test", 100);
  {
    Reservation bytes(pool);
    EXPECT_TRUE(bytes.Grow(30, "scratch").ok());
    EXPECT_TRUE(bytes.Grow(40, "scratch").ok());
    EXPECT_EQ(bytes.bytes(), 70u);
    EXPECT_EQ(pool.used(), 70u);
  }
  EXPECT_EQ(pool.used(), 0u);
}

TEST(ReservationTest, ARefusalAddsNothing) {
  MemoryPool pool("test", 100);
  Reservation bytes(pool);
  EXPECT_TRUE(bytes.Grow(90, "scratch").ok());
  EXPECT_EQ(bytes.Grow(20, "scratch").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(bytes.bytes(), 90u);
  EXPECT_EQ(pool.used(), 90u);
  EXPECT_FALSE(bytes.over());
}

TEST(ReservationTest, WhatIsAddedIsCountedAboveTheLimit) {
  MemoryPool pool("test", 100);
  {
    Reservation first(&pool);
    first.Add(60);
    Reservation second(&pool);
    second.Add(50);
    EXPECT_EQ(pool.used(), 110u);
    EXPECT_TRUE(pool.over());
    EXPECT_TRUE(first.over());
    second.Shrink(20);
    EXPECT_EQ(second.bytes(), 30u);
    EXPECT_FALSE(pool.over());
    Reservation third(&pool);
    third.Set(7);
    third.Set(5);
    EXPECT_EQ(third.bytes(), 5u);
    EXPECT_EQ(pool.used(), 95u);
  }
  EXPECT_EQ(pool.used(), 0u);
}

TEST(ReservationTest, WhatIsAddedCountsInTheOuterPoolToo) {
  MemoryPool outer("outer", 100);
  MemoryPool pool("inner", 100, &outer);
  {
    Reservation bytes(pool);
    bytes.Add(60);
    bytes.Set(110);
    EXPECT_TRUE(outer.over());
    bytes.Shrink(20);
    EXPECT_EQ(outer.used(), 90u);
  }
  EXPECT_EQ(outer.used(), 0u);
}

TEST(ReservationTest, AMoveTakesTheBytesAlong) {
  MemoryPool pool("test", 100);
  Reservation from(pool);
  ASSERT_TRUE(from.Grow(60, "scratch").ok());
  Reservation to = std::move(from);
  EXPECT_EQ(to.bytes(), 60u);
  EXPECT_EQ(from.bytes(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(pool.used(), 60u);
  EXPECT_TRUE(from.Grow(40, "scratch").ok()) << "it may grow again";
  EXPECT_EQ(pool.used(), 100u);
}

TEST(ReservationTest, WhatIsReplacedIsReturnedToItsPool) {
  MemoryPool one("one", 100), other("other", 100);
  Reservation held(one);
  ASSERT_TRUE(held.Grow(60, "scratch").ok());
  Reservation next(other);
  ASSERT_TRUE(next.Grow(30, "scratch").ok());
  held = std::move(next);
  EXPECT_EQ(one.used(), 0u);
  EXPECT_EQ(other.used(), 30u);
  EXPECT_EQ(held.pool(), &other);
  Reservation& same = held;
  held = std::move(same);
  EXPECT_EQ(held.bytes(), 30u);
}

TEST(ReservationTest, MayBeReleasedEarlyAndTwice) {
  MemoryPool pool("test", 100);
  Reservation held(pool);
  ASSERT_TRUE(held.Grow(60, "scratch").ok());
  held.Release();
  held.Release();
  EXPECT_EQ(held.bytes(), 0u);
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_TRUE(held.Grow(100, "scratch").ok());
}

TEST(ReservationTest, WithoutAPoolNothingIsCounted) {
  Reservation bytes;
  EXPECT_EQ(bytes.pool(), nullptr);
  bytes.Add(1000);
  bytes.Set(500);
  bytes.Shrink(100);
  EXPECT_TRUE(bytes.Grow(1000, "scratch").ok());
  EXPECT_EQ(bytes.bytes(), 0u);
  EXPECT_FALSE(bytes.over());
  bytes.Release();
}

TEST(ReservationTest, ManyThreadsMayAddToOne) {
  MemoryPool pool("test");
  Reservation shared(pool);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) shared.Add(3);
      for (int n = 0; n < 5000; ++n) shared.Shrink(2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.bytes(), 80000u);
  EXPECT_EQ(pool.used(), 80000u);
}

}  // namespace
}  // namespace stagedoor

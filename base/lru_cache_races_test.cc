// Tests an LruCache whose entries are erased, loaded or evicted while they are being loaded. The
// loaders make these things happen at the right moment.
#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/lru_cache.h"
#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// Counts the look-ups of a thread.
struct CountingHash {
  static inline thread_local std::atomic<int>* look_ups = nullptr;
  size_t operator()(const std::string& key) const {
    if (look_ups != nullptr) ++*look_ups;
    return std::hash<std::string>()(key);
  }
};
using Cache = LruCache<std::string, std::string, CountingHash>;

Cache::Loader Give(const std::string& value) {
  return [=]() -> absl::StatusOr<Cache::Loaded> {
    return Cache::Loaded{std::make_shared<const std::string>(value), 1};
  };
}

// The loaded value, or the error.
std::string Text(const absl::StatusOr<Cache::Pointer>& loaded) {
  return loaded.ok() ? **loaded : loaded.status().ToString();
}

// How the key "a" is erased.
struct Erasure {
  const char* name;
  void (*erase)(Cache&);
};

class LruCacheErasureTest : public testing::TestWithParam<Erasure> {
 protected:
  static LruCacheOptions RememberingFailures() {
    LruCacheOptions options;
    options.negative_ttl = std::chrono::hours(1);
    return options;
  }
  void Erase() { GetParam().erase(cache_); }
  absl::StatusOr<Cache::Pointer> Get(const Cache::Loader& loader) {
    RequestContext context;
    return cache_.GetOrLoad(context, "a", loader);
  }

  Cache cache_{RememberingFailures()};
};

TEST_P(LruCacheErasureTest, ALoadFromBeforeIsNotKept) {
  const auto loaded = Get([&] {
    Erase();
    return Give("old")();
  });
  EXPECT_EQ(Text(loaded), "old");
  EXPECT_EQ(cache_.Get("a"), nullptr);
  EXPECT_EQ(cache_.bytes(), 0u);
}

TEST_P(LruCacheErasureTest, ALoadFromBeforeIsNotShared) {
  const auto loaded = Get([&] {
    Erase();
    EXPECT_EQ(Text(Get(Give("new"))), "new");
    return Give("old")();
  });
  EXPECT_EQ(Text(loaded), "old");
  EXPECT_EQ(*cache_.Get("a"), "new");
  EXPECT_EQ(cache_.Stats().loads, 2);
}

TEST_P(LruCacheErasureTest, ALoadFromBeforeThatEndsDuringTheNextOneIsNotKept) {
  std::promise<void> begun, end;
  std::thread first([&] {
    const auto old = Get([&] {
      begun.set_value();
      end.get_future().wait();
      return Give("old")();
    });
    EXPECT_EQ(Text(old), "old");
  });
  begun.get_future().wait();
  Erase();
  const auto second = Get([&] {
    end.set_value();
    first.join();
    EXPECT_EQ(cache_.Get("a"), nullptr);
    return Give("new")();
  });
  EXPECT_EQ(Text(second), "new");
  EXPECT_EQ(*cache_.Get("a"), "new");
}

TEST_P(LruCacheErasureTest, AFailureFromBeforeIsNotRemembered) {
  const auto failed = Get([&]() -> absl::StatusOr<Cache::Loaded> {
    Erase();
    return NotFoundError("not yet");
  });
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Text(Get(Give("new"))), "new");
}

TEST_P(LruCacheErasureTest, RememberedFailuresAreForgotten) {
  const auto fail = []() -> absl::StatusOr<Cache::Loaded> { return NotFoundError("none"); };
  EXPECT_FALSE(Get(fail).ok());
  EXPECT_FALSE(Get(Give("new")).ok());
  Erase();
  EXPECT_EQ(Text(Get(Give("new"))), "new");
}

INSTANTIATE_TEST_SUITE_P(All, LruCacheErasureTest,
                         testing::Values(Erasure{"Erase", [](Cache& cache) { cache.Erase("a"); }},
                                         Erasure{"EraseIf",
                                                 [](Cache& cache) {
                                                   cache.EraseIf([](const std::string& key) {
                                                     return key == "a";
                                                   });
                                                 }},
                                         Erasure{"Clear", [](Cache& cache) { cache.Clear(); }}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LruCacheRacesTest, ErasingOtherKeysDoesNotAffectALoad) {
  Cache cache({});
  RequestContext context;
  const auto loaded = cache.GetOrLoad(context, "a", [&] {
    cache.Erase("b");
    cache.EraseIf([](const std::string& key) { return key == "b"; });
    return Give("A")();
  });
  EXPECT_EQ(cache.Get("a"), *loaded);
}

// A caller waits for a load that is given up. Before it loads instead, another one has.
TEST(LruCacheRacesTest, WhatWasLoadedInTheMeantimeIsNotLoadedAgain) {
  Cache cache({});
  std::atomic<int> look_ups{0};
  std::thread waiting;
  RequestContext leaving;
  const auto given_up = cache.GetOrLoad(leaving, "a", [&]() -> absl::StatusOr<Cache::Loaded> {
    waiting = std::thread([&] {
      CountingHash::look_ups = &look_ups;
      RequestContext context;
      EXPECT_EQ(Text(cache.GetOrLoad(context, "a", Give("again"))), "new");
    });
    // One in the cache, and one in the table of loads, whose lock it holds until it waits.
    while (look_ups < 2) std::this_thread::yield();
    cache.Erase("a");
    RequestContext other;
    EXPECT_EQ(Text(cache.GetOrLoad(other, "a", Give("new"))), "new");
    return CancelledError("the client left");
  });
  waiting.join();
  EXPECT_EQ(given_up.status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(cache.Stats().loads, 2);
  EXPECT_EQ(cache.bytes(), 1u);
}

TEST(LruCacheRacesTest, ManyThreadsShareOneLoad) {
  constexpr int kThreads = 8;
  Cache cache({});
  std::atomic<int> loads{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      RequestContext context;
      const auto value = cache.GetOrLoad(context, "a", [&]() -> absl::StatusOr<Cache::Loaded> {
        ++loads;
        while (cache.Stats().misses < kThreads) std::this_thread::yield();
        return Give("A")();
      });
      EXPECT_EQ(Text(value), "A");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(loads, 1);
}

// Entries that are erased while they are pinned must not count twice.
TEST(LruCacheRacesTest, ErasedEntriesStayValidForThoseWhoHoldThem) {
  Cache cache({});
  RequestContext context;
  const Cache::Pointer old = *cache.GetOrLoad(context, "a", Give("old"));
  cache.Erase("a");
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(Text(cache.GetOrLoad(context, "a", Give("new"))), "new");
  EXPECT_EQ(*old, "old");
  EXPECT_EQ(cache.bytes(), 1u);
}

}  // namespace
}  // namespace stagedoor

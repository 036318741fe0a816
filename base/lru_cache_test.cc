#include "base/lru_cache.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Cache = LruCache<std::string, std::string>;
using std::chrono::seconds;

Cache::Loader Give(const std::string& value, size_t bytes) {
  return [=]() -> absl::StatusOr<Cache::Loaded> {
    return Cache::Loaded{std::make_shared<const std::string>(value), bytes};
  };
}

LruCacheOptions OneShard(size_t max_bytes) {
  LruCacheOptions options;
  options.shards = 1;
  options.max_bytes = max_bytes;
  return options;
}

// The keys in the cache. Does not count as a use of them.
std::string KeysOf(Cache& cache) {
  std::vector<std::string> keys;
  cache.EraseIf([&](const std::string& key) {
    keys.push_back(key);
    return false;
  });
  std::sort(keys.begin(), keys.end());
  std::string all;
  for (const std::string& key : keys) all += key;
  return all;
}

TEST(LruCacheTest, LoadsOnceAndCountsHits) {
  Cache cache(OneShard(100));
  RequestContext context;
  const auto first = cache.GetOrLoad(context, "a", Give("A", 10));
  const auto again = cache.GetOrLoad(context, "a", Give("other", 10));
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->get(), again->get());
  EXPECT_EQ(cache.Get("b"), nullptr);
  const LruCacheStats stats = cache.Stats();
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.misses, 2);
  EXPECT_EQ(stats.loads, 1);
  EXPECT_EQ(stats.bytes, 10u);
}

TEST(LruCacheTest, EvictsTheLeastRecentlyUsed) {
  for (const size_t shards : {size_t{1}, size_t{8}}) {
    LruCacheOptions options = OneShard(30);
    options.shards = shards;
    Cache cache(options);
    RequestContext context;
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(cache.GetOrLoad(context, key, Give(key, 10)).ok());
    }
    ASSERT_NE(cache.Get("a"), nullptr);
    ASSERT_TRUE(cache.GetOrLoad(context, "d", Give("d", 10)).ok());
    EXPECT_EQ(cache.Get("b"), nullptr) << shards;
    EXPECT_NE(cache.Get("a"), nullptr) << shards;
    EXPECT_EQ(cache.Stats().evictions, 1) << shards;
    EXPECT_EQ(cache.Stats().bytes, 30u) << shards;
  }
}

TEST(LruCacheTest, LimitsAreExact) {
  LruCacheOptions options = OneShard(20);
  options.hard_max_bytes = 22;
  Cache cache(options);
  RequestContext context;
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(cache.GetOrLoad(context, key, Give(key, 10)).ok());
  }
  EXPECT_EQ(KeysOf(cache), "ab");
  const auto c = cache.GetOrLoad(context, "c", Give("c", 1));
  EXPECT_EQ(KeysOf(cache), "bc") << "a byte too many";
  const Cache::Pointer b = cache.Get("b");
  const auto d = cache.GetOrLoad(context, "d", Give("d", 11));
  EXPECT_TRUE(d.ok()) << "as many as there may be at most";
  EXPECT_EQ(KeysOf(cache), "bcd");
  EXPECT_EQ(cache.GetOrLoad(context, "e", Give("e", 1)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(KeysOf(cache), "bcd");
}

TEST(LruCacheTest, ALoaderMustReturnAValue) {
  Cache cache(OneShard(20));
  RequestContext context;
  const auto nothing = []() -> absl::StatusOr<Cache::Loaded> { return Cache::Loaded{nullptr, 1}; };
  EXPECT_EQ(cache.GetOrLoad(context, "a", nothing).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(KeysOf(cache), "");
}

TEST(LruCacheTest, DropsAllButPinnedEntries) {
  for (const size_t shards : {size_t{1}, size_t{8}}) {
    LruCacheOptions options = OneShard(1000);
    options.shards = shards;
    Cache cache(options);
    RequestContext context;
    for (const char* key : {"a", "b", "c", "d"}) {
      EXPECT_TRUE(cache.GetOrLoad(context, key, Give(key, 10)).ok());
    }
    const Cache::Pointer pinned = cache.Get("b");
    cache.DropUnpinned();
    EXPECT_EQ(KeysOf(cache), "b");
    EXPECT_EQ(cache.Stats().evictions, 3);
  }
}

TEST(LruCacheTest, DoesNotCacheResultsOfAStoppedRequest) {
  LruCache<int, int> cache({});
  RequestContext spent(RequestContext::Clock::time_point::max(), {.max_steps = 1});
  const auto partial = [&]() -> absl::StatusOr<LruCache<int, int>::Loaded> {
    (void)spent.Spend(2);
    return LruCache<int, int>::Loaded{std::make_shared<const int>(1), 1};
  };
  EXPECT_EQ(cache.GetOrLoad(spent, 7, partial).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(cache.Stats().entries, 0u);
}

TEST(LruCacheTest, EvictsByCount) {
  LruCacheOptions options = OneShard(1000);
  options.max_entries = 2;
  Cache cache(options);
  RequestContext context;
  for (const char* key : {"a", "b", "c"}) {
    ASSERT_TRUE(cache.GetOrLoad(context, key, Give(key, 1)).ok());
  }
  EXPECT_EQ(KeysOf(cache), "bc");
}

TEST(LruCacheTest, EvictionKeepsPinnedEntries) {
  Cache cache(OneShard(15));
  RequestContext context;
  auto pinned = cache.GetOrLoad(context, "a", Give("A", 10)).value();
  ASSERT_TRUE(cache.GetOrLoad(context, "b", Give("B", 10)).ok());
  EXPECT_EQ(cache.Get("a"), pinned);
  EXPECT_EQ(KeysOf(cache), "ab") << "pinned entries stay";
  pinned.reset();
  cache.Trim();
  EXPECT_EQ(KeysOf(cache), "a");
}

TEST(LruCacheTest, EntriesPinnedDuringAnEvictionBecomeRecent) {
  for (const size_t shards : {size_t{1}, size_t{8}}) {
    LruCacheOptions options = OneShard(30);
    options.shards = shards;
    Cache cache(options);
    RequestContext context;
    auto pinned = cache.GetOrLoad(context, "a", Give("A", 10)).value();
    for (const char* key : {"b", "c", "d"}) {
      ASSERT_TRUE(cache.GetOrLoad(context, key, Give(key, 10)).ok());
    }
    EXPECT_EQ(KeysOf(cache), "acd") << shards;
    pinned.reset();
    ASSERT_TRUE(cache.GetOrLoad(context, "e", Give("E", 10)).ok());
    EXPECT_EQ(KeysOf(cache), "ade") << shards;
  }
}

TEST(LruCacheTest, RefusesMoreThanTheHardLimit) {
  LruCacheOptions options = OneShard(10);
  options.hard_max_bytes = 25;
  Cache cache(options);
  RequestContext context;
  const auto a = cache.GetOrLoad(context, "a", Give("A", 10));
  const auto b = cache.GetOrLoad(context, "b", Give("B", 10));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(cache.GetOrLoad(context, "c", Give("C", 10)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(cache.Stats().bytes, 20u);
}

TEST(LruCacheTest, RemembersFailuresUntilTheyExpire) {
  auto now = LruCacheOptions::Clock::now();
  LruCacheOptions options = OneShard(100);
  options.negative_ttl = seconds(5);
  options.now = [&] { return now; };
  Cache cache(options);
  RequestContext context;
  int loads = 0;
  const auto fail = [&](const absl::Status& status) {
    return [&loads, status]() -> absl::StatusOr<Cache::Loaded> {
      ++loads;
      return status;
    };
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache.GetOrLoad(context, "a", fail(NotFoundError("no a"))).status().code(),
              absl::StatusCode::kNotFound);
  }
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(cache.Stats().negative_hits, 2);
  EXPECT_EQ(cache.Stats().load_failures, 1);
  now += seconds(6);
  EXPECT_TRUE(cache.GetOrLoad(context, "a", Give("A", 1)).ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache.GetOrLoad(context, "b", fail(UnavailableError("later"))).ok());
  }
  EXPECT_EQ(loads, 4) << "a transient failure is not remembered";
}

// A loader that fails and counts its calls.
struct FailingLoad {
  absl::StatusOr<Cache::Loaded> operator()() const {
    ++loads;
    return NotFoundError("no");
  }
  int& loads;
};

TEST(LruCacheTest, BoundsRememberedFailures) {
  LruCacheOptions options = OneShard(100);
  options.negative_ttl = seconds(500);
  options.max_negative_entries = 10;
  Cache cache(options);
  RequestContext context;
  int loads = 0;
  const FailingLoad fail{loads};
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(cache.GetOrLoad(context, Concat(i), fail).ok());
  EXPECT_FALSE(cache.GetOrLoad(context, "0", fail).ok());
  EXPECT_EQ(loads, 21);
  EXPECT_FALSE(cache.GetOrLoad(context, "19", fail).ok());
  EXPECT_EQ(loads, 21);
}

TEST(LruCacheTest, ShardsDivideTheBoundOfRememberedFailures) {
  LruCacheOptions options;
  options.shards = 4;
  options.negative_ttl = seconds(500);
  options.max_negative_entries = 8;
  Cache cache(options);
  RequestContext context;
  int loads = 0;
  const FailingLoad fail{loads};
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(cache.GetOrLoad(context, Concat(i), fail).ok());
  // The newest first, since each failure evicts the oldest of its shard.
  for (int i = 100; i-- > 0;) EXPECT_FALSE(cache.GetOrLoad(context, Concat(i), fail).ok());
  EXPECT_GT(cache.Stats().negative_hits, 0);
  EXPECT_LE(cache.Stats().negative_hits, 8);
}

TEST(LruCacheTest, BoundsRememberedFailuresOfLongKeys) {
  LruCacheOptions options = OneShard(100);
  options.negative_ttl = seconds(500);
  options.max_negative_bytes = 100000;
  Cache cache(options);
  RequestContext context;
  int loads = 0;
  const FailingLoad fail{loads};
  const auto key = [](int i) { return std::string(20000, static_cast<char>('a' + i)); };
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(cache.GetOrLoad(context, key(i), fail).ok());
  EXPECT_FALSE(cache.GetOrLoad(context, key(19), fail).ok());
  EXPECT_EQ(loads, 20);
  EXPECT_FALSE(cache.GetOrLoad(context, key(15), fail).ok());
  EXPECT_EQ(loads, 21);
}

TEST(LruCacheTest, ErasesSingleMatchingAndAllKeys) {
  Cache cache(OneShard(100));
  RequestContext context;
  for (const char* key : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(cache.GetOrLoad(context, key, Give(key, 1)).ok());
  }
  cache.Erase("b");
  EXPECT_EQ(KeysOf(cache), "acd");
  cache.EraseIf([](const std::string& key) { return key != "c"; });
  EXPECT_EQ(KeysOf(cache), "c");
  cache.Clear();
  EXPECT_EQ(cache.Stats().entries, 0u);
  EXPECT_EQ(cache.Stats().bytes, 0u);
}

TEST(LruCacheTest, HoldsItsLimitsUnderContention) {
  LruCacheOptions options;
  options.max_bytes = 64;
  options.shards = 4;
  LruCache<int, int> cache(options);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      RequestContext context;
      for (int i = 0; i < 2000; ++i) {
        const int key = (i * 7 + t * 13) % 100;
        const auto value = cache.GetOrLoad(context, key, [key] {
          return absl::StatusOr<LruCache<int, int>::Loaded>(
              LruCache<int, int>::Loaded{std::make_shared<const int>(key), 4});
        });
        EXPECT_EQ(**value, key);
        if (i % 97 == 0) cache.Erase(key);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  cache.Trim();
  EXPECT_LE(cache.Stats().bytes, 64u);
  EXPECT_EQ(cache.Stats().bytes, cache.Stats().entries * 4);
}

}  // namespace
}  // namespace stagedoor

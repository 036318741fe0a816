#include "scene/clips/clip_cache.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/context_resolver.h"
#include "scene/clips/testing/clip_cache_fixture.h"

namespace stagedoor {
namespace {

TEST_F(ClipCacheTest, OpensOncePerLayerForAllSlots) {
  Put("/a.blob", 100);
  ClipCache cache(registry_, {});
  ClipSlot slots[3];
  for (ClipSlot& slot : slots) Read(cache, "/a.blob", slot);
  for (ClipSlot& slot : slots) Read(cache, "/a.blob", slot);
  EXPECT_EQ(opens_, 1);
  EXPECT_EQ(cache.Stats().misses, 1u);
  EXPECT_EQ(cache.Stats().hits, 5u);
  EXPECT_EQ(cache.Stats().layers, 1u);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, ContextsShareTheLayersOfTheSameAsset) {
  for (const char* name : {"/a.blob", "/one/b.blob", "/two/b.blob"}) Put(name, 100);
  LayerRegistry registry(std::make_shared<ContextResolver>(memory_), {Format()}, {});
  ClipCache cache(registry, {});
  const auto one = ResolverContext::Create({.search_paths = {"/one"}});
  const auto two = ResolverContext::Create({.search_paths = {"/two"}});
  const auto sent = ResolverContext::Create({.layers = {{"/a.blob", "x"}, {"b.blob", "x"}}});
  const auto sent_other = ResolverContext::Create({.layers = {{"/a.blob", "y"}}});
  const struct {
    ResolverContext context;
    const char* identifier;
    int opens;  // so far
  } reads[] = {{{}, "/a.blob", 1},  {one, "/a.blob", 1},        {one, "b.blob", 2},
               {two, "b.blob", 3},  {one, "b.blob", 3},         {sent, "/a.blob", 4},
               {sent, "b.blob", 5}, {sent_other, "/a.blob", 6}, {sent, "/a.blob", 6},
               {{}, "/a.blob", 6}};
  std::vector<ClipSlot> slots(std::size(reads));
  const auto fill = [&](size_t i) {
    const auto view = [](const std::shared_ptr<const Layer>& layer) {
      return std::make_unique<TestView>(layer);
    };
    const absl::Status status =
        cache.Fill(context_, reads[i].context, reads[i].identifier, slots[i], view);
    if (status.ok()) slots[i].Unpin();
    return status;
  };
  for (size_t i = 0; i < std::size(reads); ++i) {
    EXPECT_TRUE(fill(i).ok()) << i;
    EXPECT_EQ(opens_, reads[i].opens) << i;
  }
  // Statistics are by identifier.
  const std::vector<ClipLayerStats> stats = cache.LayerStats();
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].identifier, "/a.blob");
  EXPECT_EQ(stats[0].opens, 3u);
  EXPECT_EQ(stats[1].identifier, "b.blob");
  EXPECT_EQ(stats[1].opens, 3u);
  // A refresh finds the layer of each context.
  Put("/two/b.blob", 200);
  EXPECT_EQ(cache.Refresh(context_), std::vector<std::string>{"b.blob"});
  EXPECT_TRUE(fill(2).ok());
  EXPECT_EQ(opens_, 6) << "unchanged";
  EXPECT_TRUE(fill(3).ok());
  EXPECT_EQ(opens_, 7);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, FailuresAreRememberedByContext) {
  LayerRegistry registry(std::make_shared<ContextResolver>(memory_), {Format()}, {});
  ClipCache cache(registry, {});
  Put("/one/b.blob", 100);
  const auto one = ResolverContext::Create({.search_paths = {"/one"}});
  const auto two = ResolverContext::Create({.search_paths = {"/two"}});
  ClipSlot slot;
  const auto fill = [&](const ResolverContext& context) {
    return cache.Fill(context_, context, "b.blob", slot,
                      [](const auto& layer) { return std::make_unique<TestView>(layer); });
  };
  EXPECT_FALSE(fill({}).ok());
  EXPECT_FALSE(fill(two).ok());
  EXPECT_TRUE(fill(one).ok());
  slot.Unpin();
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, EvictsLeastRecentlyUsedAboveTheBudget) {
  constexpr size_t kSize = 100000;
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"}) Put(name, kSize);
  ClipCacheOptions options;
  options.max_bytes = 2 * kSize + kSize / 2;
  ClipCache cache(registry_, options);
  ClipSlot slots[3];
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/b.blob", slots[1]);
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/c.blob", slots[2]);
  EXPECT_NE(slots[0].TryPin(0), nullptr);
  slots[0].Unpin();
  EXPECT_EQ(slots[1].TryPin(0), nullptr);
  EXPECT_EQ(cache.Stats().evictions, 1u);
  EXPECT_LE(cache.Stats().bytes, options.max_bytes);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, EvictionKeepsPinnedLayers) {
  for (const char* name : {"/a.blob", "/b.blob"}) Put(name, 100000);
  ClipCache cache(registry_, AtMost(1));
  ClipSlot slots[2];
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[0]).ok());
  Read(cache, "/b.blob", slots[1]);
  EXPECT_NE(slots[0].pinned_view(), nullptr);
  slots[0].Unpin();
  cache.Trim();
  EXPECT_EQ(cache.Stats().layers, 1u);
  EXPECT_EQ(slots[0].TryPin(0), nullptr) << "the one used last stays";
  ASSERT_NE(slots[1].TryPin(0), nullptr);
  slots[1].Unpin();
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 0u);
  EXPECT_EQ(cache.Stats().bytes, 0u);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, CountsPinnedLayers) {
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"}) Put(name, 100000);
  ClipCache cache(registry_, {});
  ClipSlot slots[3];
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[0]).ok());
  ASSERT_TRUE(Fill(cache, "/b.blob", slots[1]).ok());
  Read(cache, "/c.blob", slots[2]);
  EXPECT_EQ(cache.Stats().pinned_layers, 2u);
  slots[0].Unpin();
  EXPECT_EQ(cache.Stats().pinned_layers, 1u);
  slots[1].Unpin();
  cache.Release(slots);
}

TEST_F(ClipCacheTest, RemembersMissingFilesForAWhile) {
  auto now = ClipCache::Clock::now();
  ClipCacheOptions options;
  options.now = [&now] { return now; };
  ClipCache cache(registry_, options);
  ClipSlot slot;
  EXPECT_EQ(Fill(cache, "/a.blob", slot).code(), absl::StatusCode::kNotFound);
  Put("/a.blob", 10);
  EXPECT_EQ(Fill(cache, "/a.blob", slot).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cache.Stats().negative_hits, 1u);
  now += options.negative_ttl;
  Read(cache, "/a.blob", slot);
  EXPECT_EQ(opens_, 1);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, RefreshDropsChangedLayers) {
  Put("/a.blob", 10);
  Put("/b.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[2];
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/b.blob", slots[1]);
  Put("/a.blob", 20);
  EXPECT_EQ(cache.Refresh(context_), std::vector<std::string>{"/a.blob"});
  EXPECT_EQ(slots[0].TryPin(0), nullptr);
  Read(cache, "/a.blob", slots[0]);
  EXPECT_EQ(opens_, 3);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, ARefreshMayBeLimitedToSomeAssets) {
  Put("/a.blob", 10);
  Put("/b.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[2];
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/b.blob", slots[1]);
  std::set<std::string> open;
  for (const ClipCache::OpenAsset& asset : cache.OpenAssets()) {
    open.insert(asset.resolved_path);
    EXPECT_EQ(asset.version, memory_->GetVersion(context_, {}, asset.resolved_path)->token());
  }
  EXPECT_EQ(open, (std::set<std::string>{"/a.blob", "/b.blob"}));
  Put("/a.blob", 20);
  Put("/b.blob", 20);
  const std::unordered_set<std::string> only = {"/b.blob", "/c.blob"};
  EXPECT_EQ(cache.Refresh(context_, &only), std::vector<std::string>{"/b.blob"});
  EXPECT_EQ(cache.Refresh(context_), std::vector<std::string>{"/a.blob"});
  cache.Release(slots);
}

TEST_F(ClipCacheTest, StatisticsOfLayersOutliveTheirEviction) {
  Put("/a.blob", 1000);
  Put("/b.blob", 1000);
  ClipCache cache(registry_, AtMost(1));
  ClipSlot slots[3];
  for (int i = 0; i < 2; ++i) {
    Read(cache, "/a.blob", slots[0]);
    Read(cache, "/a.blob", slots[0]);
    Read(cache, "/b.blob", slots[1]);
  }
  EXPECT_FALSE(Fill(cache, "/c.blob", slots[2]).ok());
  EXPECT_FALSE(Fill(cache, "/c.blob", slots[2]).ok());
  const ClipCacheStats stats = cache.Stats();
  EXPECT_EQ(stats.opens, 4u);
  EXPECT_EQ(stats.misses, 5u);
  EXPECT_EQ(stats.hits, 2u);
  EXPECT_EQ(stats.evictions, 3u);
  EXPECT_EQ(stats.open_failures, 1u);
  EXPECT_EQ(stats.negative_hits, 1u);
  EXPECT_EQ(stats.missing, 1u);
  EXPECT_EQ(stats.max_layers, 1u);
  const std::vector<ClipLayerStats> layers = cache.LayerStats();
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].identifier, "/a.blob");
  EXPECT_EQ(layers[0].opens, 2u);
  EXPECT_EQ(layers[0].hits, 2u);
  EXPECT_EQ(layers[0].bytes, 0u);
  EXPECT_EQ(layers[1].opens, 2u);
  EXPECT_EQ(layers[1].hits, 0u);
  EXPECT_GT(layers[1].bytes, 1000u);
  EXPECT_EQ(layers[2].identifier, "/c.blob");
  EXPECT_EQ(layers[2].open_failures, 1u);
  EXPECT_TRUE(layers[2].missing);
  Put("/c.blob", 10);
  cache.Refresh(context_);
  Read(cache, "/c.blob", slots[2]);
  EXPECT_EQ(cache.Stats().missing, 0u);
  EXPECT_FALSE(cache.LayerStats()[2].missing);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, RemembersABoundedNumberOfFiles) {
  ClipCacheOptions options;
  options.max_known = 8;
  ClipCache cache(registry_, options);
  ClipSlot slot;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(Fill(cache, Concat("/", i, ".blob"), slot).ok());
  EXPECT_LE(cache.LayerStats().size(), 8u);
  EXPECT_EQ(cache.Stats().missing, cache.LayerStats().size());
  EXPECT_EQ(cache.Stats().open_failures, 100u);
}

TEST_F(ClipCacheTest, RemembersFewerFilesWithLongNames) {
  constexpr size_t kLength = 10000;
  ClipCacheOptions options;
  options.max_known_bytes = 20 * kLength;
  ClipCache cache(registry_, options);
  ClipSlot slot;
  std::string last;
  for (int i = 0; i < 100; ++i) {
    last = Concat("/", i, std::string(kLength, 'n'), ".blob");
    EXPECT_FALSE(Fill(cache, last, slot).ok());
    EXPECT_LT(cache.LayerStats().size(), 20u);
  }
  EXPECT_EQ(cache.Stats().missing, cache.LayerStats().size());
  EXPECT_FALSE(Fill(cache, last, slot).ok());
  EXPECT_EQ(cache.Stats().negative_hits, 1u);
  // Its failure was dropped for nine others, each of which takes memory twice.
  EXPECT_FALSE(Fill(cache, Concat("/", 80, std::string(kLength, 'n'), ".blob"), slot).ok());
  EXPECT_EQ(cache.Stats().negative_hits, 1u);
  EXPECT_EQ(cache.Stats().open_failures, 101u);
}

TEST_F(ClipCacheTest, NamesOfOpenLayersDoNotCountAgainstRecords) {
  ClipCacheOptions options;
  options.max_known_bytes = 5000;
  ClipCache cache(registry_, options);
  std::vector<ClipSlot> slots(20);
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string name = Concat("/", i, std::string(1000, 'n'), ".blob");
    Put(name, 10);
    Read(cache, name, slots[i]);
  }
  ClipSlot slot;
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"})
    EXPECT_FALSE(Fill(cache, name, slot).ok());
  EXPECT_EQ(cache.Stats().missing, 3u);
  EXPECT_EQ(cache.LayerStats().size(), 23u);
  // Once closed, they count.
  cache.Clear();
  EXPECT_FALSE(Fill(cache, "/d.blob", slot).ok());
  EXPECT_EQ(cache.Stats().missing, 1u);
  EXPECT_EQ(cache.LayerStats().size(), 1u);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, LayersReadDuringARefreshAreCurrentAfterwards) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slot;
  ASSERT_TRUE(Fill(cache, "/a.blob", slot).ok());
  const auto old = static_cast<TestView*>(slot.pinned_view())->layer->info().version;
  Put("/a.blob", 20);
  EXPECT_EQ(cache.Refresh(context_).size(), 1u);
  // A reader keeps its content during the refresh.
  EXPECT_EQ(slot.TryPin(0), nullptr);
  ASSERT_TRUE(Fill(cache, "/a.blob", slot).ok());
  EXPECT_EQ(static_cast<TestView*>(slot.pinned_view())->layer->info().version, old);
  slot.Unpin();
  slot.Unpin();
  Read(cache, "/a.blob", slot);
  ASSERT_NE(slot.TryPin(0), nullptr);
  EXPECT_NE(static_cast<TestView*>(slot.pinned_view())->layer->info().version, old);
  slot.Unpin();
  EXPECT_EQ(opens_, 2);
  EXPECT_EQ(cache.Stats().layers, 1u);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, LayersOpenedDuringARefreshAreReopened) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  on_open_ = [&] {
    Put("/a.blob", 20);
    EXPECT_TRUE(cache.Refresh(context_).empty());
    return absl::OkStatus();
  };
  ClipSlot slot;
  Read(cache, "/a.blob", slot);
  EXPECT_EQ(opens_, 2);
  EXPECT_TRUE(cache.Refresh(context_).empty()) << "the layer is already the new one";
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, FailuresFromBeforeARefreshAreNotRemembered) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  on_open_ = [&]() -> absl::Status {
    EXPECT_TRUE(cache.Refresh(context_).empty());
    return DataLossError("half a file");
  };
  ClipSlot slot;
  EXPECT_TRUE(Fill(cache, "/a.blob", slot).ok());
  slot.Unpin();
  EXPECT_EQ(cache.Stats().missing, 0u);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, ContinuousRefreshesDoNotPreventOpening) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  const std::function<absl::Status()> refresh = [&] {
    on_open_ = refresh;
    EXPECT_TRUE(cache.Refresh(context_).empty());
    return absl::OkStatus();
  };
  on_open_ = refresh;
  ClipSlot slot;
  Read(cache, "/a.blob", slot);
  EXPECT_EQ(cache.Stats().layers, 1u);
  EXPECT_EQ(opens_, 4);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, TransientFailuresAreNotRemembered) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slot;
  for (const auto& failure : {absl::CancelledError("gone"), absl::ResourceExhaustedError("full")}) {
    on_open_ = [&] { return failure; };
    EXPECT_EQ(Fill(cache, "/a.blob", slot).code(), failure.code());
  }
  EXPECT_EQ(cache.Stats().open_failures, 2u);
  EXPECT_EQ(cache.Stats().missing, 0u);
  Read(cache, "/a.blob", slot);
  EXPECT_EQ(cache.Stats().negative_hits, 0u);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, DeletedLayersCountAsChanged) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slot;
  Read(cache, "/a.blob", slot);
  memory_->Remove("/a.blob");
  EXPECT_EQ(cache.Refresh(context_), std::vector<std::string>{"/a.blob"});
  EXPECT_EQ(cache.Stats().layers, 0u);
  EXPECT_EQ(Fill(cache, "/a.blob", slot).code(), absl::StatusCode::kNotFound);
  cache.Release({&slot, 1});
}

TEST_F(ClipCacheTest, ChangedLayersStayUntilTheirLastReaderUnpins) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[3];
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[0]).ok());
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[1]).ok());
  Put("/a.blob", 20);
  EXPECT_EQ(cache.Refresh(context_).size(), 1u);
  Read(cache, "/a.blob", slots[2]);
  EXPECT_EQ(cache.Stats().layers, 2u) << "the old one and the new one";
  EXPECT_EQ(cache.LayerStats().size(), 1u);
  EXPECT_EQ(cache.LayerStats()[0].opens, 2u);
  slots[0].Unpin();
  Read(cache, "/a.blob", slots[0]);
  EXPECT_EQ(cache.Stats().layers, 2u) << "one reader is left";
  slots[1].Unpin();
  cache.Release({&slots[1], 1});
  EXPECT_EQ(cache.Stats().layers, 1u);
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 0u);
  EXPECT_EQ(cache.Stats().bytes, 0u);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, LayersPinnedByOneSlotStayOpenForOthers) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[2];
  Read(cache, "/a.blob", slots[0]);
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[1]).ok());
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 1u);
  ASSERT_NE(slots[0].TryPin(cache.clock()), nullptr) << "it was about to be closed";
  slots[0].Unpin();
  slots[1].Unpin();
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 0u);
  EXPECT_EQ(slots[0].TryPin(cache.clock()), nullptr);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, ChangedLayersPinnedByOneSlotStayClosedForOthers) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[2];
  Read(cache, "/a.blob", slots[0]);
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[1]).ok());
  Put("/a.blob", 20);
  EXPECT_EQ(cache.Refresh(context_).size(), 1u);
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 1u);
  EXPECT_EQ(slots[0].TryPin(cache.clock()), nullptr) << "it must open the new content";
  slots[1].Unpin();
  cache.Clear();
  EXPECT_EQ(cache.Stats().layers, 0u);
  Read(cache, "/a.blob", slots[0]);
  EXPECT_EQ(opens_, 2);
  cache.Release(slots);
}

TEST_F(ClipCacheTest, BytesOfASlotAreThoseOfItsLayer) {
  Put("/a.blob", 1000);
  ClipCache cache(registry_, {});
  ClipSlot slot;
  EXPECT_EQ(cache.BytesOf(slot), 0u);
  Read(cache, "/a.blob", slot);
  EXPECT_GT(cache.BytesOf(slot), 1000u);
  EXPECT_EQ(cache.BytesOf(slot), cache.Stats().bytes);
  cache.Release({&slot, 1});
  EXPECT_EQ(cache.BytesOf(slot), 0u);
}

TEST_F(ClipCacheTest, HasRoomForOneMoreOfAverageSize) {
  ClipCacheOptions options;
  options.max_layers = 3;
  options.max_bytes = 100;
  const ClipCache cache(registry_, options);
  EXPECT_TRUE(cache.HasRoomAfter({}));
  EXPECT_TRUE(cache.HasRoomAfter({.opened = 2, .bytes = 66}));
  EXPECT_TRUE(cache.HasRoomAfter({.opened = 1, .bytes = 50}));
  EXPECT_FALSE(cache.HasRoomAfter({.opened = 1, .bytes = 51}));
  EXPECT_FALSE(cache.HasRoomAfter({.opened = 2, .bytes = 68}));
  EXPECT_FALSE(cache.HasRoomAfter({.opened = 3, .bytes = 3}));
}

TEST_F(ClipCacheTest, ManyThreadsShareLayersWhileTheyAreEvicted) {
  constexpr int kLayers = 12;
  std::vector<std::string> names;
  for (int i = 0; i < kLayers; ++i) names.push_back(Concat("/", i, ".blob"));
  for (const std::string& name : names) Put(name, 1000);
  const ClipCacheOptions options = AtMost(4);
  ClipCache cache(registry_, options);
  std::vector<ClipSlot> slots(kLayers);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 400; ++i) {
        const int n = (i * 7 + t) % kLayers;
        ClipSlot::View* view = slots[n].TryPin(cache.clock());
        if (!view) {
          if (!Fill(cache, names[n], slots[n]).ok()) ++wrong;
          view = slots[n].pinned_view();
        }
        if (static_cast<TestView*>(view)->layer->identifier() != names[n]) ++wrong;
        slots[n].Unpin();
        if (i % 50 == 0) cache.Refresh(context_);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  cache.Trim();
  EXPECT_LE(cache.Stats().layers, options.max_layers);
  cache.Release(slots);
}

}  // namespace
}  // namespace stagedoor

#include "server/handlers/cache_handlers.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class CacheHandlersTest : public ServerTest {
 protected:
  // A stage with a clip per time code from 0 to `count`; all exist but the last one.
  v1::StageRef OpenClips(int count) {
    std::string assets, active;
    for (int i = 0; i <= count; ++i) {
      if (i < count) {
        Write(Concat("clip", i, ".usda"),
              Concat("def \"C\" { double x.timeSamples = { ", i, ": ", i * 10, " }; }\n"));
      }
      assets += Concat(i ? ", " : "", "@./clip", i, ".usda@");
      active += Concat(i ? ", " : "", "(", i, ", ", i, ")");
    }
    Write("manifest.usda", "def \"C\" { double x; }\n");
    Write("root.usda", Concat("def \"P\" (\n    clips = { dictionary default = {\n"
                              "        asset[] assetPaths = [",
                              assets, "]\n        double2[] active = [", active, R"(]
        asset manifestAssetPath = @./manifest.usda@
        string primPath = "/C"
    } }
)
{
    double x
}
)"));
    return Open();
  }
  v1::GetCacheStatisticsResponse Statistics() {
    v1::GetCacheStatisticsRequest request;
    request.set_with_layers(true);
    const auto reply = client().GetCacheStatistics(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : v1::GetCacheStatisticsResponse();
  }
  v1::CacheStatistics Cache(const std::string& name) {
    const v1::GetCacheStatisticsResponse all = Statistics();
    for (const v1::CacheStatistics& cache : all.caches()) {
      if (cache.name() == name) return cache;
    }
    ADD_FAILURE() << "the reply has no cache " << name;
    return {};
  }
};

TEST_F(CacheHandlersTest, CountsReadsOfClips) {
  ServerOptions options;
  options.clip_cache_bytes = 12345678;
  options.clip_cache_files = 2;
  options.threads = 1;
  Start(options);
  const v1::StageRef stage = OpenClips(3);
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), (std::vector<double>{0}));
  v1::CacheStatistics clips = Cache("clips");
  EXPECT_EQ(clips.budget_bytes(), 12345678u);
  EXPECT_EQ(clips.budget_entries(), 2u);
  EXPECT_EQ(clips.open_files(), clips.entries());
  EXPECT_GT(clips.bytes(), 0u);
  EXPECT_EQ(clips.evictions(), clips.opens() - clips.open_files());
  EXPECT_EQ(clips.missing(), 0u);

  // Three clips in a cache of two, and a missing one.
  EXPECT_EQ(Numbers(stage, "/P.x", {0, 1, 2, 0, 1, 2}),
            (std::vector<double>{0, 10, 20, 0, 10, 20}));
  v1::BatchGetValuesRequest nothing;
  *nothing.mutable_stage() = stage;
  nothing.add_paths("/P.x");
  nothing.mutable_times()->add_frames(3);
  ASSERT_TRUE(client().BatchGetValues(nothing).ok());
  clips = Cache("clips");
  EXPECT_LE(clips.open_files(), 2u);
  EXPECT_GE(clips.opens(), 3u);
  EXPECT_EQ(clips.evictions(), clips.opens() - clips.open_files());
  EXPECT_GT(clips.hits(), 0u);
  EXPECT_EQ(clips.missing(), 1u);
  EXPECT_GE(clips.failures(), 1u);

  uint64_t opens = 0, hits = 0, bytes = 0, failures = 0;
  const v1::GetCacheStatisticsResponse all = Statistics();
  ASSERT_EQ(all.clip_layers_size(), 4);
  for (int i = 0; i < 4; ++i) {
    const v1::ClipLayerStatistics& layer = all.clip_layers(i);
    EXPECT_EQ(layer.identifier(), Concat("/clip", i, ".usda"));
    EXPECT_EQ(layer.missing(), i == 3);
    EXPECT_EQ(layer.opens() > 0, i < 3);
    EXPECT_FALSE(layer.pinned());
    opens += layer.opens();
    hits += layer.hits();
    bytes += layer.bytes();
    failures += layer.failures();
  }
  clips = Cache("clips");
  EXPECT_EQ(opens, clips.opens());
  EXPECT_EQ(hits, clips.hits());
  EXPECT_EQ(bytes, clips.bytes());
  EXPECT_EQ(failures, clips.failures());
}

TEST_F(CacheHandlersTest, CountsReadsOfClipsKnownToBeMissing) {
  ServerOptions options;
  options.threads = 1;
  Start(options);
  const v1::StageRef stage = OpenClips(1);
  v1::BatchGetValuesRequest missing;
  *missing.mutable_stage() = stage;
  missing.add_paths("/P.x");
  missing.mutable_times()->add_frames(1);
  ASSERT_TRUE(client().BatchGetValues(missing).ok());
  const uint64_t before = Cache("clips").negative_hits();
  ASSERT_TRUE(client().BatchGetValues(missing).ok());
  EXPECT_GT(Cache("clips").negative_hits(), before);
}

TEST_F(CacheHandlersTest, ReportsTheBudgetsOfLayersAndStages) {
  ServerOptions options;
  options.layer_cache_bytes = 1000000;
  options.stages.max_bytes = 2000000;
  options.stages.max_idle_stages = 7;
  Start(options);
  Write("root.usda", "def \"P\" {}\n");
  Open();
  Open();
  const v1::CacheStatistics stages = Cache("stages"), layers = Cache("layers");
  EXPECT_EQ(layers.budget_bytes(), 1000000u);
  EXPECT_FALSE(layers.has_budget_entries()) << "no limit";
  EXPECT_FALSE(layers.has_open_files()) << "only for clips";
  EXPECT_EQ(layers.opens(), 1u);
  EXPECT_EQ(layers.misses(), 1u);
  EXPECT_EQ(layers.entries(), 1u);
  EXPECT_GT(layers.bytes(), 0u);
  EXPECT_EQ(stages.budget_bytes(), 2000000u);
  EXPECT_EQ(stages.budget_entries(), 7u);
  EXPECT_EQ(stages.entries(), 1u);
  EXPECT_EQ(stages.opens(), 1u);
  EXPECT_EQ(stages.hits(), 1u);
}

TEST_F(CacheHandlersTest, PrefetchOpensTheClipsOfAnInterval) {
  WriteClips(4);
  const v1::StageRef stage = Open();
  const auto opens = [&] {
    const auto reply = client().GetCacheStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const v1::CacheStatistics& cache : reply->caches()) {
      if (cache.name() == "clips") return cache.opens();
    }
    ADD_FAILURE() << "the clip cache has no statistics";
    return uint64_t{0};
  };
  const uint64_t before = opens();
  v1::PrefetchClipsRequest prefetch;
  *prefetch.mutable_stage() = stage;
  prefetch.add_paths("/P");
  prefetch.mutable_interval()->set_start(2);
  prefetch.mutable_interval()->set_end(3);
  const auto reply = client().PrefetchClips(prefetch);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->clips(), 2u);
  const uint64_t after = opens();
  EXPECT_GE(after, before + 2);
  EXPECT_EQ(Numbers(stage, "/P.x", {2, 3}), (std::vector<double>{20, 30}));
  EXPECT_EQ(opens(), after) << "the clips were open already";
}

TEST_F(CacheHandlersTest, ListsClipLayersOnRequest) {
  OpenClips(2);
  const auto plain = client().GetCacheStatistics({});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->caches_size(), 5) << "stages, layers, path sets, frames and clips";
  EXPECT_EQ(plain->clip_layers_size(), 0);
}

TEST_F(CacheHandlersTest, TooManyClipLayersForAReplyAreAnError) {
  ServerOptions options;
  options.limits.max_reply_bytes = 500;
  Start(options);
  const v1::StageRef stage = OpenClips(8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Numbers(stage, "/P.x", {static_cast<double>(i)}), std::vector<double>{i * 10.});
  }
  v1::GetCacheStatisticsRequest request;
  EXPECT_TRUE(client().GetCacheStatistics(request).ok());
  request.set_with_layers(true);
  EXPECT_EQ(ErrorReason(client().GetCacheStatistics(request).status()), "REQUEST_TOO_LARGE");
}

TEST_F(CacheHandlersTest, LayersThatDoNotOpenAreCounted) {
  Write("broken.usda", "def {");
  Write("root.usda", "def \"P\" (references = @./broken.usda@) {}\n");
  Open();
  const v1::CacheStatistics layers = Cache("layers");
  EXPECT_EQ(layers.failures(), 1u);
  EXPECT_EQ(layers.entries(), 1u);
}

class PrefetchClipsTest : public CacheHandlersTest {
 protected:
  void SetUp() override { WriteClips(4); }
  absl::StatusOr<v1::PrefetchClipsResponse> Prefetch(const std::vector<std::string>& paths,
                                                     double start, double end) {
    v1::PrefetchClipsRequest request;
    *request.mutable_stage() = Open();
    for (const std::string& path : paths) request.add_paths(path);
    request.mutable_interval()->set_start(start);
    request.mutable_interval()->set_end(end);
    return client().PrefetchClips(request);
  }
};

TEST_F(PrefetchClipsTest, PathsMayNameAttributesAndPrimsWithoutClips) {
  EXPECT_EQ(Prefetch({"/P.x"}, 2, 3)->clips(), 2u);
  EXPECT_EQ(Prefetch({"/", "/P", "/P.x"}, 2, 3)->clips(), 2u) << "each clip counts once";
  EXPECT_EQ(Prefetch({"/"}, 2, 3)->clips(), 0u);
  EXPECT_EQ(Prefetch({}, 2, 3)->clips(), 0u);
}

TEST_F(PrefetchClipsTest, OpenEndsAreExcluded) {
  v1::PrefetchClipsRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/P");
  const auto clips = [&](double start, bool start_open, double end, bool end_open) {
    request.mutable_interval()->set_start(start);
    request.mutable_interval()->set_end(end);
    request.mutable_interval()->set_start_open(start_open);
    request.mutable_interval()->set_end_open(end_open);
    const auto reply = client().PrefetchClips(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->clips() : 0;
  };
  EXPECT_EQ(clips(1, false, 3, false), 3u);
  EXPECT_EQ(clips(1, false, 3, true), 2u);
  EXPECT_EQ(clips(1, true, 3, true), 2u) << "the clip of 1 is active until 2";
  EXPECT_EQ(clips(2, true, 2, false), 0u);
  EXPECT_EQ(clips(2, false, 2, true), 0u);
  EXPECT_EQ(clips(3, false, 1, false), 0u) << "an interval that ends before it starts";
}

TEST_F(PrefetchClipsTest, EndsThatAreNotSetAreInfinite) {
  v1::PrefetchClipsRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/P");
  EXPECT_EQ(client().PrefetchClips(request)->clips(), 4u);
  request.mutable_interval()->set_start(3);
  EXPECT_EQ(client().PrefetchClips(request)->clips(), 2u);
  request.mutable_interval()->clear_start();
  request.mutable_interval()->set_end(1);
  EXPECT_EQ(client().PrefetchClips(request)->clips(), 1u);
}

TEST_F(PrefetchClipsTest, CountsSkippedClips) {
  ServerOptions options;
  options.clip_cache_files = 2;
  Start(options);
  const auto reply = Prefetch({"/P"}, 1, 4);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->clips(), 2u);
  EXPECT_EQ(reply->skipped(), 2u);
}

TEST_F(PrefetchClipsTest, RejectsInvalidRequests) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ErrorReason(Prefetch({"/P"}, nan, 1).status()), "INVALID_TIME");
  EXPECT_EQ(ErrorReason(Prefetch({"/P"}, 1, nan).status()), "INVALID_TIME");
  EXPECT_EQ(ErrorReason(Prefetch({"/P", "/Nobody"}, 1, 2).status()), "PRIM_NOT_FOUND");
  ServerOptions options;
  options.limits.max_paths = 1;
  Start(options);
  EXPECT_TRUE(Prefetch({"/P"}, 1, 2).ok());
  EXPECT_EQ(ErrorReason(Prefetch({"/P", "/P"}, 1, 2).status()), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server

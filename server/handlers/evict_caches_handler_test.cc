#include "server/handlers/evict_caches_handler.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "client/cc/error_reason.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class EvictCachesTest : public ServerTest {
 protected:
  v1::EvictCachesResponse Evict(const std::vector<v1::CacheKind>& kinds) {
    v1::EvictCachesRequest request;
    for (const v1::CacheKind kind : kinds) request.add_caches(kind);
    const auto reply = client().EvictCaches(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.value_or(v1::EvictCachesResponse());
  }
  // The entries that each cache holds.
  std::map<std::string, uint64_t> Entries() {
    std::map<std::string, uint64_t> entries;
    const v1::GetCacheStatisticsResponse statistics = client().GetCacheStatistics({}).value();
    for (const auto& cache : statistics.caches()) {
      entries[cache.name()] = cache.entries();
    }
    return entries;
  }
  // Opens "/root.usda" and reads its clips. Returns when nothing is being read ahead.
  v1::StageRef OpenAndRead() {
    const v1::StageRef stage = Open();
    Numbers(stage, "/P.x", {1, 2, 3});
    while (PinnedClips() > 0) std::this_thread::yield();
    return stage;
  }
  uint64_t PinnedClips() {
    uint64_t pinned = 0;
    const v1::GetCacheStatisticsResponse statistics = client().GetCacheStatistics({}).value();
    for (const auto& cache : statistics.caches()) pinned += cache.pinned();
    return pinned;
  }
  void Close(const v1::StageRef& stage) {
    v1::CloseStageRequest request;
    request.set_handle(stage.handle());
    ASSERT_TRUE(client().CloseStage(request).ok());
  }

  static constexpr v1::CacheKind kStages = v1::CACHE_KIND_STAGES;
  static constexpr v1::CacheKind kLayers = v1::CACHE_KIND_LAYERS;
  static constexpr v1::CacheKind kClips = v1::CACHE_KIND_CLIPS;
  static constexpr v1::CacheKind kRemote = v1::CACHE_KIND_REMOTE;
};

TEST_F(EvictCachesTest, WhatNobodyUsesIsFreed) {
  WriteClips(3);
  Close(OpenAndRead());
  const auto before = Entries();
  EXPECT_EQ(before.at("stages"), 1u);
  EXPECT_GT(before.at("layers"), 0u);
  EXPECT_EQ(before.at("clips"), 3u);
  const v1::EvictCachesResponse reply = Evict({kLayers, kClips, kStages, kRemote});
  ASSERT_EQ(reply.caches_size(), 3) << "no asset is remote: " << reply.DebugString();
  EXPECT_EQ(reply.caches(0).name(), "stages");
  EXPECT_EQ(reply.caches(0).entries(), 1u);
  EXPECT_GT(reply.caches(0).bytes(), 0u);
  EXPECT_EQ(reply.caches(1).name(), "clips");
  EXPECT_EQ(reply.caches(1).entries(), 3u);
  EXPECT_GT(reply.caches(1).bytes(), 0u);
  EXPECT_EQ(reply.caches(2).name(), "layers");
  EXPECT_EQ(reply.caches(2).entries(), before.at("layers")) << "the stage held them";
  EXPECT_GT(reply.resident_bytes(), 0u);
  for (const auto& [name, entries] : Entries()) EXPECT_EQ(entries, 0u) << name;
}

TEST_F(EvictCachesTest, OnlyWhatIsNamedIsFreed) {
  WriteClips(3);
  Close(OpenAndRead());
  const v1::EvictCachesResponse reply = Evict({kClips});
  ASSERT_EQ(reply.caches_size(), 1);
  EXPECT_EQ(reply.caches(0).entries(), 3u);
  EXPECT_EQ(Entries().at("stages"), 1u);
  EXPECT_EQ(Entries().at("clips"), 0u);
}

TEST_F(EvictCachesTest, WhatIsHeldStays) {
  WriteClips(3);
  const v1::StageRef stage = OpenAndRead();
  const auto before = Entries();
  const v1::EvictCachesResponse reply = Evict({kStages, kLayers});
  EXPECT_EQ(reply.caches(0).entries(), 0u);
  EXPECT_EQ(reply.caches(1).entries(), 0u);
  EXPECT_EQ(Entries(), before);
  EXPECT_EQ(Numbers(stage, "/P.x", {2}), std::vector<double>{20});
}

TEST_F(EvictCachesTest, CachesMustBeNamed) {
  EXPECT_EQ(ErrorReason(client().EvictCaches({}).status()), "INVALID_FIELD");
  v1::EvictCachesRequest request;
  request.add_caches(kClips);
  request.add_caches(v1::CACHE_KIND_UNSPECIFIED);
  EXPECT_EQ(ErrorReason(client().EvictCaches(request).status()), "INVALID_FIELD");
  request.set_caches(1, static_cast<v1::CacheKind>(v1::CacheKind_MAX + 1));
  EXPECT_EQ(ErrorReason(client().EvictCaches(request).status()), "INVALID_FIELD");
}

}  // namespace
}  // namespace stagedoor::server

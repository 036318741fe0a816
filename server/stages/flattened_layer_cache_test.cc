#include "server/stages/flattened_layer_cache.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/memory_pool.h"
#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

absl::Status RoomForAll(RequestContext&) { return absl::OkStatus(); }

class FlattenedLayerCacheTest : public testing::Test {
 protected:
  FlattenedLayerCacheTest() {
    std::string text;
    for (int i = 0; i < 500; ++i) text += Concat("def \"P", i, "\" {\n  double x = ", i, "\n}\n");
    scene_.Write("root.usda", text);
    scene_.mutable_environment().memory = &pool_;
    stage_ = scene_.Open("root.usda");
    before_ = pool_.used();
  }

  MemoryPool pool_{"test"};
  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  size_t before_ = 0;
};

TEST_F(FlattenedLayerCacheTest, ALayerIsMadeAndChargedOnceForAllReaders) {
  FlattenedLayerCache& layers = FlattenedLayerCache::For(*stage_);
  std::vector<std::shared_ptr<const Layer>> held(8);
  std::vector<std::thread> readers;
  for (auto& layer : held) {
    readers.emplace_back([&] {
      RequestContext context;
      layer = layers.Get(context, *stage_, false, RoomForAll).value_or(nullptr);
      EXPECT_EQ(context.reserved_bytes(), 0u);
    });
  }
  for (std::thread& reader : readers) reader.join();
  ASSERT_NE(held[0], nullptr);
  for (const auto& layer : held) EXPECT_EQ(layer, held[0]);
  EXPECT_EQ(held[0]->tree().size(), 1001u);
  const size_t one = pool_.used() - before_;
  EXPECT_GT(one, 1000 * sizeof(Value));
  EXPECT_LT(one, 1000 * 400u);
  held.resize(1);
  EXPECT_EQ(pool_.used() - before_, one);
  held.clear();
  EXPECT_EQ(pool_.used(), before_) << "released with the last reader";
}

TEST_F(FlattenedLayerCacheTest, TheLayerStackIsASeparateLayer) {
  RequestContext context;
  FlattenedLayerCache& layers = FlattenedLayerCache::For(*stage_);
  const auto whole = layers.Get(context, *stage_, false, RoomForAll);
  const auto stack = layers.Get(context, *stage_, true, RoomForAll);
  ASSERT_TRUE(whole.ok() && stack.ok());
  EXPECT_NE(*whole, *stack);
}

TEST_F(FlattenedLayerCacheTest, NothingIsKeptIfThereIsNoRoom) {
  RequestContext context;
  const auto none = [](RequestContext&) { return ResourceExhaustedError("full"); };
  const auto layer = FlattenedLayerCache::For(*stage_).Get(context, *stage_, false, none);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pool_.used(), before_);
}

TEST_F(FlattenedLayerCacheTest, FlatteningObservesTheLimitsOfTheRequest) {
  FlattenedLayerCache& layers = FlattenedLayerCache::For(*stage_);
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 1000});
  EXPECT_EQ(layers.Get(small, *stage_, false, RoomForAll).status().code(),
            absl::StatusCode::kResourceExhausted);
  RequestContext short_of_steps(RequestContext::Clock::time_point::max(), {.max_steps = 1000});
  EXPECT_EQ(layers.Get(short_of_steps, *stage_, false, RoomForAll).status().code(),
            absl::StatusCode::kResourceExhausted);
  RequestContext patient;
  EXPECT_TRUE(layers.Get(patient, *stage_, false, RoomForAll).ok())
      << "other requests are not affected";
}

}  // namespace
}  // namespace stagedoor::server

#ifndef STAGEDOOR_SCENE_CLIPS_TESTING_CLIP_CACHE_FIXTURE_H_
#define STAGEDOOR_SCENE_CLIPS_TESTING_CLIP_CACHE_FIXTURE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/resolver.h"
#include "scene/clips/clip_cache.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

class TestView final : public ClipSlot::View {
 public:
  explicit TestView(std::shared_ptr<const Layer> layer) : layer(std::move(layer)) {}
  const std::shared_ptr<const Layer> layer;
};

// A fake format whose layers have the size that their text states.
class ClipCacheTest : public testing::Test {
 protected:
  ClipCacheTest() : ClipCacheTest(nullptr) {}
  // `wrap`, if any, makes the resolver of the registry from that of memory.
  using Wrap = std::shared_ptr<const Resolver> (*)(std::shared_ptr<const Resolver>);
  explicit ClipCacheTest(Wrap wrap)
      : memory_(std::make_shared<MemoryResolver>()),
        resolver_(wrap == nullptr ? memory_ : wrap(memory_)),
        registry_(resolver_, {Format()}, {}) {}

  // Options of a cache of at most `layers` layers.
  static ClipCacheOptions AtMost(size_t layers) {
    ClipCacheOptions options;
    options.max_layers = layers;
    return options;
  }

  LayerFormat Format() {
    return {.name = "blob",
            .extensions = {"blob"},
            .reads = nullptr,
            .open = [this](RequestContext&, const std::shared_ptr<const Asset>&,
                           Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
              ++opens_;
              if (const auto act = std::exchange(on_open_, nullptr)) SD_RETURN_IF_ERROR(act());
              return LayerBuilder().Build(std::move(info));
            }};
  }
  void Put(const std::string& name, size_t bytes) {
    ASSERT_TRUE(memory_->Put(name, std::string(bytes, 'x')).ok());
  }
  absl::Status Fill(ClipCache& cache, const std::string& name, ClipSlot& slot) {
    return cache.Fill(context_, {}, name, slot, [](const std::shared_ptr<const Layer>& layer) {
      return std::make_unique<TestView>(layer);
    });
  }
  void Read(ClipCache& cache, const std::string& name, ClipSlot& slot) {
    if (slot.TryPin(cache.clock()) == nullptr) {
      ASSERT_TRUE(Fill(cache, name, slot).ok()) << name;
    }
    slot.Unpin();
  }

  std::atomic<int> opens_{0};
  std::function<absl::Status()> on_open_;  // runs while the next layer is being opened
  std::shared_ptr<MemoryResolver> memory_;
  std::shared_ptr<const Resolver> resolver_;
  LayerRegistry registry_;
  RequestContext context_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_TESTING_CLIP_CACHE_FIXTURE_H_

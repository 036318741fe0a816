#include "server/memory/memory_holders.h"

#include <chrono>

#include "base/lru_cache.h"
#include "scene/clips/clip_environment.h"
#include "scene/engine/remote_backends.h"
#include "scene/layer/layer_registry.h"
#include "server/frame_memory/frame_memory.h"
#include "server/stages/path_set_store.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {
namespace {

// How long a step waits for what it drops to be destroyed. If it takes longer, it is done soon.
constexpr std::chrono::milliseconds kDestructionPatience{500};

MemoryHolder::Size SizeOf(const LruCacheStats& stats) { return {stats.entries, stats.bytes}; }

}  // namespace

absl::Status MemoryHolder::Release(RequestContext& context) const {
  if (drop_and_wait) return drop_and_wait(context);
  drop();
  return absl::OkStatus();
}

MemoryHolders::MemoryHolders(StageCache& stages, PathSetStore& path_sets, FrameMemory& frames,
                             const RemoteBackends* remote) {
  LayerRegistry& layers = *stages.environment().layers;
  holders_.push_back(
      {.name = "stages",
       .size = [&stages] { return SizeOf(stages.Stats()); },
       .drop = [&stages] { stages.DropIdle(); },
       .drop_and_wait = [&stages](RequestContext& context) { return stages.EvictIdle(context); },
       .holds = "layers",
       .keeps_assets = true});
  AddClips(stages);
  holders_.push_back({.name = "layers",
                      .size = [&layers] { return SizeOf(layers.Stats()); },
                      .drop = [&layers] { layers.DropUnused(); },
                      .keeps_assets = true});
  AddRemote(remote);
  holders_.push_back({.name = "frames",
                      .size = [&frames] { return SizeOf(frames.Stats()); },
                      .drop = [&frames] { frames.Evict(); }});
  holders_.push_back({.name = "path_sets",
                      .size = [&path_sets] { return SizeOf(path_sets.Stats()); },
                      .drop = [&path_sets] { path_sets.Evict(); }});
}

void MemoryHolders::AddClips(StageCache& stages) {
  ClipEnvironment* const clips = stages.environment().clips;
  if (clips == nullptr) return;
  holders_.push_back({.name = "clips",
                      .size =
                          [clips] {
                            const ClipCacheStats stats = clips->cache().Stats();
                            return MemoryHolder::Size{stats.layers, stats.bytes};
                          },
                      .drop = [clips] { clips->cache().Clear(); },
                      .keeps_assets = true});
}

void MemoryHolders::AddRemote(const RemoteBackends* remote) {
  if (remote == nullptr || remote->cache() == nullptr) return;
  holders_.push_back({.name = "remote",
                      .size =
                          [remote] {
                            const BlockCacheStats stats = remote->cache()->Stats();
                            return MemoryHolder::Size{stats.open_files, stats.bytes};
                          },
                      .drop = [remote] { remote->CloseUnused(); },
                      .holds_memory = false});
}

std::vector<MemoryPressure::Step> MemoryHolders::PressureSteps() const {
  std::vector<MemoryPressure::Step> steps;
  for (auto holder = holders_.rbegin(); holder != holders_.rend(); ++holder) {
    if (!holder->holds_memory) continue;
    std::function<void()> drop_held = [] {};
    for (const MemoryHolder& other : holders_) {
      if (other.name == holder->holds) drop_held = other.drop;
    }
    steps.push_back({holder->name, [holder = *holder, drop_held] {
                       RequestContext context(RequestContext::Clock::now() + kDestructionPatience);
                       holder.Release(context).IgnoreError();
                       drop_held();
                     }});
  }
  return steps;
}

void MemoryHolders::DropAssets() const {
  for (const MemoryHolder& holder : holders_) {
    if (holder.keeps_assets) holder.drop();
  }
}

}  // namespace stagedoor::server

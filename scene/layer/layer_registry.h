// LayerRegistry: from asset paths to layers, each opened once per (asset, version) and shared.
//
// Thread-safe. Formats and the resolver are handed in by server/main and tests. Layers stay cached
// up to a byte budget while nobody uses them.
#ifndef STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "resolver/resolver.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// A way to read layers. `reads` tells by content; `open` may keep the asset's mapping pinned.
struct LayerFormat {
  std::string name;                     // "usda"
  std::vector<std::string> extensions;  // without dot
  std::function<bool(std::string_view first_bytes)> reads;
  std::function<absl::StatusOr<std::shared_ptr<const Layer>>(
      RequestContext&, const std::shared_ptr<const Asset>&, Layer::Info)>
      open;
};

class LayerRegistry {
 public:
  struct Options {
    uint64_t max_layer_bytes = uint64_t{64} << 30;  // of an asset
    LruCacheOptions cache;
  };

  LayerRegistry(std::shared_ptr<const Resolver> resolver, std::vector<LayerFormat> formats,
                Options options);

  const Resolver& resolver() const { return *resolver_; }

  // The identifier of `asset_path` as written in `anchor` (null: nowhere).
  std::string Identify(RequestContext& context, std::string_view asset_path,
                       const Layer* anchor) const;
  // Opens (or finds) a layer by identifier. Errors: the resolver's; INVALID_ARGUMENT where no
  // format reads it or it is malformed; DATA_LOSS for damaged files. They name the asset.
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const std::string& identifier);
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    std::string_view asset_path,
                                                    const Layer* anchor);

  struct Opened {
    std::shared_ptr<const Layer> layer;
    uint64_t asset_bytes = 0;
  };
  // Opens anew and remembers nothing, for those who keep a cache of their own.
  absl::StatusOr<Opened> OpenUncached(RequestContext& context, const std::string& identifier) const;

  LruCacheStats Stats() const { return cache_.Stats(); }
  // What the cached layers hold, and above what only those stay that somebody uses.
  size_t cached_bytes() const { return cache_.bytes(); }
  size_t max_cached_bytes() const { return cache_.max_bytes(); }
  // Drops layers that nobody uses and that the budget does not allow.
  void Trim() { cache_.Trim(); }

 private:
  absl::StatusOr<Opened> Load(RequestContext& context, const std::string& identifier,
                              const std::string& resolved) const;
  const LayerFormat* FormatFor(std::string_view resolved, std::string_view first_bytes) const;

  const std::shared_ptr<const Resolver> resolver_;
  const std::vector<LayerFormat> formats_;
  const Options options_;
  LruCache<std::string, Layer> cache_;  // by resolved path and version
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_

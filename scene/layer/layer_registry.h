#ifndef STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "resolver/resolver.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_format.h"
#include "scene/layer/layer_registry_options.h"

namespace stagedoor {

// Opens layers by asset path, each once per (asset, version), and shares them. Corresponds to
// OpenUSD's SdfLayer::FindOrOpen.
//
// Formats and the resolver are passed in by server/main and tests. Unused layers stay cached up to
// a byte budget. Thread-safe.
class LayerRegistry {
 public:
  using Options = LayerRegistryOptions;

  LayerRegistry(std::shared_ptr<const Resolver> resolver, std::vector<LayerFormat> formats,
                Options options);

  const Resolver& resolver() const { return *resolver_; }
  const LayerFormats& formats() const { return formats_; }

  // The identifier of an asset path that is authored in the layer `anchor`, which may be null. Here
  // and below, `resolver_context` is that of the stage for which the layer is used; stages share
  // layers that resolve to the same asset.
  std::string Identify(RequestContext& context, const ResolverContext& resolver_context,
                       std::string_view asset_path, const Layer* anchor) const;
  // Finds a cached layer or opens it. Errors name the asset: those of the resolver;
  // INVALID_ARGUMENT if no format reads the asset or it is malformed; DATA_LOSS if it is damaged or
  // keeps changing while it is read; RESOURCE_EXHAUSTED if it exceeds max_layer_bytes.
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const ResolverContext& resolver_context,
                                                    const std::string& identifier);
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const ResolverContext& resolver_context,
                                                    std::string_view asset_path,
                                                    const Layer* anchor);

  struct Opened {
    std::shared_ptr<const Layer> layer;
    uint64_t asset_bytes = 0;
  };
  // Opens a layer without using the cache, for callers that have their own cache.
  absl::StatusOr<Opened> OpenUncached(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      const std::string& identifier) const;

  LruCacheStats Stats() const { return cache_.Stats(); }
  // The memory of the cached layers, and the budget above which only layers in use are kept.
  size_t cached_bytes() const { return cache_.bytes(); }
  size_t max_cached_bytes() const { return cache_.max_bytes(); }
  // Evicts unused layers to stay within the budget.
  void Trim() { cache_.Trim(); }
  // Evicts all unused layers.
  void DropUnused() { cache_.DropUnpinned(); }

 private:
  absl::StatusOr<Opened> Load(RequestContext& context, const ResolverContext& resolver_context,
                              const std::string& identifier, const std::string& resolved,
                              RequestCosts::Kind kind) const;

  const std::shared_ptr<const Resolver> resolver_;
  const LayerFormats formats_;
  const Options options_;
  LruCache<std::string, Layer> cache_;  // by resolved path, version and identifier
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_REGISTRY_H_

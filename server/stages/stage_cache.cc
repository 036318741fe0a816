#include "server/stages/stage_cache.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

// A stage in which something is missing is looked at again after this time.
constexpr std::chrono::seconds kMissingAssetTtl{2};

LruCacheOptions CacheOptions(const StageCacheOptions& options) {
  LruCacheOptions cache;
  cache.max_bytes = options.max_bytes;
  cache.max_entries = options.max_idle_stages;
  cache.shards = 4;
  return cache;
}

absl::StatusOr<std::shared_ptr<const Layer>> OpenRoot(RequestContext& context,
                                                      LayerRegistry& layers,
                                                      const std::string& asset) {
  absl::StatusOr<std::shared_ptr<const Layer>> layer = layers.Open(context, asset, nullptr);
  if (!layer.ok()) return WithLayerReason(layer.status(), asset);
  return layer;
}

}  // namespace

StageCache::StageCache(const StageEnvironment& environment, const LayerFormat* text_format,
                       StageCacheOptions options, SourceWatch* sources)
    : environment_(environment),
      text_format_(text_format),
      sources_(sources),
      cache_(CacheOptions(options)) {}

absl::StatusOr<StageCache::Layers> StageCache::OpenLayers(RequestContext& context,
                                                          const StageRecipe& recipe) const {
  Layers layers;
  LayerRegistry& registry = *environment_.layers;
  SD_ASSIGN_OR_RETURN(layers.root, OpenRoot(context, registry, recipe.options.root));
  if (!recipe.session_content.empty()) {
    Layer::Info info{.identifier = "anon:session.usda", .format = "usda", .anonymous = true};
    const auto asset = PinnedAsset::Own(info.identifier, AssetVersion("1"), recipe.session_content);
    auto opened = text_format_->open(context, asset, std::move(info));
    if (!opened.ok()) return WithLayerReason(opened.status(), "session layer");
    layers.session = *std::move(opened);
  } else if (!recipe.options.session.empty()) {
    SD_ASSIGN_OR_RETURN(layers.session, OpenRoot(context, registry, recipe.options.session));
  }
  return layers;
}

absl::StatusOr<std::shared_ptr<const Stage>> StageCache::OpenStage(
    RequestContext& context, const StageRecipe& recipe, const StageSnapshot* before) const {
  const SourceCheck check(sources_);
  // What a file held that was overwritten cannot be compared with what it holds now.
  if (before != nullptr && !check.CheckLayers(before->stage()).ok()) before = nullptr;
  SD_ASSIGN_OR_RETURN(Layers layers, OpenLayers(context, recipe));
  auto stage = before ? Stage::Succeed(context, before->shared_stage(), recipe.options,
                                       std::move(layers.root), std::move(layers.session))
                      : Stage::Open(context, environment_, recipe.options, std::move(layers.root),
                                    std::move(layers.session));
  if (stage.ok()) SD_RETURN_IF_ERROR(check.CheckLayers(**stage));
  return stage;
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> StageCache::OpenEdited(
    RequestContext& context, const StageRecipe& recipe, const StageSnapshot& before) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Stage> stage, OpenStage(context, recipe, &before));
  return std::make_shared<const StageSnapshot>(++last_number_, std::move(stage));
}

absl::StatusOr<StageCache::Opened> StageCache::Open(RequestContext& context,
                                                    const StageRecipe& recipe) {
  const std::string key = recipe.Key();
  bool fresh = false;
  const auto load = [&]() -> absl::StatusOr<LruCache<std::string, StageSnapshot>::Loaded> {
    fresh = true;
    SD_ASSIGN_OR_RETURN(std::shared_ptr<const Stage> stage, OpenStage(context, recipe, nullptr));
    auto snapshot = std::make_shared<const StageSnapshot>(++last_number_, std::move(stage));
    const size_t bytes = snapshot->byte_size();
    return LruCache<std::string, StageSnapshot>::Loaded{std::move(snapshot), bytes};
  };
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const StageSnapshot> snapshot,
                      cache_.GetOrLoad(context, key, load));
  if (!fresh && IsStale(context, *snapshot)) {
    cache_.Erase(key);
    SD_ASSIGN_OR_RETURN(snapshot, cache_.GetOrLoad(context, key, load));
  }
  return Opened{std::move(snapshot), fresh};
}

std::vector<std::string> StageCache::ChangedLayers(RequestContext& context,
                                                   const StageSnapshot& snapshot) const {
  std::vector<std::string> changed;
  const Resolver& resolver = environment_.layers->resolver();
  for (const std::shared_ptr<const Layer>& layer : snapshot.stage().UsedLayers()) {
    const Layer::Info& info = layer->info();
    if (info.anonymous || info.resolved_path.empty()) continue;
    const auto version = resolver.GetVersion(context, info.resolved_path);
    if (!version.ok() || version->token() != info.version) changed.push_back(info.identifier);
  }
  return changed;
}

bool StageCache::IsStale(RequestContext& context, const StageSnapshot& snapshot) const {
  if (!ChangedLayers(context, snapshot).empty()) return true;
  const auto age = std::chrono::steady_clock::now() - snapshot.opened();
  return age > kMissingAssetTtl && snapshot.misses_assets();
}

}  // namespace stagedoor

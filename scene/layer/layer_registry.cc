#include "scene/layer/layer_registry.h"

#include <array>
#include <chrono>
#include <optional>

#include "base/interned_bytes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/fail_if_outage.h"
#include "scene/paths/path_scope.h"

namespace stagedoor {
namespace {

// Limit for attempts to read a file that changes while it is read.
constexpr int kMaxReads = 4;

}  // namespace

LayerRegistry::LayerRegistry(std::shared_ptr<const Resolver> resolver,
                             std::vector<LayerFormat> formats, Options options)
    : resolver_(std::move(resolver)),
      formats_(std::move(formats)),
      options_(std::move(options)),
      cache_(options_.cache) {}

std::string LayerRegistry::Identify(RequestContext& context,
                                    const ResolverContext& resolver_context,
                                    std::string_view asset_path, const Layer* anchor) const {
  return resolver_->CreateIdentifier(context, resolver_context, asset_path,
                                     anchor ? anchor->info().resolved_path : std::string_view());
}

absl::StatusOr<std::shared_ptr<const Layer>> LayerRegistry::Open(
    RequestContext& context, const ResolverContext& resolver_context, std::string_view asset_path,
    const Layer* anchor) {
  return Open(context, resolver_context, Identify(context, resolver_context, asset_path, anchor));
}

absl::StatusOr<std::shared_ptr<const Layer>> LayerRegistry::Open(
    RequestContext& context, const ResolverContext& resolver_context,
    const std::string& identifier) {
  SD_ASSIGN_OR_RETURN(const std::string resolved,
                      resolver_->Resolve(context, resolver_context, identifier));
  const absl::StatusOr<AssetVersion> version =
      resolver_->GetVersion(context, resolver_context, resolved);
  if (!version.ok()) return FailIfOutage(context, version.status());
  // As in OpenUSD, two identifiers of one file give two layers.
  const std::string key = Concat(resolved, '\0', version->token(), '\0', identifier);
  return cache_.GetOrLoad(
      context, key, [&]() -> absl::StatusOr<LruCache<std::string, Layer>::Loaded> {
        SD_ASSIGN_OR_RETURN(Opened opened, Load(context, resolver_context, identifier, resolved,
                                                RequestCosts::Kind::kLayerOpen));
        const size_t bytes = opened.layer->byte_size();
        return LruCache<std::string, Layer>::Loaded{std::move(opened.layer), bytes};
      });
}

absl::StatusOr<LayerRegistry::Opened> LayerRegistry::OpenUncached(
    RequestContext& context, const ResolverContext& resolver_context,
    const std::string& identifier) const {
  SD_ASSIGN_OR_RETURN(const std::string resolved,
                      resolver_->Resolve(context, resolver_context, identifier));
  return Load(context, resolver_context, identifier, resolved, RequestCosts::Kind::kClipOpen);
}

absl::StatusOr<LayerRegistry::Opened> LayerRegistry::Load(RequestContext& context,
                                                          const ResolverContext& resolver_context,
                                                          const std::string& identifier,
                                                          const std::string& resolved,
                                                          RequestCosts::Kind kind) const {
  const auto start = std::chrono::steady_clock::now();
  // Paths outlive the stage that opens the layer first. Those of a layer that a client has sent
  // must not stay for ever, so that layer keeps them, and its names leave room for those of files.
  const bool sent = resolver_context.FindLayer(resolved) != nullptr;
  const std::shared_ptr<PathScope> paths = sent ? PathScope::CreateSmall() : nullptr;
  const RequestScope::Guard guard(
      RequestScope::Current().WithContext(&context).WithOwner(paths.get()));
  std::optional<InternedBytes::ScopedHalfLimit> names;
  if (sent) names.emplace();
  const auto read = [&](const std::shared_ptr<const Asset>& asset) -> absl::StatusOr<Opened> {
    if (asset->size() > options_.max_layer_bytes) {
      return ResourceExhaustedError(resolved, ": ", asset->size(),
                                    " bytes exceed the layer size limit of ",
                                    options_.max_layer_bytes);
    }
    std::array<std::byte, 16> head;
    SD_ASSIGN_OR_RETURN(const size_t n, asset->Read(context, 0, head));
    const std::string_view first(reinterpret_cast<const char*>(head.data()), n);
    const LayerFormat* format = formats_.FindForReading(resolved, first);
    if (!format) return InvalidArgumentError(resolved, ": not a layer in any known format");
    Layer::Info info{.identifier = identifier,
                     .resolved_path = resolved,
                     .version = asset->version().token(),
                     .content_version = std::string(asset->version().content()),
                     .format = format->name};
    SD_ASSIGN_OR_RETURN(std::shared_ptr<const Layer> layer,
                        format->open(context, asset, std::move(info)));
    return Opened{std::move(layer), asset->size()};
  };
  for (int attempt = 1;; ++attempt) {
    SD_ASSIGN_OR_RETURN(const std::shared_ptr<const Asset> asset,
                        resolver_->OpenAsset(context, resolver_context, resolved));
    absl::StatusOr<Opened> opened = read(asset);
    // If the file changed meanwhile, the result is invalid, even if it is an error.
    absl::Status unchanged = asset->Check();
    const bool lost = opened.status().code() == absl::StatusCode::kDataLoss;
    if (unchanged.ok() && lost && asset->GetSparseBuffer() && attempt < kMaxReads) {
      // Perhaps its store has another version by now.
      const auto version = resolver_->GetVersion(context, resolver_context, resolved);
      if (version.ok() && *version != asset->version()) continue;
    }
    if (unchanged.ok() && IsReplaced(opened.status())) unchanged = opened.status();
    if (unchanged.ok()) {
      context.costs().Record(kind, resolved, asset->size(),
                             std::chrono::steady_clock::now() - start);
      return opened;
    }
    if (attempt == kMaxReads) {
      // A scene without a layer that is being written, that the disk does not deliver, or about
      // which the servers of a store disagree, is wrong.
      context.Fail(unchanged);
      return unchanged;
    }
  }
}

}  // namespace stagedoor

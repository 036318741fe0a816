#include "resolver/caching_resolver.h"

#include <utility>

#include "base/strings.h"
#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

LruCacheOptions CacheOptions(const CachingResolverOptions& options) {
  LruCacheOptions out;
  out.max_bytes = options.max_bytes;
  out.max_entries = options.max_entries;
  out.now = options.now;
  return out;
}

bool IsDefinitive(const absl::Status& status) {
  return status.ok() || status.code() == absl::StatusCode::kNotFound ||
         status.code() == absl::StatusCode::kPermissionDenied;
}

}  // namespace

CachingResolver::CachingResolver(std::shared_ptr<const Resolver> base,
                                 CachingResolverOptions options)
    : base_(std::move(base)), options_(std::move(options)), cache_(CacheOptions(options_)) {}

absl::StatusOr<std::string> CachingResolver::LookUp(
    RequestContext& context, const std::string& key,
    const std::function<absl::StatusOr<std::string>()>& load) const {
  using Loaded = LruCache<std::string, Answer>::Loaded;
  if (const auto known = cache_.Get(key); known != nullptr) {
    if (options_.now() < known->expiry) return known->path;
    cache_.Erase(key);
  }
  const auto answer = cache_.GetOrLoad(context, key, [&]() -> absl::StatusOr<Loaded> {
    absl::StatusOr<std::string> path = load();
    if (absl::Status alive = context.Check(); !alive.ok()) return alive;
    if (!IsDefinitive(path.status())) return path.status();
    // An identifier that stayed relative means that nothing was found beside the layer.
    const bool found = path.ok() && IsAbsoluteAssetPath(*path);
    const auto ttl = found ? options_.found_ttl : options_.missing_ttl;
    constexpr size_t kOverhead = 256;
    const size_t bytes = kOverhead + 2 * key.size() + (path.ok() ? path->size() : key.size());
    return Loaded{std::make_shared<Answer>(Answer{std::move(path), options_.now() + ttl}), bytes};
  });
  if (!answer.ok()) return answer.status();
  return (*answer)->path;
}

std::string CachingResolver::CreateIdentifier(RequestContext& context,
                                              const ResolverContext& resolver_context,
                                              std::string_view asset_path,
                                              std::string_view anchor) const {
  // Only identifiers of search paths depend on what exists; all others are computed from the text.
  if (!IsSearchAssetPath(asset_path))
    return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
  const std::string key =
      Concat('i', resolver_context.fingerprint(), '\0', AssetDirectory(anchor), '\0', asset_path);
  const auto identifier = LookUp(context, key, [&]() -> absl::StatusOr<std::string> {
    return base_->CreateIdentifier(context, resolver_context, asset_path, anchor);
  });
  return identifier.ok() ? *identifier : NormalizeAssetPath(asset_path);
}

absl::StatusOr<std::string> CachingResolver::Resolve(RequestContext& context,
                                                     const ResolverContext& resolver_context,
                                                     std::string_view identifier) const {
  return LookUp(context, Concat('r', resolver_context.fingerprint(), '\0', identifier),
                [&] { return base_->Resolve(context, resolver_context, identifier); });
}

absl::StatusOr<std::shared_ptr<const Asset>> CachingResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  return base_->OpenAsset(context, resolver_context, resolved_path);
}

absl::StatusOr<AssetVersion> CachingResolver::GetVersion(RequestContext& context,
                                                         const ResolverContext& resolver_context,
                                                         std::string_view resolved_path) const {
  return base_->GetVersion(context, resolver_context, resolved_path);
}

std::vector<absl::StatusOr<AssetVersion>> CachingResolver::GetVersions(
    RequestContext& context, const ResolverContext& resolver_context,
    std::span<const std::string> resolved_paths) const {
  return base_->GetVersions(context, resolver_context, resolved_paths);
}

}  // namespace stagedoor

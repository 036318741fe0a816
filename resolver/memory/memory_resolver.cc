#include "resolver/memory/memory_resolver.h"

#include <utility>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"

namespace stagedoor {

absl::Status MemoryResolver::Put(std::string_view name, std::string content) {
  SD_RETURN_IF_ERROR(CheckAssetPath(name));
  std::string path = NormalizeAssetPath(name);
  const std::string fingerprint = FingerprintOf(content);  // before the lock, as it takes a while
  std::shared_ptr<const Asset> replaced;                   // freed after the lock is released
  WriterMutexLock lock(mu_);
  const auto it = assets_.find(path);
  const size_t others = bytes_ - (it == assets_.end() ? 0 : it->second->size());
  if (content.size() > max_bytes_ || others > max_bytes_ - content.size()) {
    return ResourceExhaustedError(
        Quoted(path), ": ", content.size(),
        " bytes do not fit; assets in memory share a limit, in bytes, of ", max_bytes_);
  }
  bytes_ = others + content.size();
  AssetVersion version(Concat("memory:", fingerprint), Concat(++last_version_));
  auto asset = InMemoryAsset::FromString(path, std::move(version), std::move(content));
  replaced = std::exchange(assets_[path], std::move(asset));
  return absl::OkStatus();
}

void MemoryResolver::Remove(std::string_view name) {
  WriterMutexLock lock(mu_);
  const auto it = assets_.find(NormalizeAssetPath(name));
  if (it == assets_.end()) return;
  bytes_ -= it->second->size();
  assets_.erase(it);
}

size_t MemoryResolver::bytes() const {
  ReaderMutexLock lock(mu_);
  return bytes_;
}

absl::StatusOr<std::shared_ptr<const Asset>> MemoryResolver::Find(RequestContext& context,
                                                                  std::string_view name) const {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(CheckAssetPath(name));
  ReaderMutexLock lock(mu_);
  const auto it = assets_.find(NormalizeAssetPath(name));
  if (it == assets_.end()) return NotFoundError("asset ", Quoted(name), " is not in memory");
  return it->second;
}

std::string MemoryResolver::CreateIdentifier(RequestContext& context,
                                             const ResolverContext& resolver_context,
                                             std::string_view asset_path,
                                             std::string_view anchor) const {
  return CreateDefaultIdentifier(*this, context, resolver_context, asset_path, anchor);
}

absl::StatusOr<std::string> MemoryResolver::Resolve(RequestContext& context, const ResolverContext&,
                                                    std::string_view identifier) const {
  SD_ASSIGN_OR_RETURN(const auto asset, Find(context, identifier));
  return asset->name();
}

absl::StatusOr<std::shared_ptr<const Asset>> MemoryResolver::OpenAsset(
    RequestContext& context, const ResolverContext&, std::string_view resolved_path) const {
  return Find(context, resolved_path);
}

absl::StatusOr<AssetVersion> MemoryResolver::GetVersion(RequestContext& context,
                                                        const ResolverContext&,
                                                        std::string_view resolved_path) const {
  SD_ASSIGN_OR_RETURN(const auto asset, Find(context, resolved_path));
  return asset->version();
}

}  // namespace stagedoor

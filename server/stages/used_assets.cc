#include "server/stages/used_assets.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/fail_if_outage.h"

namespace stagedoor::server {
namespace {

// Bounds the size of one request to another machine, and how late a deadline is noticed.
constexpr size_t kMaxBatch = 256;

}  // namespace

std::vector<UsedAsset> UsedAssets(const Stage& stage) {
  std::vector<UsedAsset> assets;
  const ResolverContext& resolver_context = stage.options().resolver_context;
  for (const std::shared_ptr<const Layer>& layer : stage.UsedLayers()) {
    const Layer::Info& info = layer->info();
    if (info.anonymous || info.resolved_path.empty()) continue;
    if (resolver_context.FindLayer(info.resolved_path) != nullptr) continue;
    assets.push_back({info.identifier, info.resolved_path, info.version});
  }
  for (const ResolverContext::PinFile& file : resolver_context.read_pin_files()) {
    assets.push_back({file.identifier, file.resolved_path, file.version.token(), false});
  }
  return assets;
}

absl::StatusOr<std::vector<absl::StatusOr<AssetVersion>>> GetVersionsInBatches(
    RequestContext& context, const Resolver& resolver, const ResolverContext& resolver_context,
    std::span<const std::string> paths) {
  std::vector<absl::StatusOr<AssetVersion>> versions;
  versions.reserve(paths.size());
  while (!paths.empty()) {
    SD_RETURN_IF_ERROR(context.Check());
    const auto batch = paths.first(std::min(kMaxBatch, paths.size()));
    auto some = resolver.GetVersions(context, resolver_context, batch);
    SD_RETURN_IF_ERROR(context.Check());
    some.resize(batch.size(), UnavailableError("the version was not reported"));
    std::move(some.begin(), some.end(), std::back_inserter(versions));
    paths = paths.subspan(batch.size());
  }
  return versions;
}

absl::StatusOr<std::vector<bool>> FindChangedAssets(RequestContext& context,
                                                    const Resolver& resolver,
                                                    const ResolverContext& resolver_context,
                                                    std::span<const UsedAsset> assets,
                                                    absl::Status* unanswered) {
  std::vector<std::string> paths;
  paths.reserve(assets.size());
  for (const UsedAsset& asset : assets) paths.push_back(asset.path);
  SD_ASSIGN_OR_RETURN(const auto versions,
                      GetVersionsInBatches(context, resolver, resolver_context, paths));
  std::vector<bool> changed(assets.size());
  for (size_t i = 0; i < assets.size(); ++i) {
    const absl::Status& status = versions[i].status();
    if (IsWithoutAnswer(status)) {
      if (unanswered != nullptr) unanswered->Update(status);
      continue;
    }
    changed[i] = !status.ok() || versions[i]->token() != assets[i].version;
  }
  return changed;
}

}  // namespace stagedoor::server

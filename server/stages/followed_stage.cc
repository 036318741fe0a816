#include "server/stages/followed_stage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/fail_if_outage.h"

namespace stagedoor::server {
namespace {

// Bounds what a broken scene makes us watch.
constexpr size_t kMaxMissing = 100000;

std::string OutermostPath(const std::string& path) {
  return SplitPackageRelativePathOuter(path).first;
}

// Adds where an asset would be that was looked for as `identifier`.
void AddPlaces(const ResolverContext& resolver_context,
               const std::vector<std::string>& search_paths, const std::string& identifier,
               std::set<std::string>* places) {
  const auto add = [&](const std::string& place) {
    const std::string* pin = resolver_context.FindPin(place);
    if (places->size() < kMaxMissing) places->insert(pin != nullptr ? *pin : place);
  };
  if (!IsSearchAssetPath(identifier)) return add(identifier);
  for (const auto* directories : {&resolver_context.search_paths(), &search_paths}) {
    for (const std::string& directory : *directories) {
      add(NormalizeAssetPath(Concat(directory, "/", identifier)));
    }
  }
}

std::vector<std::string> MissingOf(const Stage& stage,
                                   const std::vector<std::string>& search_paths) {
  std::set<std::string> places;
  stage.VisitErrors([&](const CompositionError& error) {
    for (const std::string& identifier : error.places) {
      AddPlaces(stage.options().resolver_context, search_paths, identifier, &places);
    }
    return true;
  });
  return {places.begin(), places.end()};
}

}  // namespace

FollowedStage::FollowedStage(const StageSnapshot& snapshot,
                             const std::vector<std::string>& search_paths, Tried tried)
    : used_(UsedAssets(snapshot.stage())),
      missing_(MissingOf(snapshot.stage(), search_paths)),
      tried_(std::move(tried)) {
  std::erase_if(tried_, [&](const auto& entry) {
    return !std::binary_search(missing_.begin(), missing_.end(), entry.first);
  });
  std::map<std::string, std::string> versions;
  for (const std::string& path : missing_) {
    const auto known = tried_.find(path);
    versions.emplace(OutermostPath(path), known == tried_.end() ? "" : known->second);
  }
  for (const UsedAsset& asset : used_) {
    // The version of a file in a package is not that of the package, which is not known here.
    const bool in_package = IsPackageRelativePath(asset.path);
    versions[OutermostPath(asset.path)] = in_package ? "unknown" : asset.version;
  }
  for (auto& [path, version] : versions) watched_.push_back({path, std::move(version)});
}

absl::StatusOr<FollowedStage::Changes> FollowedStage::FindChanges(
    RequestContext& context, LayerRegistry& layers, const ResolverContext& resolver_context) const {
  Changes changes{.tried = tried_};
  SD_ASSIGN_OR_RETURN(
      const std::vector<bool> changed,
      FindChangedAssets(context, layers.resolver(), resolver_context, used_, &changes.unanswered));
  for (size_t i = 0; i < used_.size(); ++i) {
    if (changed[i]) changes.used.push_back(used_[i]);
  }
  SD_ASSIGN_OR_RETURN(const auto versions,
                      GetVersionsInBatches(context, layers.resolver(), resolver_context, missing_));
  for (size_t i = 0; i < missing_.size(); ++i) {
    const std::string& path = missing_[i];
    if (!versions[i].ok()) {
      if (IsWithoutAnswer(versions[i].status())) changes.unanswered.Update(versions[i].status());
      if (absl::IsNotFound(versions[i].status())) changes.tried.erase(path);
      continue;
    }
    // An asset that exists and cannot be read is tried once at each version.
    std::string& tried = changes.tried[path];
    if (std::exchange(tried, versions[i]->token()) == versions[i]->token()) continue;
    changes.found |= layers.Open(context, resolver_context, path).ok();
    SD_RETURN_IF_ERROR(context.Check());
  }
  return changes;
}

namespace {

// The layers of changed assets at their new versions.
struct NewLayers {
  std::vector<std::shared_ptr<const Layer>> opened;
  std::map<std::string, absl::Status> unreadable;  // exist but cannot be read, by identifier
  bool any_deleted = false;
};

NewLayers OpenNewLayers(RequestContext& context, LayerRegistry& layers,
                        const ResolverContext& resolver_context,
                        const std::vector<UsedAsset>& changed) {
  NewLayers result;
  for (const UsedAsset& asset : changed) {
    if (!asset.is_layer) continue;
    auto layer = layers.Open(context, resolver_context, asset.identifier);
    if (layer.ok()) {
      result.opened.push_back(*std::move(layer));
    } else if (absl::IsNotFound(layer.status())) {
      result.any_deleted = true;
    } else {
      result.unreadable.emplace(asset.identifier, layer.status());
    }
  }
  return result;
}

// The first of these errors that composition met. Layers that the stage does not use any more do
// not matter.
absl::Status ErrorAmong(const std::map<std::string, absl::Status>& unreadable, const Stage& stage) {
  absl::Status met;
  if (unreadable.empty()) return met;
  stage.VisitErrors([&](const CompositionError& error) {
    for (const std::string& place : error.places) {
      const auto it = unreadable.find(place);
      if (it != unreadable.end()) met = it->second;
    }
    return met.ok();
  });
  return met;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const StageSnapshot>> ReopenChanged(
    RequestContext& context, StageCache& cache, const StageKey& stage_key,
    const StageSnapshot& before, const FollowedStage::Changes& changes) {
  LayerRegistry& layers = *cache.environment().layers;
  const ResolverContext& resolver_context = before.stage().options().resolver_context;
  // Held until composition has found them in the registry.
  const NewLayers now = OpenNewLayers(context, layers, resolver_context, changes.used);
  SD_RETURN_IF_ERROR(context.Check());
  // Unless something else has changed, the stage still uses them: composing it would be in vain.
  if (!now.unreadable.empty() && now.opened.empty() && !now.any_deleted && !changes.found) {
    return now.unreadable.begin()->second;
  }
  SD_ASSIGN_OR_RETURN(auto snapshot, cache.Reopen(context, stage_key, before));
  SD_RETURN_IF_ERROR(ErrorAmong(now.unreadable, snapshot->stage()));
  // An asset that is unchanged now was unchanged when composition opened it, as no version comes
  // back.
  std::vector<UsedAsset> expected;
  for (const auto& layer : now.opened) {
    const Layer::Info& info = layer->info();
    expected.push_back({info.identifier, info.resolved_path, info.version});
  }
  SD_ASSIGN_OR_RETURN(const std::vector<bool> changed,
                      FindChangedAssets(context, layers.resolver(), resolver_context, expected));
  const auto again = std::find(changed.begin(), changed.end(), true);
  if (again == changed.end()) return snapshot;
  const UsedAsset& asset = expected[static_cast<size_t>(again - changed.begin())];
  return AbortedError(Quoted(asset.identifier), " keeps changing while it is opened");
}

}  // namespace stagedoor::server

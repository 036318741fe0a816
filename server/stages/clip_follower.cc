#include "server/stages/clip_follower.h"

#include <map>
#include <unordered_set>
#include <utility>

#include "resolver/asset_path.h"

namespace stagedoor::server {

size_t ClipFollower::NoteChanges(const AssetChanges& changes) {
  MutexLock lock(mu_);
  if (changes.all) {
    changed_ = watched_;
    return changed_.size();
  }
  size_t count = 0;
  for (const std::string& path : changes.paths) {
    if (!watched_.contains(path)) continue;
    changed_.insert(path);
    ++count;
  }
  return count;
}

ClipFollower::Difference ClipFollower::Compare(bool follow) {
  Difference difference;
  std::map<std::string, std::string> open;  // versions by path
  if (follow) {
    for (ClipCache::OpenAsset& asset : cache_->OpenAssets()) {
      auto [path, inside] = SplitPackageRelativePathOuter(asset.resolved_path);
      // The version of a file in a package is not that of the package, which is not known here.
      open.emplace(std::move(path), inside.empty() ? std::move(asset.version) : "unknown");
    }
  }
  MutexLock lock(mu_);
  for (const auto& [path, version] : open) {
    if (watched_.insert(path).second) difference.added.push_back({path, version});
  }
  std::erase_if(watched_, [&](const std::string& path) {
    if (open.contains(path)) return false;
    difference.removed.push_back(path);
    return true;
  });
  return difference;
}

void ClipFollower::Update(RequestContext& context, bool follow) {
  if (cache_ == nullptr) return;
  const auto clock = follow ? std::optional<uint32_t>(cache_->clock()) : std::nullopt;
  std::unordered_set<std::string> refresh;
  bool same;
  {
    MutexLock lock(mu_);
    for (const std::string& path : std::exchange(changed_, {})) refresh.insert(path);
    same = std::exchange(clock_, clock) == clock;
  }
  if (!same) {
    const Difference difference = Compare(follow);
    source_.Watch(difference.added);
    source_.Unwatch(difference.removed);
    // A clip may have changed between its opening and the watch.
    for (const WatchedAsset& asset : difference.added) refresh.insert(asset.path);
  }
  if (!refresh.empty()) cache_->Refresh(context, &refresh);
}

}  // namespace stagedoor::server

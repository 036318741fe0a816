#include "resolver/remote/remote_change_source.h"

#include <utility>

#include "resolver/asset_path.h"

namespace stagedoor {

void RemoteChangeSource::Start(Callback callback) {
  callback_ = std::move(callback);
  watch_ = backend_.Watch([this](const RemoteWatch::Change& change) { Report(change); });
}

std::vector<WatchedAsset> RemoteChangeSource::Watch(std::span<const WatchedAsset> assets) {
  std::vector<WatchedAsset> refused;
  const bool active = watch_ != nullptr && watch_->active();
  MutexLock lock(mu_);
  for (const WatchedAsset& asset : assets) {
    if (active && UriScheme(asset.path) == scheme_) {
      ++watched_[asset.path];
    } else {
      refused.push_back(asset);
    }
  }
  return refused;
}

void RemoteChangeSource::Unwatch(std::span<const std::string> paths) {
  MutexLock lock(mu_);
  for (const std::string& path : paths) {
    const auto it = watched_.find(path);
    if (it != watched_.end() && --it->second == 0) watched_.erase(it);
  }
}

ChangeSource::Stats RemoteChangeSource::GetStats() const {
  MutexLock lock(mu_);
  return {.watched = watched_.size(), .polled = 0};
}

void RemoteChangeSource::Report(const RemoteWatch::Change& change) {
  AssetChanges changes{.all = change.everything, .paths = {}};
  forget_({.all = change.everything, .paths = change.paths});
  {
    MutexLock lock(mu_);
    for (const std::string& path : change.paths) {
      if (watched_.contains(path)) changes.paths.push_back(path);
    }
  }
  if (changes.all || !changes.paths.empty()) callback_(changes);
}

}  // namespace stagedoor

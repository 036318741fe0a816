#include "resolver/change_source_chain.h"

#include <iterator>
#include <unordered_set>

namespace stagedoor {

void ChangeSourceChain::Start(Callback callback) {
  for (const auto& source : sources_) {
    source->Start([this, callback](const AssetChanges& changes) {
      MutexLock lock(callback_mu_);
      callback(changes);
    });
  }
}

std::vector<WatchedAsset> ChangeSourceChain::Watch(std::span<const WatchedAsset> assets) {
  std::vector<std::vector<WatchedAsset>> known(sources_.size());
  std::vector<WatchedAsset> left;
  MutexLock lock(mu_);
  for (const WatchedAsset& asset : assets) {
    const auto it = places_.find(asset.path);
    (it == places_.end() ? left : known[it->second.source]).push_back(asset);
  }
  for (size_t i = 0; i < sources_.size(); ++i) {
    std::vector<WatchedAsset> offered = std::move(known[i]);
    std::move(left.begin(), left.end(), std::back_inserter(offered));
    left.clear();
    if (offered.empty()) continue;
    std::vector<WatchedAsset> refused = sources_[i]->Watch(offered);
    std::unordered_set<std::string> refused_paths;
    for (const WatchedAsset& asset : refused) refused_paths.insert(asset.path);
    for (const WatchedAsset& asset : offered) {
      if (refused_paths.contains(asset.path)) continue;
      ++places_.try_emplace(asset.path, Place{i, 0}).first->second.count;
    }
    left = std::move(refused);
  }
  return left;
}

void ChangeSourceChain::Unwatch(std::span<const std::string> paths) {
  std::vector<std::vector<std::string>> by_source(sources_.size());
  MutexLock lock(mu_);
  for (const std::string& path : paths) {
    const auto it = places_.find(path);
    if (it == places_.end()) continue;
    by_source[it->second.source].push_back(path);
    if (--it->second.count == 0) places_.erase(it);
  }
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (!by_source[i].empty()) sources_[i]->Unwatch(by_source[i]);
  }
}

ChangeSource::Stats ChangeSourceChain::GetStats() const {
  Stats all;
  for (const auto& source : sources_) {
    const Stats stats = source->GetStats();
    all.watched += stats.watched;
    all.polled += stats.polled;
  }
  return all;
}

std::vector<std::string> ChangeSourceChain::TakeProblems() {
  std::vector<std::string> all;
  for (const auto& source : sources_) {
    for (std::string& problem : source->TakeProblems()) all.push_back(std::move(problem));
  }
  return all;
}

}  // namespace stagedoor

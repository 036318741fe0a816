#include "asset_blocks.h"

#include <iterator>

namespace stagedoor::openusd {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 20;

}  // namespace

AssetBlocks& AssetBlocks::OfProcess() {
  static AssetBlocks* const kBlocks = new AssetBlocks;
  return *kBlocks;
}

AssetBlocks::Asset AssetBlocks::NewAsset() {
  const std::lock_guard<std::mutex> lock(mu_);
  return ++last_;
}

AssetBlocks::Bytes AssetBlocks::Find(Asset asset, uint64_t index) {
  const std::lock_guard<std::mutex> lock(mu_);
  const auto found = by_key_.find({asset, index});
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->bytes;
}

void AssetBlocks::Store(Asset asset, uint64_t index, const Bytes& bytes) {
  Entries erased;  // destroyed after the lock is released
  const std::lock_guard<std::mutex> lock(mu_);
  const Key key(asset, index);
  if (by_key_.find(key) != by_key_.end()) return;
  entries_.push_front({key, bytes});
  by_key_[key] = entries_.begin();
  bytes_ += bytes->data().size();
  while (bytes_ > kMaxBytes) Erase(std::prev(entries_.end()), &erased);
}

void AssetBlocks::Remove(Asset asset) {
  Entries erased;  // destroyed after the lock is released
  const std::lock_guard<std::mutex> lock(mu_);
  for (auto next = by_key_.lower_bound({asset, 0});
       next != by_key_.end() && next->first.first == asset;) {
    Erase((next++)->second, &erased);
  }
}

void AssetBlocks::Erase(Entries::iterator entry, Entries* erased) {
  bytes_ -= entry->bytes->data().size();
  by_key_.erase(entry->key);
  erased->splice(erased->end(), entries_, entry);
}

}  // namespace stagedoor::openusd

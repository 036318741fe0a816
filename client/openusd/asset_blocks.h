#ifndef STAGEDOOR_CLIENT_OPENUSD_ASSET_BLOCKS_H_
#define STAGEDOOR_CLIENT_OPENUSD_ASSET_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "asset_source.h"

namespace stagedoor::openusd {

// Blocks of bytes of all open assets, the least recently used ones evicted above a limit: a stage
// has thousands of binary layers open, from which values are read now and then. Thread-safe.
class AssetBlocks {
 public:
  using Bytes = std::shared_ptr<const AssetReply>;
  using Asset = uint64_t;  // names an open asset

  // Those of this process, up to 256 MiB. Never destroyed, as the layers that use them.
  static AssetBlocks& OfProcess();

  Asset NewAsset();
  // Null if the block is not held.
  Bytes Find(Asset asset, uint64_t index);
  void Store(Asset asset, uint64_t index, const Bytes& bytes);
  void Remove(Asset asset);

 private:
  using Key = std::pair<Asset, uint64_t>;
  struct Entry {
    Key key;
    Bytes bytes;
  };
  using Entries = std::list<Entry>;

  AssetBlocks() = default;
  void Erase(Entries::iterator entry, Entries* erased);

  std::mutex mu_;  // guards what follows
  Asset last_ = 0;
  Entries entries_;  // the most recently used first
  std::map<Key, Entries::iterator> by_key_;
  size_t bytes_ = 0;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ASSET_BLOCKS_H_

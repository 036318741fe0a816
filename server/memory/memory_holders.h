// MemoryHolders: the one list of the caches of a daemon that can give memory back.
#ifndef STAGEDOOR_SERVER_MEMORY_MEMORY_HOLDERS_H_
#define STAGEDOOR_SERVER_MEMORY_MEMORY_HOLDERS_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/memory/memory_pressure.h"

namespace stagedoor {
class RemoteBackends;
}

namespace stagedoor::server {

class FrameMemory;
class PathSetStore;
class StageCache;

// A cache, and how to free what nobody uses of it at the moment.
struct MemoryHolder {
  struct Size {
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };

  std::string_view name;       // as in CacheStatistics and the metrics
  std::function<Size()> size;  // of everything in it
  std::function<void()> drop;  // does not wait for objects that another thread destroys
  // Drops, and waits until that is done; the context's error if it comes first. Null if `drop`
  // leaves nothing to wait for.
  std::function<absl::Status(RequestContext&)> drop_and_wait = nullptr;
  std::string_view holds = {};  // the holder whose entries it keeps in use, if any
  bool keeps_assets = false;    // whether its entries keep assets open
  bool holds_memory = true;     // whether MemoryPressure empties it

  absl::Status Release(RequestContext& context) const;
};

// Used by all who need memory back: an administrator (EvictCaches), MemoryPressure, and the cache
// of remote assets. What a budget evicts to stay within its own limit is its owner's business and
// not listed here (docs/memory.md).
//
// Thread-safe. The caches must outlive it and the functions that it returns.
class MemoryHolders {
 public:
  // `remote` may be null, in which case no asset is remote.
  MemoryHolders(StageCache& stages, PathSetStore& path_sets, FrameMemory& frames,
                const RemoteBackends* remote);

  // Those that hold entries of others come first.
  const std::vector<MemoryHolder>& all() const { return holders_; }

  // The steps of MemoryPressure, from last to first of all(), since what is cheapest to have again
  // comes last there. A step also drops what its holder has kept in use.
  std::vector<MemoryPressure::Step> PressureSteps() const;

  // Drops whatever keeps assets open without being used. Does not wait.
  void DropAssets() const;

 private:
  void AddClips(StageCache& stages);
  void AddRemote(const RemoteBackends* remote);

  std::vector<MemoryHolder> holders_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MEMORY_MEMORY_HOLDERS_H_

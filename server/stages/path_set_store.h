#ifndef STAGEDOOR_SERVER_STAGES_PATH_SET_STORE_H_
#define STAGEDOOR_SERVER_STAGES_PATH_SET_STORE_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/memory_pool.h"
#include "base/request_context.h"

namespace stagedoor::server {

// The lists of paths that clients have named, so that they need not send them with each request
// (QueryService.DefinePaths). A list is kept until it is evicted: it is charged to the budget of
// stages, and those that were not used for longest go first. Thread-safe.
class PathSetStore {
 public:
  struct Options {
    size_t max_bytes = size_t{256} << 20;  // of all lists; at most an eighth of the pool's limit
    size_t max_entries = 10'000;
  };

  // `pool` may be null, in which case nothing is charged.
  PathSetStore(std::shared_ptr<MemoryPool> pool, Options options);

  using Paths = std::vector<std::string>;
  using Pointer = std::shared_ptr<const Paths>;

  // Keeps the paths for a caller, and returns the name of the list: 16 bytes, the same for equal
  // lists. RESOURCE_EXHAUSTED: REQUEST_TOO_LARGE if the list would fill more than half of the
  // store, BUDGET_EXHAUSTED if the pool or the store is full of what is in use.
  absl::StatusOr<std::string> Define(RequestContext& context, std::string_view caller,
                                     const google::protobuf::RepeatedPtrField<std::string>& paths);

  // The list of this name that the caller has defined; null if it is not known. It is not evicted
  // while the pointer is held.
  Pointer Find(std::string_view caller, std::string_view name);

  // Evicts all lists that no call uses.
  void Evict() { sets_.DropUnpinned(); }

  LruCacheStats Stats() const { return sets_.Stats(); }

 private:
  const std::shared_ptr<MemoryPool> pool_;
  LruCache<std::string, Paths> sets_;  // by name and caller
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_PATH_SET_STORE_H_

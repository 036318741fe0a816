#ifndef STAGEDOOR_RESOLVER_STORE_CACHE_DIRECTORY_H_
#define STAGEDOOR_RESOLVER_STORE_CACHE_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "resolver/store/cached_object.h"

namespace stagedoor {

// The directory of a disk cache, which several processes may use. For each version of an object
// that was fetched, it has a data file, which is sparse, and an index file (BlockIndex); for each
// object, a file that says which version was current when (ObjectCatalog). Thread-safe.
class CacheDirectory {
 public:
  // Uses an existing directory, or creates it, with rights for its user only. PERMISSION_DENIED,
  // UNAVAILABLE or RESOURCE_EXHAUSTED if that fails.
  static absl::StatusOr<CacheDirectory> Create(const std::string& path);
  // Uses an existing directory. NOT_FOUND if there is none; PERMISSION_DENIED if others may write
  // to it.
  static absl::StatusOr<CacheDirectory> Open(const std::string& path);

  const std::string& path() const { return path_; }
  // Where the files of an object are. The names depend on nothing but the object.
  std::string DataPath(const CachedObject& object) const;
  std::string IndexPath(const CachedObject& object) const;
  std::string CatalogPath(std::string_view object_path) const;

  struct Entry {
    std::string name;         // of its files in the directory, without extension
    uint64_t disk_bytes = 0;  // that its files occupy
    timespec last_use{};
  };
  // The objects in the cache, least recently used first, and the bytes of all files together.
  struct Listing {
    std::vector<Entry> entries;
    uint64_t disk_bytes = 0;
  };
  absl::StatusOr<Listing> List() const;

  struct Details {
    CachedObject object;
    uint64_t present_bytes = 0;
    uint64_t damaged_bytes = 0;  // of blocks that do not have their checksums; counted by Verify
  };
  // The details in the index of an entry. DATA_LOSS if it is damaged.
  absl::StatusOr<Details> Describe(const Entry& entry) const;
  // As Describe, after reading all blocks. Damaged ones are removed from the index, so that they
  // will be fetched again.
  absl::StatusOr<Details> Verify(const Entry& entry) const;

  // Removes an entry. False if a process uses it.
  bool Remove(const Entry& entry) const;
  // Removes the files of an object that are damaged, even if they are in use.
  void Discard(const CachedObject& object) const;
  // Removes least recently used entries that no process uses until at most `max_bytes` remain,
  // unless another process is doing so for long. Returns the bytes that remain, and counts the
  // entries.
  absl::StatusOr<uint64_t> EvictTo(uint64_t max_bytes, uint64_t* evicted) const;

 private:
  explicit CacheDirectory(std::string path) : path_(std::move(path)) {}
  absl::StatusOr<Details> Examine(const Entry& entry, bool read_blocks) const;

  std::string path_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_CACHE_DIRECTORY_H_

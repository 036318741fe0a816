#ifndef STAGEDOOR_RESOLVER_STORE_CACHED_OBJECT_H_
#define STAGEDOOR_RESOLVER_STORE_CACHED_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace stagedoor {

// The unit in which objects are fetched and kept, in bytes. It is a compromise: a value of a clip
// mostly lies in one or two blocks, and a block costs little more to fetch than a round trip.
inline constexpr uint64_t kBlockBytes = 16 << 10;

// The content of a cache file: one version of one object.
struct CachedObject {
  std::string path;     // the resolved path
  std::string version;  // AssetVersion::token
  uint64_t size = 0;

  uint64_t block_count() const { return (size + kBlockBytes - 1) / kBlockBytes; }
  // The size of a block; less than kBlockBytes only for the last one.
  uint64_t block_size(uint64_t block) const {
    return block + 1 < block_count() ? kBlockBytes : size - block * kBlockBytes;
  }
  friend bool operator==(const CachedObject&, const CachedObject&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_CACHED_OBJECT_H_

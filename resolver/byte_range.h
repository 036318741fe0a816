#ifndef STAGEDOOR_RESOLVER_BYTE_RANGE_H_
#define STAGEDOOR_RESOLVER_BYTE_RANGE_H_

#include <cstdint>

namespace stagedoor {

// The bytes from `offset` up to offset + size, without the latter.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;

  uint64_t end() const { return offset + size; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_BYTE_RANGE_H_

#ifndef STAGEDOOR_RESOLVER_FILE_CONTENT_HASH_H_
#define STAGEDOOR_RESOLVER_FILE_CONTENT_HASH_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor {

// Which bytes of a file are hashed.
enum class HashExtent {
  kSample,  // the beginning, the end, where crates and packages have their tables, and some between
  kWhole,
};

// Files up to this size are hashed as a whole, which takes less time than reading a layer from
// them.
inline constexpr uint64_t kWholeHashBytes = uint64_t{1} << 20;

// kWhole for files up to kWholeHashBytes.
constexpr HashExtent ExtentFor(uint64_t size) {
  return size <= kWholeHashBytes ? HashExtent::kWhole : HashExtent::kSample;
}

// 32 hexadecimal digits made from the bytes of an open file of `size` bytes, and from their number.
// Equal on every machine. Not made to resist somebody who looks for two files with the same
// hash. A file that is shorter by now is hashed as far as it goes. UNAVAILABLE, naming `path`, if
// it cannot be read; otherwise the errors of the context.
absl::StatusOr<std::string> HashFile(RequestContext& context, int fd, const std::string& path,
                                     uint64_t size, HashExtent extent);

// The hash that HashFile returns for a file with these bytes.
std::string HashOfBytes(std::span<const std::byte> bytes, HashExtent extent);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_CONTENT_HASH_H_

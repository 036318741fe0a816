#include "resolver/file/content_hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/status_macros.h"
#include "resolver/byte_range.h"
#include "resolver/file/open_error.h"
#include "xxhash.h"

namespace stagedoor {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr uint64_t kEnd = 64 << 10;      // bytes of a sample that are at the end of the file
constexpr uint64_t kBlocksBetween = 30;  // and blocks in front of them
constexpr uint64_t kPiece = 256 << 10;   // bytes between two looks at the deadline

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

class Hasher {
 public:
  Hasher() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }
  void Add(const void* bytes, size_t size) { XXH3_128bits_update(state_.get(), bytes, size); }
  std::string Finish() const {
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state_.get()));
    return absl::BytesToHexString(
        {reinterpret_cast<const char*>(digest.digest), sizeof(digest.digest)});
  }

 private:
  const std::unique_ptr<XXH3_state_t, FreeState> state_;
};

std::vector<ByteRange> RangesOf(uint64_t size, HashExtent extent) {
  if (extent == HashExtent::kWhole || size <= kEnd + (kBlocksBetween + 1) * kBlock) {
    return {{0, size}};
  }
  std::vector<ByteRange> ranges;
  const uint64_t step = (size - kEnd) / kBlocksBetween / kBlock * kBlock;
  for (uint64_t i = 0; i < kBlocksBetween; ++i) ranges.push_back({i * step, kBlock});
  ranges.push_back({size - kEnd, kEnd});
  return ranges;
}

}  // namespace

absl::StatusOr<std::string> HashFile(RequestContext& context, int fd, const std::string& path,
                                     uint64_t size, HashExtent extent) {
  const std::vector<ByteRange> ranges = RangesOf(size, extent);
  if (ranges.size() > 1) {  // so that the system fetches them all at once
    for (const ByteRange& range : ranges) {
      (void)posix_fadvise(fd, static_cast<off_t>(range.offset), static_cast<off_t>(range.size),
                          POSIX_FADV_WILLNEED);
    }
  }
  Hasher hasher;
  std::vector<char> buffer(std::min(size, kPiece));
  for (const ByteRange& range : ranges) {
    for (uint64_t done = 0; done < range.size;) {
      SD_RETURN_IF_ERROR(context.Check());
      const size_t wanted = std::min<uint64_t>(buffer.size(), range.size - done);
      const ssize_t count =
          pread(fd, buffer.data(), wanted, static_cast<off_t>(range.offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return ReadError(path, errno);
      if (count == 0) break;
      hasher.Add(buffer.data(), static_cast<size_t>(count));
      done += static_cast<uint64_t>(count);
    }
  }
  return hasher.Finish();
}

std::string HashOfBytes(std::span<const std::byte> bytes, HashExtent extent) {
  Hasher hasher;
  for (const ByteRange& range : RangesOf(bytes.size(), extent)) {
    hasher.Add(bytes.data() + range.offset, range.size);
  }
  return hasher.Finish();
}

}  // namespace stagedoor

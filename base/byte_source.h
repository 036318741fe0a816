#ifndef STAGEDOOR_BASE_BYTE_SOURCE_H_
#define STAGEDOOR_BASE_BYTE_SOURCE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor {

// A stream of bytes that are generated while they are read, so that unread parts take no memory.
// Plays the role of protobuf's ZeroCopyInputStream.
//
// Not thread-safe. The function that makes a source states what it is made from, and whether that
// must outlive it.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Appends about `bytes` bytes to `out`: more if something small cannot be split, and at least one
  // if any are left. Returns false at the end. The source must not be used after an error.
  virtual absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) = 0;
};

using ByteSourcePtr = std::unique_ptr<ByteSource>;

// A named file of a set. `open` is called when the file's turn comes; every call yields the same
// bytes.
struct GeneratedFile {
  std::string name;
  std::function<absl::StatusOr<ByteSourcePtr>(RequestContext&)> open;
};

// A source of bytes that are already in memory.
class MemoryByteSource final : public ByteSource {
 public:
  explicit MemoryByteSource(std::string bytes)
      : owned_(std::make_shared<const std::string>(std::move(bytes))), left_(*owned_) {}
  // `pin` keeps `bytes` alive.
  MemoryByteSource(std::string_view bytes, std::shared_ptr<const void> pin)
      : pin_(std::move(pin)), left_(bytes) {}

  absl::StatusOr<bool> Next(RequestContext&, size_t bytes, std::string* out) override {
    if (left_.empty()) return false;
    const std::string_view piece = left_.substr(0, bytes);
    out->append(piece);
    left_.remove_prefix(piece.size());
    return true;
  }

 private:
  const std::shared_ptr<const std::string> owned_;
  const std::shared_ptr<const void> pin_;
  std::string_view left_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_BYTE_SOURCE_H_

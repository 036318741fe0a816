#ifndef STAGEDOOR_RESOLVER_SPARSE_BYTES_H_
#define STAGEDOOR_RESOLVER_SPARSE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "resolver/byte_range.h"

namespace stagedoor {

// The content of an asset of which parts are fetched when they are asked for. All bytes have their
// address from the beginning, but those that are absent read as zeros or garbage.
//
// Thread-safe. Bytes that are present stay so and never change.
class SparseBytes {
 public:
  virtual ~SparseBytes() = default;

  // The whole content, present or not. Mapped as long as this object lives.
  virtual std::span<const std::byte> bytes() const = 0;
  // Whether the range, which must lie within the content, is present. Does no I/O.
  virtual bool Has(ByteRange range) const = 0;
  // Makes the ranges present, which must lie within the content. Blocks while they are fetched.
  // Errors name the asset: DATA_LOSS if the content was changed where it is stored, UNAVAILABLE,
  // RESOURCE_EXHAUSTED (no room to keep them), and those of the context.
  virtual absl::Status Ensure(RequestContext& context, std::span<const ByteRange> ranges) const = 0;
  // UNAVAILABLE once bytes that were present cannot be read any more, because the disk failed or
  // somebody truncated the file. Then nothing that was read since the last check is to be trusted.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// A part of the content of a SparseBytes, which it keeps alive; for example a file in a package.
// Offsets count from the beginning of the part.
class SparseView {
 public:
  SparseView(std::shared_ptr<const SparseBytes> whole, ByteRange part)
      : whole_(std::move(whole)), part_(part) {}

  uint64_t size() const { return part_.size; }
  std::span<const std::byte> bytes() const {
    return whole_->bytes().subspan(part_.offset, part_.size);
  }
  const std::shared_ptr<const SparseBytes>& whole() const { return whole_; }

  SparseView Part(ByteRange range) const {
    return {whole_, {part_.offset + range.offset, range.size}};
  }
  bool Has(ByteRange range) const { return whole_->Has({part_.offset + range.offset, range.size}); }
  absl::Status Ensure(RequestContext& context, std::vector<ByteRange> ranges) const {
    for (ByteRange& range : ranges) range.offset += part_.offset;
    return whole_->Ensure(context, ranges);
  }

 private:
  std::shared_ptr<const SparseBytes> whole_;
  ByteRange part_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_SPARSE_BYTES_H_

#ifndef STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_
#define STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "resolver/byte_range.h"
#include "scene/usdc/sparse_source.h"
#include "scene/values/ref_counted.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

// The bytes of a crate file, from which values are decoded.
//
// A mapped file may be overwritten while a layer of it is open. Copy always gives the content that
// was opened: the first read of a block copies it and checks that the file has not changed, and
// later reads use the copy. Large reads use the mapped bytes directly, and the reader calls Check
// afterwards. Immutable bytes, which are not owned by a SourceBytes, are read in place.
//
// Bytes of a SparseSource must be requested (Require, Fetch) before they are read.
//
// Thread-safe.
class CrateBytes {
 public:
  // `owner` keeps `bytes` alive. It may be null, in which case `bytes` must outlive the object.
  CrateBytes(std::span<const std::byte> bytes, RefPtr<const RefCounted> owner);
  ~CrateBytes();
  CrateBytes(const CrateBytes&) = delete;
  CrateBytes& operator=(const CrateBytes&) = delete;

  // The bytes as they are now, which may differ from what was opened.
  std::span<const std::byte> now() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  const RefPtr<const RefCounted>& owner() const { return owner_; }

  // Makes the bytes present, which must be within the file. False if they cannot be fetched; this
  // also ends the current request, whose result would be wrong.
  bool Require(uint64_t offset, uint64_t size) const {
    return sparse_ == nullptr || sparse_->view().Has({offset, size}) || FetchFor(offset, size);
  }
  // Makes many ranges present at once; what lies behind the end of the file is ignored. Errors:
  // those of SparseBytes::Ensure.
  absl::Status Fetch(std::vector<ByteRange> ranges) const;
  // How often Require has failed.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

  // Copies `size` bytes from `offset`, which must be within the file and present. False if the file
  // has changed and the bytes had not been read before.
  bool Copy(uint64_t offset, void* out, size_t size) const {
    if (source_ == nullptr) {
      std::memcpy(out, bytes_.data() + offset, size);
      return true;
    }
    const uint64_t at = offset % kBlock;
    const std::byte* block =
        at + size <= kBlock ? blocks_[offset / kBlock].load(std::memory_order_acquire) : nullptr;
    if (block == nullptr) return CopyUncached(offset, out, size);
    std::memcpy(out, block + at, size);
    return true;
  }

  bool may_change() const { return source_ != nullptr; }
  bool may_lack_bytes() const { return sparse_ != nullptr; }
  // DATA_LOSS if bytes read from now() may not be those that were opened. UNAVAILABLE if the disk
  // does not deliver them, which also ends the current request.
  absl::Status Check() const {
    if (sparse_ != nullptr) return sparse_->view().whole()->Check();
    return source_ ? CheckSource() : absl::OkStatus();
  }
  // Records that now() was read, or a view of it made, without a check; see SourceWatch. False if
  // the file is known to have changed.
  bool NoteUse() const {
    if (sparse_ != nullptr) return Check().ok();
    if (source_ == nullptr) return true;
    source_->NoteUse();
    return !source_->changed();
  }

  // The size of the copies, in bytes.
  size_t byte_size() const { return held_.load(std::memory_order_relaxed); }

  static constexpr size_t kBlock = 1024;

 private:
  absl::Status CheckSource() const;
  bool CopyUncached(uint64_t offset, void* out, size_t size) const;
  bool FetchFor(uint64_t offset, uint64_t size) const;
  // The copy of a block; null if the file changed before the block was read.
  const std::byte* Hold(uint64_t block) const;

  const std::span<const std::byte> bytes_;
  const RefPtr<const RefCounted> owner_;
  const SourceBytes* const source_;   // owner_ if the bytes may change, otherwise null
  const SparseSource* const sparse_;  // owner_ if bytes may be absent, otherwise null
  mutable std::atomic<uint64_t> failures_{0};
  // One pointer for each block. The system zeroes the memory page by page as it is used.
  struct Free {
    void operator()(void* memory) const;
  };
  const std::unique_ptr<std::atomic<std::byte*>[], Free> blocks_;
  mutable std::atomic<size_t> held_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_

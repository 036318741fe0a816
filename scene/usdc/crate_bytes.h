// CrateBytes: the bytes of a crate file that values are decoded from.
//
// A mapped file may be overwritten while a layer of it is open. What is read through Copy is the
// content that was opened, at all times: the first read of a block copies it and asks whether the
// file was changed, later ones read the copy. Large reads go to the bytes themselves; who makes
// them asks Check afterwards. Immutable bytes (no SourceBytes owns them) are read where they are.
// Thread-safe.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_
#define STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "scene/values/ref_counted.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

class CrateBytes {
 public:
  // `owner`, which may be null, keeps `bytes`.
  CrateBytes(std::span<const std::byte> bytes, RefPtr<const RefCounted> owner);
  ~CrateBytes();
  CrateBytes(const CrateBytes&) = delete;
  CrateBytes& operator=(const CrateBytes&) = delete;

  // As they are now.
  std::span<const std::byte> now() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  const RefPtr<const RefCounted>& owner() const { return owner_; }

  // Copies `size` bytes from `offset`, which lie within. False once the file was changed, for what
  // had not been read before.
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
  // DATA_LOSS if what was read of now() may not be what was opened.
  absl::Status Check() const { return source_ ? source_->Check() : absl::OkStatus(); }
  // Says that now() was read, or a view of it made, without asking: see SourceWatch. False if the
  // file is known to be changed.
  bool NoteUse() const {
    if (source_ == nullptr) return true;
    source_->NoteUse();
    return !source_->changed();
  }

  // Of the copies.
  size_t byte_size() const { return held_.load(std::memory_order_relaxed); }

  static constexpr size_t kBlock = 1024;

 private:
  bool CopyUncached(uint64_t offset, void* out, size_t size) const;
  // The copy of a block; null once the file was changed.
  const std::byte* Hold(uint64_t block) const;

  const std::span<const std::byte> bytes_;
  const RefPtr<const RefCounted> owner_;
  const SourceBytes* const source_;  // owner_, where the bytes may change
  // One for each block. Zeroed by the system, page by page, as they are used.
  struct Free {
    void operator()(void* memory) const;
  };
  const std::unique_ptr<std::atomic<std::byte*>[], Free> blocks_;
  mutable std::atomic<size_t> held_{0};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_BYTES_H_

#ifndef STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_
#define STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "scene/usdc/crate_bytes.h"

namespace stagedoor {

// A position in the bytes of a crate, from which little-endian data is read with bounds checks
// (Core Specification, 16.3.2 Endianness, 16.3.6 Check sizes and file offsets).
//
// The first read that does not fit fails, and so do all reads after it. Opening a file reads its
// bytes directly; values are read through CrateBytes, which always gives the content that was
// opened. Not thread-safe. Reads fail as well if bytes that are not here cannot be fetched.
class CrateCursor {
 public:
  CrateCursor(std::span<const std::byte> bytes, uint64_t offset)
      : bytes_(bytes), offset_(offset), ok_(offset <= bytes.size()) {}
  // `bytes` must outlive the cursor.
  CrateCursor(const CrateBytes& bytes, uint64_t offset) : CrateCursor(bytes.now(), offset) {
    source_ = &bytes;
    steady_ = true;
  }
  // Reads the bytes as they are now.
  static CrateCursor Current(const CrateBytes& bytes, uint64_t offset) {
    CrateCursor cursor(bytes.now(), offset);
    cursor.source_ = &bytes;
    return cursor;
  }

  bool ok() const { return ok_; }
  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return ok_ ? bytes_.size() - offset_ : 0; }
  // The bytes at the cursor as they are now; see CrateBytes.
  const std::byte* here() const { return bytes_.data() + offset_; }

  template <typename T>
  bool Read(T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (remaining() < sizeof(T)) return ok_ = false;
    return Copy(value, sizeof(T));
  }
  // Copies the next `size` bytes.
  bool Copy(void* out, uint64_t size) {
    if (!Require(size)) return ok_ = false;
    if (!steady_) {
      std::memcpy(out, here(), size);
    } else if (!source_->Copy(offset_, out, size)) {
      return ok_ = false;
    }
    offset_ += size;
    return true;
  }
  // Whether the next `size` bytes can be read at here().
  bool Require(uint64_t size) const {
    return remaining() >= size && (source_ == nullptr || source_->Require(offset_, size));
  }
  // Takes the next `size` bytes as they are now; empty on failure.
  std::span<const std::byte> Take(uint64_t size) {
    if (!Require(size)) {
      ok_ = false;
      return {};
    }
    const auto taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }
  // Moves to the offset `from` + `distance`.
  bool Jump(uint64_t from, int64_t distance) {
    const uint64_t to = from + static_cast<uint64_t>(distance);
    if (!ok_ || to > bytes_.size()) return ok_ = false;
    offset_ = to;
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_;
  bool ok_;
  const CrateBytes* source_ = nullptr;
  bool steady_ = false;  // whether the content that was opened is read
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_

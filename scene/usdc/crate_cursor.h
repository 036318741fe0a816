// CrateCursor: a position in the bytes of a crate from which little-endian data is read, checked.
//
// The first read that does not fit fails, and all reads after it.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_
#define STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace stagedoor {

class CrateCursor {
 public:
  CrateCursor(std::span<const std::byte> bytes, uint64_t offset)
      : bytes_(bytes), offset_(offset), ok_(offset <= bytes.size()) {}

  bool ok() const { return ok_; }
  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return ok_ ? bytes_.size() - offset_ : 0; }
  const std::byte* here() const { return bytes_.data() + offset_; }

  template <typename T>
  bool Read(T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (remaining() < sizeof(T)) return ok_ = false;
    std::memcpy(value, here(), sizeof(T));
    offset_ += sizeof(T);
    return true;
  }
  // The next `size` bytes; empty on failure.
  std::span<const std::byte> Take(uint64_t size) {
    if (remaining() < size) {
      ok_ = false;
      return {};
    }
    const auto taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }
  // Moves by `distance` from `from`.
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
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_CURSOR_H_

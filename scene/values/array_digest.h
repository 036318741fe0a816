#ifndef STAGEDOOR_SCENE_VALUES_ARRAY_DIGEST_H_
#define STAGEDOOR_SCENE_VALUES_ARRAY_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace stagedoor {

// Smaller arrays have no digests, because they are sent as quickly.
inline constexpr size_t kMinDigestedBytes = 2048;

// Names the type and elements of an array: arrays with the same digest are equal. The reverse does
// not hold, because the digest of an array in a file is made of the file's version and the place in
// it, without reading the array.
class ArrayDigest {
 public:
  static constexpr size_t kBytes = 32;

  // The digest of the array of `count` elements of type `type` at `offset` of an asset.
  // `expanded`: whether they are stored in another form there.
  static ArrayDigest OfPlace(const std::array<uint64_t, 2>& asset, uint64_t offset, bool expanded,
                             uint8_t type, uint64_t count) {
    return ArrayDigest({asset[0], asset[1], offset << 9 | uint64_t{expanded} << 8 | type, count});
  }
  // The digest of an array with this fingerprint of type and elements.
  static ArrayDigest OfContents(const std::array<uint64_t, 2>& fingerprint, uint64_t count) {
    return ArrayDigest({fingerprint[0], fingerprint[1], UINT64_MAX, count});
  }
  // The digest with these bytes, unless there are too few or too many.
  static std::optional<ArrayDigest> FromBytes(std::string_view bytes) {
    if (bytes.size() != kBytes) return std::nullopt;
    ArrayDigest digest({});
    std::memcpy(digest.words_.data(), bytes.data(), kBytes);
    return digest;
  }

  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), kBytes}; }

  friend bool operator==(const ArrayDigest&, const ArrayDigest&) = default;
  friend auto operator<=>(const ArrayDigest&, const ArrayDigest&) = default;  // in any order

 private:
  explicit ArrayDigest(const std::array<uint64_t, 4>& words) : words_(words) {}

  std::array<uint64_t, 4> words_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ARRAY_DIGEST_H_

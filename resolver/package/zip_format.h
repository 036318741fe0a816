#ifndef STAGEDOOR_RESOLVER_PACKAGE_ZIP_FORMAT_H_
#define STAGEDOOR_RESOLVER_PACKAGE_ZIP_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace stagedoor::zip {

// Sizes of the records without their variable parts, and flags (APPNOTE 6.3.9, section 4.3).
inline constexpr uint32_t kLocalSignature = 0x04034b50;
inline constexpr uint32_t kCentralSignature = 0x02014b50;
inline constexpr uint32_t kEndSignature = 0x06054b50;
inline constexpr size_t kLocalSize = 30;
inline constexpr size_t kCentralSize = 46;
inline constexpr size_t kEndSize = 22;
inline constexpr size_t kAlignment = 64;
inline constexpr uint16_t kFlagEncrypted = 1 << 0;
inline constexpr uint16_t kFlagDataDescriptor = 1 << 3;
inline constexpr uint16_t kFlagUtf8 = 1 << 11;
inline constexpr size_t kMaxEntries = 65535;

inline uint16_t Get16(std::span<const std::byte> bytes, size_t at) {
  return static_cast<uint16_t>(static_cast<uint32_t>(bytes[at]) |
                               static_cast<uint32_t>(bytes[at + 1]) << 8);
}
inline uint32_t Get32(std::span<const std::byte> bytes, size_t at) {
  return Get16(bytes, at) | static_cast<uint32_t>(Get16(bytes, at + 2)) << 16;
}

}  // namespace stagedoor::zip

#endif  // STAGEDOOR_RESOLVER_PACKAGE_ZIP_FORMAT_H_

#ifndef STAGEDOOR_RESOLVER_PACKAGE_CRC32_H_
#define STAGEDOOR_RESOLVER_PACKAGE_CRC32_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace stagedoor {

// The CRC-32 of ZIP files (polynomial 0x04C11DB7, reflected). `seed` is the CRC of the preceding
// bytes.
uint32_t Crc32(std::span<const std::byte> bytes, uint32_t seed = 0);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_CRC32_H_

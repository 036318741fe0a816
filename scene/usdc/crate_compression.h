#ifndef STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_
#define STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace stagedoor {

// The two compressions of crate files (Core Specification, 16.3.7 Compression): LZ4 blocks, and
// integers stored as differences of few bytes, which are then compressed with LZ4. The input of the
// Decode functions is untrusted: they never allocate more than the compressed bytes can fill.
// Thread-safe.

// The most bytes that LZ4 can expand one byte to.
inline constexpr uint64_t kLz4MaxRatio = 255;

// Decompresses into `out` and returns the number of bytes written; empty if `in` is damaged or
// `out` is too small.
std::optional<size_t> DecodeLz4(std::span<const std::byte> in, std::span<std::byte> out);
std::string EncodeLz4(std::span<const std::byte> in);

// True if `bytes` compressed bytes can hold `count` integers of `size` (4 or 8) bytes.
bool CanHoldInts(uint64_t bytes, uint64_t count, size_t size);

// Decode exactly out.size() integers; false if `in` is damaged or holds fewer.
bool DecodeInts(std::span<const std::byte> in, std::span<uint32_t> out);
bool DecodeInts(std::span<const std::byte> in, std::span<uint64_t> out);
std::string EncodeInts(std::span<const uint32_t> in);
std::string EncodeInts(std::span<const uint64_t> in);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_

// The two compressions of crate files: LZ4 blocks, and integers stored as differences of few bytes,
// in LZ4 blocks in turn. Input of the Decode functions is untrusted: nothing is allocated that the
// compressed bytes cannot fill.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_
#define STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace stagedoor {

// LZ4 turns one byte into at most this many.
inline constexpr uint64_t kLz4MaxRatio = 255;

// Decompresses into `out` and returns how many bytes came out; empty when `in` is damaged or `out`
// is too small.
std::optional<size_t> DecodeLz4(std::span<const std::byte> in, std::span<std::byte> out);
std::string EncodeLz4(std::span<const std::byte> in);

// True if `bytes` compressed bytes can hold `count` integers of `size` (4 or 8) bytes.
bool CanHoldInts(uint64_t bytes, uint64_t count, size_t size);

// Decodes exactly out.size() integers; false when `in` is damaged or holds fewer.
bool DecodeInts(std::span<const std::byte> in, std::span<uint32_t> out);
bool DecodeInts(std::span<const std::byte> in, std::span<uint64_t> out);
std::string EncodeInts(std::span<const uint32_t> in);
std::string EncodeInts(std::span<const uint64_t> in);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_COMPRESSION_H_

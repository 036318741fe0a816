#ifndef STAGEDOOR_BASE_HASH_H_
#define STAGEDOOR_BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stagedoor {

// Hashes for tables in memory. Unlike absl::Hash they are the same in every process, so that the
// order of a table is reproducible, and their cost is known on hot paths. They must not be stored
// or sent, because they may change between releases.

// Spreads the bits of a number or address: the upper half of the result is well mixed, the lower
// half is not.
constexpr uint64_t SpreadBits(uint64_t value) { return value * 0x9e3779b97f4a7c15; }
inline uint64_t SpreadBits(const void* address) {
  return SpreadBits(reinterpret_cast<uintptr_t>(address));
}

// Extends a hash by a number, an address or another hash. Depends on the order of the calls.
constexpr uint64_t HashCombine(uint64_t hash, uint64_t value) {
  hash = SpreadBits(hash ^ value);
  return hash ^ (hash >> 32);
}
inline uint64_t HashCombine(uint64_t hash, const void* address) {
  return HashCombine(hash, uint64_t{reinterpret_cast<uintptr_t>(address)});
}

// Makes each bit of the result depend on all bits of `hash`: the final mixer of MurmurHash3.
constexpr uint64_t MixBits(uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

// Both halves of the product of x and y, combined. With secret factors that are not 0, this is the
// step of a fingerprint for which nobody can construct collisions.
constexpr uint64_t MultiplyAndFold(uint64_t x, uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x) * y;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Up to 8 bytes as a number.
inline uint64_t LoadWord(const char* bytes, size_t size = 8) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

// 0 for no bytes.
inline uint64_t HashBytes(std::string_view bytes) {
  if (bytes.empty()) return 0;
  uint64_t hash = 0x9e3779b97f4a7c15 ^ bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    hash = (hash ^ LoadWord(bytes.data())) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return MixBits(hash ^ LoadWord(bytes.data(), bytes.size()));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_HASH_H_

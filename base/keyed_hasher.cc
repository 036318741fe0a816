#include "base/keyed_hasher.h"

#include <algorithm>
#include <bit>
#include <random>

#include "base/hash.h"

namespace stagedoor {

KeyedHasher::Key KeyedHasher::Key::Random() {
  std::random_device random;
  const auto word = [&random] { return uint64_t{random()} << 32 | random(); };
  return {word(), word()};
}

// The constants are those of SipHash: "somepseudorandomlygeneratedbytes".
KeyedHasher::KeyedHasher(const Key& key)
    : state_{key.a ^ 0x736f6d6570736575, key.b ^ 0x646f72616e646f6d, key.a ^ 0x6c7967656e657261,
             key.b ^ 0x7465646279746573} {}

void KeyedHasher::Add(std::string_view text) {
  const uint64_t size = text.size();
  Append({reinterpret_cast<const char*>(&size), sizeof(size)});
  Append(text);
}

void KeyedHasher::Append(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t held = size_ % 8;
  size_ += bytes.size();
  if (held != 0) {
    const size_t more = std::min(8 - held, bytes.size());
    pending_ |= LoadWord(bytes.data(), more) << (8 * held);
    bytes.remove_prefix(more);
    if (held + more < 8) return;
    AppendWord(pending_);
  }
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) AppendWord(LoadWord(bytes.data()));
  pending_ = bytes.empty() ? 0 : LoadWord(bytes.data(), bytes.size());
}

void KeyedHasher::AppendWord(uint64_t word) {
  state_[3] ^= word;
  Round();
  Round();
  state_[0] ^= word;
}

void KeyedHasher::Round() {
  auto& [a, b, c, d] = state_;
  a += b;
  b = std::rotl(b, 13) ^ a;
  a = std::rotl(a, 32);
  c += d;
  d = std::rotl(d, 16) ^ c;
  a += d;
  d = std::rotl(d, 21) ^ a;
  c += b;
  b = std::rotl(b, 17) ^ c;
  c = std::rotl(c, 32);
}

uint64_t KeyedHasher::Finish() {
  AppendWord(size_ << 56 | pending_);
  state_[2] ^= 0xff;
  for (int i = 0; i < 4; ++i) Round();
  return state_[0] ^ state_[1] ^ state_[2] ^ state_[3];
}

uint64_t KeyedHasher::HashOf(const Key& key, std::string_view bytes) {
  KeyedHasher hasher(key);
  hasher.Append(bytes);
  return hasher.Finish();
}

}  // namespace stagedoor

#include "base/keyed_hasher.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// The key of the test vectors of SipHash: the bytes 0 to 15.
constexpr KeyedHasher::Key kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string FirstBytes(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

uint64_t Hash(const KeyedHasher::Key& key, std::initializer_list<std::string_view> texts) {
  KeyedHasher hasher(key);
  for (const std::string_view text : texts) hasher.Add(text);
  return hasher.Finish();
}

// Computed by another implementation.
TEST(KeyedHasherTest, IsSipHash) {
  EXPECT_EQ(KeyedHasher::HashOf(kKey, ""), 0x726fdb47dd0e0e31);
  EXPECT_EQ(KeyedHasher::HashOf(kKey, FirstBytes(1)), 0x74f839c593dc67fd);
  EXPECT_EQ(KeyedHasher::HashOf(kKey, FirstBytes(8)), 0x93f5f5799a932462);
  EXPECT_EQ(KeyedHasher::HashOf(kKey, FirstBytes(15)), 0xa129ca6149be45e5);
}

TEST(KeyedHasherTest, PiecesOfAnySizeAreJoined) {
  const std::string bytes = FirstBytes(40);
  for (size_t first = 0; first <= 17; ++first) {
    for (size_t second = 0; second <= 17; ++second) {
      const std::string_view all(bytes);
      const std::string_view a = all.substr(0, first), b = all.substr(first, second);
      const uint64_t sizes[] = {a.size(), b.size()};
      const std::string joined =
          std::string(reinterpret_cast<const char*>(&sizes[0]), 8) + std::string(a) +
          std::string(reinterpret_cast<const char*>(&sizes[1]), 8) + std::string(b);
      EXPECT_EQ(Hash(kKey, {a, b}), KeyedHasher::HashOf(kKey, joined)) << first << ", " << second;
    }
  }
}

TEST(KeyedHasherTest, TextsDoNotRunIntoEachOther) {
  EXPECT_NE(Hash(kKey, {"ab", "c"}), Hash(kKey, {"a", "bc"}));
  EXPECT_NE(Hash(kKey, {"ab"}), Hash(kKey, {"ab", ""}));
}

TEST(KeyedHasherTest, DependsOnTheKey) {
  EXPECT_NE(Hash(kKey, {"a"}), Hash({kKey.a, kKey.b + 1}, {"a"}));
  EXPECT_NE(Hash(kKey, {"a"}), Hash({kKey.a + 1, kKey.b}, {"a"}));
  EXPECT_NE(Hash(KeyedHasher::Key::Random(), {"a"}), Hash(KeyedHasher::Key::Random(), {"a"}));
}

}  // namespace
}  // namespace stagedoor

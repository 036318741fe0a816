#include "scene/usdc/crate_compression.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

template <typename Int>
std::vector<std::vector<Int>> Samples() {
  using Limits = std::numeric_limits<Int>;
  std::mt19937_64 random(7);
  std::vector<std::vector<Int>> samples = {{},
                                           {0},
                                           {123, 124, 125, 100125, 100125, 100126, 100126},
                                           {Limits::max(), 0, Limits::max(), 1},
                                           std::vector<Int>(1000, 42)};
  for (const int bits : {4, 12, 20, 30, int{sizeof(Int) * 8 - 1}}) {
    auto& sample = samples.emplace_back();
    for (int i = 0; i < 333; ++i) sample.push_back(random() & ((uint64_t{1} << bits) - 1));
  }
  return samples;
}

template <typename Int>
void ExpectRoundTrips() {
  for (const auto& numbers : Samples<Int>()) {
    const std::string packed = EncodeInts(std::span<const Int>(numbers));
    std::vector<Int> out(numbers.size());
    ASSERT_TRUE(DecodeInts(Bytes(packed), std::span<Int>(out)));
    EXPECT_EQ(out, numbers);
  }
}

TEST(CrateCompressionTest, IntsSurviveARoundTrip) {
  ExpectRoundTrips<uint32_t>();
  ExpectRoundTrips<uint64_t>();
}

TEST(CrateCompressionTest, PacksTheExampleOfTheSpecification) {
  const std::vector<uint32_t> numbers = {123, 124, 125, 100125, 100125, 100126, 100126};
  const std::string packed = EncodeInts(std::span<const uint32_t>(numbers));
  std::string plain(64, '\0');
  const auto size = DecodeLz4(Bytes(packed), std::as_writable_bytes(std::span(plain)));
  ASSERT_TRUE(size.has_value());
  plain.resize(*size);
  // The common difference is 1; codes 01 00 00 11 01 00 01; then 123, 100000, 0 and 0.
  EXPECT_EQ(plain, std::string("\x01\0\0\0\xc1\x11\x7b\xa0\x86\x01\0\0\0", 13));
}

// The difference that encoding considers the most common: the first number of the packed block.
int32_t CommonOf(const std::vector<int32_t>& differences) {
  std::vector<uint32_t> numbers;
  uint32_t last = 0;
  for (const int32_t d : differences) numbers.push_back(last += d);
  const std::string packed = EncodeInts(std::span<const uint32_t>(numbers));
  std::vector<std::byte> raw(numbers.size() * 8 + 16);
  EXPECT_GE(DecodeLz4(Bytes(packed), raw).value_or(0), sizeof(int32_t));
  int32_t common = 0;
  std::memcpy(&common, raw.data(), sizeof(common));
  return common;
}

TEST(CrateCompressionTest, FindsTheMostCommonDifference) {
  std::vector<int32_t> differences;
  for (int i = 0; i < 4000; ++i) differences.push_back(i % 3 == 0 ? -7 : i * 31 - 50000);
  EXPECT_EQ(CommonOf(differences), -7);
  EXPECT_EQ(CommonOf({5, 3, 5, 3, 1, 2}), 5) << "the largest of equally frequent ones";
  EXPECT_EQ(CommonOf({3, 5, 5, 3, -9, 2, 9, 12}), 5);
  EXPECT_EQ(CommonOf({1, 2, 3}), 3);
  EXPECT_EQ(CommonOf({-4}), -4);
}

TEST(CrateCompressionTest, CollidingDifferencesAreCountedCorrectly) {
  // Multiples of the inverse of the hash multiplier all have the same upper bits in their hash.
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15ULL * inverse;
  std::vector<uint64_t> numbers;
  uint64_t last = 0;
  for (uint64_t i = 0; i < 5000; ++i) numbers.push_back(last += inverse * (i % 2500 + 1));
  const std::string packed = EncodeInts(std::span<const uint64_t>(numbers));
  std::vector<uint64_t> out(numbers.size());
  ASSERT_TRUE(DecodeInts(Bytes(packed), std::span<uint64_t>(out)));
  EXPECT_EQ(out, numbers);
}

TEST(CrateCompressionTest, Lz4SurvivesARoundTrip) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{70000}}) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i * 31);
    std::string out(size, '\0');
    const std::string packed = EncodeLz4(Bytes(text));
    EXPECT_EQ(DecodeLz4(Bytes(packed), std::as_writable_bytes(std::span(out))), size);
    EXPECT_EQ(out, text);
  }
}

TEST(CrateCompressionTest, ChunksAreJoined) {
  const std::string block = EncodeLz4(Bytes("hello")).substr(1);
  const int32_t size = static_cast<int32_t>(block.size());
  std::string chunked(1, 2);
  for (int i = 0; i < 2; ++i) {
    chunked.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(block);
  }
  std::string out(10, '\0');
  EXPECT_EQ(DecodeLz4(Bytes(chunked), std::as_writable_bytes(std::span(out))), 10u);
  EXPECT_EQ(out, "hellohello");
}

TEST(CrateCompressionTest, DamageIsReported) {
  const std::vector<uint32_t> numbers(100, 7);
  const std::string packed = EncodeInts(std::span<const uint32_t>(numbers));
  for (size_t size = 0; size < packed.size(); ++size) {
    std::vector<uint32_t> out(100);
    EXPECT_FALSE(DecodeInts(Bytes(packed).first(size), std::span<uint32_t>(out))) << size;
  }
  std::vector<uint32_t> more(5000);
  EXPECT_FALSE(DecodeInts(Bytes(packed), std::span<uint32_t>(more)));
  EXPECT_FALSE(DecodeLz4({}, {}).has_value());
}

// Numbers without a common difference, packed and truncated before they are compressed.
template <typename Int>
void ExpectAllBytesAreNeeded() {
  std::mt19937_64 random(3);
  for (size_t count = 1; count <= 9; ++count) {
    std::vector<Int> numbers(count);
    for (Int& number : numbers) number = static_cast<Int>(random());
    std::string packed(1000, '\0');
    const std::string encoded = EncodeInts(std::span<const Int>(numbers));
    const auto size = DecodeLz4(Bytes(encoded), std::as_writable_bytes(std::span(packed)));
    ASSERT_TRUE(size.has_value());
    for (size_t cut = 0; cut <= *size; ++cut) {
      const std::string rest = EncodeLz4(Bytes(packed).first(*size - cut));
      std::vector<Int> out(count);
      EXPECT_EQ(DecodeInts(Bytes(rest), std::span<Int>(out)), cut == 0) << count << " cut " << cut;
    }
  }
}

TEST(CrateCompressionTest, TruncatedIntsAreRejected) {
  ExpectAllBytesAreNeeded<uint32_t>();
  ExpectAllBytesAreNeeded<uint64_t>();
}

TEST(CrateCompressionTest, CountsAreBoundedByTheBytes) {
  EXPECT_TRUE(CanHoldInts(20, 10, 4));
  EXPECT_FALSE(CanHoldInts(1, 1, 4));
  EXPECT_TRUE(CanHoldInts(2, 4 * (2 * kLz4MaxRatio - 4) + 3, 4));
  EXPECT_FALSE(CanHoldInts(2, 4 * (2 * kLz4MaxRatio - 4) + 4, 4));
  EXPECT_FALSE(CanHoldInts(1000, uint64_t{1} << 32, 4));
  EXPECT_FALSE(CanHoldInts(1000, ~uint64_t{0}, 8));
}

}  // namespace
}  // namespace stagedoor

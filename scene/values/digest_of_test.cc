#include "scene/values/digest_of.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "scene/values/array_owner.h"
#include "scene/values/value.h"

namespace stagedoor {
namespace {

using Origin = AssetArrayOwner::Origin;
using Digest = std::optional<ArrayDigest>;

constexpr size_t kCount = kMinDigestedBytes / sizeof(double);

struct Asset : AssetArrayOwner {
  using AssetArrayOwner::AssetArrayOwner;
};

Array<double> Numbers(size_t count, double first = 0) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return Array<double>::FromVector(std::move(numbers));
}

class DigestOfTest : public ::testing::Test {
 protected:
  template <typename T>
  Digest Of(const Array<T>& array) {
    auto digest = DigestOf(context_, ValueTypeOf<T>::kType, array, sizeof(T));
    EXPECT_TRUE(digest.ok()) << digest.status();
    return digest.value_or(std::nullopt);
  }
  // The digest of an array that somebody else holds as well.
  template <typename T>
  Digest OfStored(const Array<T>& array) {
    const std::vector<Array<T>> stored(1, array);
    return Of(array);
  }

  RequestContext context_{RequestContext::Clock::now() + std::chrono::hours(1)};
};

TEST_F(DigestOfTest, EqualArraysInMemoryHaveEqualDigests) {
  const Digest digest = OfStored(Numbers(kCount));
  ASSERT_TRUE(digest.has_value());
  EXPECT_EQ(digest->bytes().size(), ArrayDigest::kBytes);
  EXPECT_EQ(digest, OfStored(Numbers(kCount)));
  EXPECT_NE(digest, OfStored(Numbers(kCount, 1)));
  EXPECT_NE(digest, OfStored(Numbers(kCount + 1)));
}

TEST_F(DigestOfTest, TypesWithTheSameBytesHaveDifferentDigests) {
  const std::vector<int64_t> zeros(kCount);
  EXPECT_NE(OfStored(Array<int64_t>::FromVector(zeros)),
            OfStored(Array<uint64_t>::FromVector(std::vector<uint64_t>(kCount))));
}

TEST_F(DigestOfTest, LongArraysDifferInTheirLastElement) {
  constexpr size_t kLong = (size_t{3} << 20) / sizeof(double) + 1;
  std::vector<double> numbers(kLong);
  const Digest zeros = OfStored(Array<double>::FromVector(numbers));
  numbers.back() = 1;
  EXPECT_NE(zeros, OfStored(Array<double>::FromVector(numbers)));
}

TEST_F(DigestOfTest, ArraysThatNobodyElseHoldsHaveNone) {
  EXPECT_EQ(Of(Numbers(kCount)), std::nullopt);
}

TEST_F(DigestOfTest, SmallArraysHaveNone) {
  EXPECT_EQ(OfStored(Numbers(kCount - 1)), std::nullopt);
  EXPECT_EQ(OfStored(Array<double>()), std::nullopt);
}

TEST_F(DigestOfTest, AnArrayInMemoryIsReadOnce) {
  std::vector<double> numbers(2 * kCount);
  double* elements = nullptr;
  const auto array = Array<double>::Uninitialized(2 * kCount, &elements);
  std::fill_n(elements, 2 * kCount, 0.0);
  const Array<double> stored = array;
  const Digest before = Of(array);
  elements[0] = 1;
  EXPECT_EQ(Of(array), before);
  EXPECT_EQ(Of(Array<double>::View(elements + 1, kCount, array.owner())), std::nullopt)
      << "only one part is remembered";
}

TEST_F(DigestOfTest, ArraysInAnAssetAreNamedByTheirPlace) {
  std::vector<double> bytes(4 * kCount);
  const auto owner = [&](uint64_t asset) {
    return MakeRef<Asset>(Origin{{asset, 2}, bytes.data()});
  };
  const auto at = [&](size_t first, size_t count, uint64_t asset) {
    return Of(Array<double>::View(bytes.data() + first, count, owner(asset)));
  };
  ASSERT_TRUE(at(0, kCount, 1).has_value()) << "although nobody else holds it";
  EXPECT_EQ(at(0, kCount, 1), at(0, kCount, 1));
  EXPECT_NE(at(0, kCount, 1), at(0, kCount, 7)) << "another asset";
  EXPECT_NE(at(0, kCount, 1), at(1, kCount, 1)) << "another place";
  EXPECT_NE(at(0, kCount, 1), at(0, kCount + 1, 1)) << "another size";
  EXPECT_EQ(at(0, kCount - 1, 1), std::nullopt) << "too small";
  const auto as_int =
      Array<int64_t>::View(reinterpret_cast<const int64_t*>(bytes.data()), kCount, owner(1));
  EXPECT_NE(Of(as_int), at(0, kCount, 1)) << "another type";
}

TEST_F(DigestOfTest, AssetsOfUnknownVersionHaveNone) {
  std::vector<double> bytes(kCount);
  const auto owner = MakeRef<Asset>(Origin{{}, bytes.data()});
  EXPECT_EQ(Of(Array<double>::View(bytes.data(), kCount, owner)), std::nullopt);
}

TEST_F(DigestOfTest, AnExpandedArrayIsNotTheOneThatIsStoredAtItsPlace) {
  const Asset asset(Origin{{1, 2}, nullptr});
  EXPECT_NE(asset.DigestOf(64, true, 3, 10), asset.DigestOf(64, false, 3, 10));
  EXPECT_NE(asset.DigestOf(64, true, 3, 10), asset.DigestOf(65, true, 3, 10));
  EXPECT_NE(asset.DigestOf(64, true, 3, 10), asset.DigestOf(64, true, 4, 10));
}

TEST_F(DigestOfTest, OwnersRememberTheFirstDigest) {
  const Array<double> array = Numbers(kCount);
  const auto* owner = dynamic_cast<const HeapArrayOwner*>(array.owner().get());
  ASSERT_NE(owner, nullptr);
  const ArrayDigest first = ArrayDigest::OfContents({1, 2}, kCount);
  owner->Remember(array.data(), kCount, first);
  owner->Remember(array.data(), kCount, ArrayDigest::OfContents({3, 4}, kCount));
  EXPECT_EQ(Of(array), first) << "although nobody else holds the array";
}

TEST_F(DigestOfTest, EndsWithTheRequest) {
  RequestContext over(RequestContext::Clock::now() - std::chrono::hours(1));
  const Array<double> array = Numbers(kCount), stored = array;
  EXPECT_EQ(DigestOf(over, ValueType::kDouble, array, sizeof(double)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(DigestOfTest, BytesAreReadBack) {
  const ArrayDigest digest = ArrayDigest::OfPlace({1, 2}, 3, true, 4, 5);
  EXPECT_EQ(ArrayDigest::FromBytes(digest.bytes()), digest);
  EXPECT_EQ(ArrayDigest::FromBytes(digest.bytes().substr(1)), std::nullopt);
  EXPECT_EQ(ArrayDigest::FromBytes(std::string(33, 'x')), std::nullopt);
}

}  // namespace
}  // namespace stagedoor

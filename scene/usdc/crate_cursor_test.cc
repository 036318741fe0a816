#include "scene/usdc/crate_cursor.h"

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// The bytes 0, 1, 2, ...
std::vector<std::byte> Counting(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

TEST(CrateCursorTest, StartsAtAnyOffsetUpToTheEnd) {
  const std::vector<std::byte> bytes = Counting(8);
  for (uint64_t offset = 0; offset <= 8; ++offset) {
    const CrateCursor in(bytes, offset);
    EXPECT_TRUE(in.ok()) << offset;
    EXPECT_EQ(in.offset(), offset);
    EXPECT_EQ(in.remaining(), 8 - offset);
    EXPECT_EQ(in.here(), bytes.data() + offset);
  }
  for (const uint64_t offset : {uint64_t{9}, ~uint64_t{0}}) {
    const CrateCursor in(bytes, offset);
    EXPECT_FALSE(in.ok()) << offset;
    EXPECT_EQ(in.remaining(), 0u) << offset;
  }
}

TEST(CrateCursorTest, ReadsLittleEndianNumbersInSequence) {
  const std::vector<std::byte> bytes = Counting(7);
  CrateCursor in(bytes, 0);
  uint8_t one = 0;
  uint16_t two = 0;
  uint32_t four = 0;
  EXPECT_TRUE(in.Read(&one));
  EXPECT_TRUE(in.Read(&two));
  EXPECT_TRUE(in.Read(&four)) << "the last bytes are read too";
  EXPECT_EQ(one, 0);
  EXPECT_EQ(two, 0x0201);
  EXPECT_EQ(four, 0x06050403u);
  EXPECT_EQ(in.offset(), 7u);
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.Read(&one));
  EXPECT_FALSE(in.ok());
}

TEST(CrateCursorTest, NothingIsReadAfterAFailure) {
  const std::vector<std::byte> bytes = Counting(8);
  CrateCursor in(bytes, 5);
  uint32_t four = 77;
  uint8_t one = 77;
  EXPECT_FALSE(in.Read(&four));
  EXPECT_EQ(four, 77u) << "unchanged";
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.offset(), 5u) << "for messages";
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_FALSE(in.Read(&one));
  EXPECT_FALSE(in.Copy(&one, 1));
  EXPECT_TRUE(in.Take(1).empty());
  EXPECT_FALSE(in.Jump(0, 0));
  EXPECT_EQ(one, 77);
  EXPECT_EQ(in.offset(), 5u);
}

TEST(CrateCursorTest, CopiesWhatFits) {
  const std::vector<std::byte> bytes = Counting(8);
  std::byte out[8] = {};
  CrateCursor in(bytes, 2);
  EXPECT_TRUE(in.Copy(out, 0));
  EXPECT_EQ(in.offset(), 2u);
  EXPECT_TRUE(in.Copy(out, 6));
  EXPECT_EQ(in.offset(), 8u);
  EXPECT_EQ(std::vector(out, out + 6), std::vector(bytes.begin() + 2, bytes.end()));
  EXPECT_TRUE(in.Copy(out, 0)) << "zero bytes fit even at the end";
  EXPECT_FALSE(in.Copy(out, 1));
  EXPECT_FALSE(in.ok());
}

TEST(CrateCursorTest, TakesViews) {
  const std::vector<std::byte> bytes = Counting(8);
  CrateCursor in(bytes, 1);
  const auto three = in.Take(3);
  EXPECT_EQ(three.data(), bytes.data() + 1);
  EXPECT_EQ(three.size(), 3u);
  EXPECT_EQ(in.offset(), 4u);
  const auto rest = in.Take(4);
  EXPECT_EQ(rest.data(), bytes.data() + 4);
  EXPECT_EQ(rest.size(), 4u);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.Take(0).empty());
  EXPECT_TRUE(in.ok());
  for (const uint64_t size : {uint64_t{9}, std::numeric_limits<uint64_t>::max()}) {
    CrateCursor other(bytes, 0);
    EXPECT_TRUE(other.Take(size).empty()) << size;
    EXPECT_FALSE(other.ok()) << size;
    EXPECT_EQ(other.offset(), 0u) << size;
  }
}

TEST(CrateCursorTest, JumpsWithinTheBytes) {
  const std::vector<std::byte> bytes = Counting(8);
  static constexpr struct {
    uint64_t from;
    int64_t distance;
    bool fits;
    uint64_t to;
  } kJumps[] = {
      {0, 0, true, 0},
      {3, 4, true, 7},
      {3, 5, true, 8},
      {3, 6, false, 0},
      {3, -3, true, 0},
      {3, -4, false, 0},
      {8, -1, true, 7},
      {0, std::numeric_limits<int64_t>::max(), false, 0},
      {0, std::numeric_limits<int64_t>::min(), false, 0},
  };
  for (const auto& jump : kJumps) {
    CrateCursor in(bytes, 1);
    EXPECT_EQ(in.Jump(jump.from, jump.distance), jump.fits) << jump.from << " " << jump.distance;
    EXPECT_EQ(in.ok(), jump.fits) << jump.from << " " << jump.distance;
    EXPECT_EQ(in.offset(), jump.fits ? jump.to : 1) << jump.from << " " << jump.distance;
  }
}

// An owner of bytes that may change.
RefPtr<const SourceBytes> Changing(const bool* changed) {
  return MakeRef<SourceBytes>(
      "a.usdc",
      [changed] { return *changed ? absl::DataLossError("overwritten") : absl::OkStatus(); },
      nullptr, nullptr);
}

TEST(CrateCursorTest, KeepsWhatWasReadWhenTheFileChanges) {
  std::vector<std::byte> file = Counting(3 * CrateBytes::kBlock);
  bool changed = false;
  const CrateBytes bytes(file, RefPtr<const RefCounted>(Changing(&changed)));
  uint8_t number = 0;
  CrateCursor first(bytes, 5);
  EXPECT_TRUE(first.Read(&number));
  EXPECT_EQ(number, 5);
  file[6] = std::byte{99};
  EXPECT_TRUE(first.Read(&number));
  EXPECT_EQ(number, 6) << "the block was read before";
  EXPECT_EQ(first.Take(1).data(), file.data() + 7) << "views show the bytes as they are now";
  changed = true;
  CrateCursor again(bytes, 5);
  EXPECT_TRUE(again.Read(&number));
  EXPECT_EQ(number, 5);
  CrateCursor later(bytes, CrateBytes::kBlock);
  EXPECT_FALSE(later.Read(&number)) << "the block was not read before the change";
  EXPECT_FALSE(later.ok());
  EXPECT_EQ(later.offset(), CrateBytes::kBlock);
}

}  // namespace
}  // namespace stagedoor

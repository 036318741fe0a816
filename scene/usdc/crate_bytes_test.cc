#include "scene/usdc/crate_bytes.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

constexpr size_t kBlock = CrateBytes::kBlock;

// A file that may be overwritten, in which every byte differs from those one block away.
struct File {
  explicit File(size_t size) : bytes(size) {
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  }
  RefPtr<const RefCounted> Owner() {
    return RefPtr<const RefCounted>(MakeRef<SourceBytes>(
        "a.usdc",
        [this] {
          ++checks;
          return changed ? absl::DataLossError("overwritten") : absl::OkStatus();
        },
        nullptr, &watch));
  }

  std::vector<std::byte> bytes;
  bool changed = false;
  int checks = 0;
  SourceWatch watch;
};

std::vector<std::byte> Part(const File& file, size_t offset, size_t size) {
  const auto begin = file.bytes.begin() + static_cast<ptrdiff_t>(offset);
  return {begin, begin + static_cast<ptrdiff_t>(size)};
}

struct Copied {
  bool ok;
  std::vector<std::byte> bytes;
};
Copied Copy(const CrateBytes& bytes, uint64_t offset, size_t size) {
  std::vector<std::byte> out(size);
  const bool ok = bytes.Copy(offset, out.data(), size);
  return {ok, out};
}

TEST(CrateBytesTest, CopiesAnyPart) {
  File file(2 * kBlock + 100);
  const CrateBytes changing(file.bytes, file.Owner());
  const CrateBytes fixed(file.bytes, {});
  static constexpr struct {
    uint64_t offset;
    size_t size;
  } kParts[] = {{0, 0},
                {0, 1},
                {0, kBlock},
                {0, kBlock + 1},
                {1, kBlock},
                {kBlock - 1, 1},
                {kBlock - 1, 2},
                {kBlock, kBlock},
                {kBlock - 10, kBlock + 50},
                {2 * kBlock, 100},
                {2 * kBlock + 99, 1},
                {0, 2 * kBlock + 100}};
  for (int pass = 0; pass < 2; ++pass) {  // the second pass reads copies
    for (const auto& part : kParts) {
      SCOPED_TRACE(testing::Message() << part.offset << " " << part.size << " pass " << pass);
      for (const CrateBytes* bytes : {&changing, &fixed}) {
        const Copied copied = Copy(*bytes, part.offset, part.size);
        EXPECT_TRUE(copied.ok);
        EXPECT_EQ(copied.bytes, Part(file, part.offset, part.size));
      }
    }
  }
}

TEST(CrateBytesTest, TheLastBlockMayHaveOneByte) {
  for (const size_t size : {size_t{1}, kBlock, kBlock + 1, 2 * kBlock - 1}) {
    File file(size);
    const CrateBytes bytes(file.bytes, file.Owner());
    const Copied copied = Copy(bytes, size - 1, 1);
    EXPECT_TRUE(copied.ok);
    EXPECT_EQ(copied.bytes, Part(file, size - 1, 1));
    EXPECT_EQ(bytes.byte_size(), (size - 1) % kBlock + 1) << size;
    EXPECT_TRUE(Copy(bytes, 0, size).ok);
    EXPECT_EQ(bytes.byte_size(), size);
  }
}

TEST(CrateBytesTest, ChecksTheSourceOncePerBlockAndCountsCopies) {
  File file(2 * kBlock + 100);
  const CrateBytes bytes(file.bytes, file.Owner());
  EXPECT_EQ(bytes.byte_size(), 0u);
  EXPECT_TRUE(Copy(bytes, 0, 10).ok);
  EXPECT_EQ(file.checks, 1);
  EXPECT_EQ(bytes.byte_size(), kBlock);
  EXPECT_TRUE(Copy(bytes, kBlock - 10, 10).ok);
  EXPECT_EQ(file.checks, 1) << "the block has been copied";
  EXPECT_TRUE(Copy(bytes, 2 * kBlock, 1).ok);
  EXPECT_EQ(file.checks, 2);
  EXPECT_EQ(bytes.byte_size(), kBlock + 100) << "the last block is short";
  EXPECT_TRUE(Copy(bytes, 0, 2 * kBlock + 100).ok);
  EXPECT_EQ(file.checks, 3);
  EXPECT_EQ(bytes.byte_size(), 2 * kBlock + 100);
}

TEST(CrateBytesTest, KeepsWhatWasReadBeforeTheChange) {
  File file(2 * kBlock);
  const CrateBytes bytes(file.bytes, file.Owner());
  const auto before = Part(file, 0, kBlock);
  EXPECT_TRUE(Copy(bytes, 3, 1).ok);
  for (std::byte& byte : file.bytes) byte = std::byte{255};
  file.changed = true;
  const Copied held = Copy(bytes, 0, kBlock);
  EXPECT_TRUE(held.ok);
  EXPECT_EQ(held.bytes, before);
  EXPECT_TRUE(bytes.NoteUse()) << "the file was not checked again";
  EXPECT_FALSE(Copy(bytes, kBlock, 1).ok);
  EXPECT_FALSE(Copy(bytes, kBlock - 1, 2).ok) << "only half of it has been copied";
  EXPECT_EQ(bytes.byte_size(), kBlock);
  EXPECT_FALSE(bytes.NoteUse());
  EXPECT_EQ(bytes.Check().code(), absl::StatusCode::kDataLoss);
  file.changed = false;  // a change that was noticed is not forgotten
  EXPECT_FALSE(Copy(bytes, kBlock, 1).ok);
}

TEST(CrateBytesTest, AFailedReadCountsAsUse) {
  File file(2 * kBlock);
  const CrateBytes bytes(file.bytes, file.Owner());
  const uint64_t moment = file.watch.Now();
  EXPECT_TRUE(file.watch.CheckUsed(moment).ok());
  file.changed = true;
  EXPECT_FALSE(Copy(bytes, 0, 1).ok);
  EXPECT_EQ(file.watch.CheckUsed(moment).code(), absl::StatusCode::kDataLoss);
}

TEST(CrateBytesTest, NotedUsesAreSeenByTheWatch) {
  File file(10);
  const CrateBytes bytes(file.bytes, file.Owner());
  EXPECT_TRUE(bytes.may_change());
  const uint64_t moment = file.watch.Now();
  file.changed = true;
  EXPECT_TRUE(file.watch.CheckUsed(moment).ok()) << "not used";
  bytes.NoteUse();
  EXPECT_EQ(file.watch.CheckUsed(moment).code(), absl::StatusCode::kDataLoss);
}

TEST(CrateBytesTest, BytesWithoutASourceDoNotChange) {
  File file(10);
  struct Owner : RefCounted {};
  for (const bool owned : {false, true}) {
    const RefPtr<const RefCounted> owner =
        owned ? RefPtr<const RefCounted>(MakeRef<Owner>()) : RefPtr<const RefCounted>();
    const CrateBytes bytes(file.bytes, owner);
    EXPECT_FALSE(bytes.may_change());
    EXPECT_TRUE(bytes.Check().ok());
    EXPECT_TRUE(bytes.NoteUse());
    EXPECT_EQ(bytes.size(), 10u);
    EXPECT_EQ(bytes.now().data(), file.bytes.data());
    EXPECT_EQ(bytes.owner().get(), owner.get());
    EXPECT_TRUE(Copy(bytes, 0, 10).ok);
    EXPECT_EQ(bytes.byte_size(), 0u);
  }
}

TEST(CrateBytesTest, EmptyFilesAreSupported) {
  File file(0);
  const CrateBytes bytes(file.bytes, file.Owner());
  EXPECT_EQ(bytes.size(), 0u);
  EXPECT_TRUE(Copy(bytes, 0, 0).ok);
  EXPECT_EQ(bytes.byte_size(), 0u);
}

}  // namespace
}  // namespace stagedoor

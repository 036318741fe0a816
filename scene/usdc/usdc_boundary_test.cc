// Every index in the tables of a crate, just within and just beyond the table that it refers to.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/testing/crate_maker.h"
#include "scene/usdc/testing/crate_sections.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_reader.h"

namespace stagedoor {
namespace {

constexpr const char* kSeeds[] = {"v0.4.usdc", "v0.7.usdc", "v0.16.usdc"};
constexpr uint32_t kEndOfSet = std::numeric_limits<uint32_t>::max();
constexpr size_t kMostPlaces = 24;  // number of positions of one block that are tried

// One of the integer blocks of a section, whose numbers are indices into the table of a section.
struct Indices {
  const char* section;
  size_t counts;  // number of counts at the beginning of the section
  size_t blocks;
  size_t block;
  const char* into;
};

constexpr Indices kIndices[] = {
    {"FIELDS", 1, 2, 0, "TOKENS"}, {"FIELDSETS", 1, 1, 0, "FIELDS"},
    {"PATHS", 2, 3, 0, "PATHS"},   {"PATHS", 2, 3, 1, "TOKENS"},
    {"SPECS", 1, 3, 0, "PATHS"},   {"SPECS", 1, 3, 1, "FIELDSETS"},
};

uint64_t CountOf(const std::string& bytes, std::string_view section) {
  return LoadAt<uint64_t>(bytes, StartOf(bytes, section));
}

CrateSection Take(const std::string& bytes, const Indices& indices) {
  return SectionOf(bytes, indices.section, indices.counts, indices.blocks);
}

// The crate with one number of the block replaced.
std::string With(const std::string& bytes, const Indices& indices, size_t at, uint32_t number) {
  CrateSection section = Take(bytes, indices);
  std::vector<uint32_t> numbers = section.Ints(indices.block);
  numbers[at] = number;
  section.SetInts(indices.block, numbers);
  return WithSection(bytes, indices.section, section.Bytes());
}

// The positions of a block that are tried: all of a short one, the first and last of a long one.
std::vector<size_t> PlacesOf(size_t count) {
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i) {
    if (i < kMostPlaces / 2 || i + kMostPlaces / 2 >= count) places.push_back(i);
  }
  return places;
}

absl::StatusCode CodeOf(std::string bytes) {
  const auto layer = ReadUsdcBytes(std::move(bytes));
  size_t invalid = 0;
  if (layer.ok()) DecodeEverything(**layer, &invalid);
  return layer.status().code();
}

TEST(UsdcBoundaryTest, SeedsAreGood) {
  for (const char* seed : kSeeds) {
    EXPECT_EQ(CodeOf(ReadCorpusFile(seed)), absl::StatusCode::kOk) << seed;
  }
}

TEST(UsdcBoundaryTest, IndicesMustBeBelowTheCount) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    for (const Indices& indices : kIndices) {
      const auto count = static_cast<uint32_t>(CountOf(bytes, indices.into));
      const std::vector<uint32_t> before = Take(bytes, indices).Ints(indices.block);
      for (const size_t at : PlacesOf(before.size())) {
        if (std::string_view(indices.section) == "FIELDSETS" && before[at] == kEndOfSet) continue;
        const auto where = [&] {
          return std::string(seed) + " " + indices.section + " block " +
                 std::to_string(indices.block) + " at " + std::to_string(at);
        };
        EXPECT_EQ(CodeOf(With(bytes, indices, at, count)), absl::StatusCode::kDataLoss) << where();
        CodeOf(With(bytes, indices, at, count - 1));
        CodeOf(With(bytes, indices, at, 0));
      }
    }
  }
}

TEST(UsdcBoundaryTest, StringTokensMustBeBelowTheCount) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const auto count = static_cast<uint32_t>(CountOf(bytes, "TOKENS"));
    const size_t strings = StartOf(bytes, "STRINGS") + sizeof(uint64_t);
    ASSERT_GT(CountOf(bytes, "STRINGS"), 0u) << seed;
    for (const size_t at : PlacesOf(CountOf(bytes, "STRINGS"))) {
      const auto with = [&](uint32_t token) {
        std::string changed = bytes;
        changed.replace(strings + at * sizeof(token), sizeof(token),
                        reinterpret_cast<const char*>(&token), sizeof(token));
        return changed;
      };
      EXPECT_EQ(CodeOf(with(count)), absl::StatusCode::kDataLoss) << seed << " at " << at;
      EXPECT_EQ(CodeOf(with(count - 1)), absl::StatusCode::kOk) << seed << " at " << at;
    }
  }
}

// The crate with other tokens: `text` is the text of all, each terminated by a zero byte.
std::string WithTokens(const std::string& bytes, uint64_t count, const std::string& text) {
  const std::string packed = EncodeLz4(std::as_bytes(std::span(text)));
  return WithSection(bytes, "TOKENS",
                     CrateBytesOf(count) + CrateBytesOf(uint64_t{text.size()}) +
                         CrateBytesOf(uint64_t{packed.size()}) + packed);
}

TEST(UsdcBoundaryTest, TheLastTokenMustBeTerminated) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const size_t start = StartOf(bytes, "TOKENS");
    std::string text(LoadAt<uint64_t>(bytes, start + 8), '\0');
    ASSERT_TRUE(DecodeLz4(
        std::as_bytes(std::span(bytes)).subspan(start + 24, LoadAt<uint64_t>(bytes, start + 16)),
        std::as_writable_bytes(std::span(text))));
    const uint64_t count = CountOf(bytes, "TOKENS");
    EXPECT_EQ(CodeOf(WithTokens(bytes, count, text)), absl::StatusCode::kOk) << seed;
    text.back() = 'x';
    EXPECT_EQ(CodeOf(WithTokens(bytes, count, text)), absl::StatusCode::kDataLoss) << seed;
  }
}

TEST(UsdcBoundaryTest, TheOnlyTokenHasIndex0) {
  CrateMaker crate;
  crate.tables().AddPath(*Path::Parse("/A"));
  const std::string bytes = WithTokens(crate.File(), 1, std::string("A\0", 2));
  const Indices elements{"PATHS", 2, 3, 1, "TOKENS"};
  EXPECT_EQ(CodeOf(With(bytes, elements, 1, 0)), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(With(bytes, elements, 1, 1)), absl::StatusCode::kDataLoss);
}

// The indices of property names are negated.
TEST(UsdcBoundaryTest, NegatedIndicesMustBeBelowTheCount) {
  const Indices elements{"PATHS", 2, 3, 1, "TOKENS"};
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const auto count = static_cast<int32_t>(CountOf(bytes, "TOKENS"));
    for (const size_t at : PlacesOf(Take(bytes, elements).Ints(1).size())) {
      EXPECT_EQ(CodeOf(With(bytes, elements, at, static_cast<uint32_t>(-count))),
                absl::StatusCode::kDataLoss)
          << seed << " at " << at;
      CodeOf(With(bytes, elements, at, static_cast<uint32_t>(1 - count)));
      CodeOf(With(bytes, elements, at, 0x80000000));
    }
  }
}

// A jump of -2 means neither child nor sibling, -1 a child, 0 a sibling; a positive jump means a
// child and a sibling that many items further on.
TEST(UsdcBoundaryTest, JumpsMustStayWithinTheTable) {
  const Indices jumps{"PATHS", 2, 3, 2, "PATHS"};
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const size_t count = Take(bytes, jumps).Ints(2).size();
    for (const size_t at : PlacesOf(count)) {
      EXPECT_EQ(CodeOf(With(bytes, jumps, at, static_cast<uint32_t>(count - at))),
                absl::StatusCode::kDataLoss)
          << seed << " at " << at;
      EXPECT_EQ(CodeOf(With(bytes, jumps, at, std::numeric_limits<int32_t>::max())),
                absl::StatusCode::kDataLoss)
          << seed << " at " << at;
      for (const int32_t other : {-3, -2, -1, 0, 1, static_cast<int32_t>(count - at) - 1}) {
        CodeOf(With(bytes, jumps, at, static_cast<uint32_t>(other)));
      }
    }
    for (const uint32_t child : {0U, static_cast<uint32_t>(-1)}) {
      EXPECT_EQ(CodeOf(With(bytes, jumps, count - 1, child)), absl::StatusCode::kDataLoss)
          << seed << ": nothing follows the last item";
    }
  }
}

TEST(UsdcBoundaryTest, TheLastFieldSetMustBeTerminated) {
  const Indices sets{"FIELDSETS", 1, 1, 0, "FIELDS"};
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const size_t last = CountOf(bytes, "FIELDSETS") - 1;
    ASSERT_EQ(Take(bytes, sets).Ints(0)[last], kEndOfSet) << seed;
    EXPECT_EQ(CodeOf(With(bytes, sets, last, 0)), absl::StatusCode::kDataLoss) << seed;
  }
}

TEST(UsdcBoundaryTest, UnknownSpecTypesAreRejected) {
  const Indices types{"SPECS", 1, 3, 2, ""};
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    const auto end = static_cast<uint32_t>(CrateSpecType::kEnd);
    for (const size_t at : PlacesOf(Take(bytes, types).Ints(2).size())) {
      for (const uint32_t unknown : {0u, end, end + 1}) {
        EXPECT_EQ(CodeOf(With(bytes, types, at, unknown)), absl::StatusCode::kDataLoss)
            << seed << " at " << at << ": " << unknown;
      }
    }
  }
}

TEST(UsdcBoundaryTest, BlocksMustHoldAllTheirItems) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    for (const Indices& indices : kIndices) {
      for (size_t missing = 1; missing <= 3; ++missing) {
        CrateSection section = Take(bytes, indices);
        std::vector<uint32_t> numbers = section.Ints(indices.block);
        numbers.resize(numbers.size() - missing);
        section.SetInts(indices.block, numbers);
        // Items that repeat the most frequent difference take no bytes, so that a few may be
        // missing.
        CodeOf(WithSection(bytes, indices.section, section.Bytes()));
        section = Take(bytes, indices);
        std::string& block = section.blocks[indices.block];
        block.resize(block.size() - missing);
        EXPECT_EQ(CodeOf(WithSection(bytes, indices.section, section.Bytes())),
                  absl::StatusCode::kDataLoss)
            << seed << " " << indices.section << " cut by " << missing;
      }
    }
  }
}

}  // namespace
}  // namespace stagedoor

// The extents of a crate's sections, and the rules of its tables that indices alone cannot break.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/testing/crate_maker.h"
#include "scene/usdc/testing/crate_sections.h"
#include "scene/usdc/testing/usdc_test_util.h"

namespace stagedoor {
namespace {

constexpr const char* kSeeds[] = {"v0.4.usdc", "v0.7.usdc", "v0.16.usdc"};
constexpr const char* kSections[] = {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"};

// The problem of reading a crate: the message without the name of the file and the offset. Empty if
// it is good.
std::string Problem(std::string bytes) {
  const auto layer = ReadUsdcBytes(std::move(bytes));
  if (layer.ok()) return "";
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kDataLoss) << layer.status();
  std::string message(Message(layer.status()));
  message.resize(std::min(message.size(), message.find(" at offset ")));
  return message.substr(message.find(": ") + 2);
}

TEST(UsdcSectionsTest, TheHeaderMustBeComplete) {
  const std::string bytes = ReadCorpusFile("v0.16.usdc");
  EXPECT_EQ(Problem(bytes.substr(0, kCrateBootSize - 1)), "the header is truncated");
  EXPECT_EQ(Problem(bytes.substr(0, kCrateBootSize)), "table of contents is outside the file");
}

TEST(UsdcSectionsTest, SectionsMustEndWithinTheFile) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    for (const char* section : kSections) {
      const size_t entry = EntryOf(bytes, section);
      std::string changed = bytes;
      const uint64_t rest = bytes.size() - StartOf(bytes, section);
      StoreAt(changed, entry + 24, rest);
      EXPECT_EQ(Problem(changed), "") << seed << " " << section;
      StoreAt(changed, entry + 24, rest + 1);
      EXPECT_EQ(Problem(changed), "section is outside the file") << seed << " " << section;
    }
  }
}

TEST(UsdcSectionsTest, EmptySectionsMayBeginAtTheEndOfTheFile) {
  std::string bytes = CrateMaker().File();
  const size_t entry = EntryOf(bytes, "STRINGS");
  bytes.replace(entry, 7, "UNKNOWN");
  StoreAt(bytes, entry + 16, uint64_t{bytes.size()});
  StoreAt(bytes, entry + 24, uint64_t{0});
  EXPECT_EQ(Problem(bytes), "");
  StoreAt(bytes, entry + 16, uint64_t{bytes.size() + 1});
  EXPECT_EQ(Problem(bytes), "section is outside the file");
}

// Bytes of other sections follow, which must not be read.
TEST(UsdcSectionsTest, TablesMustEndWithinTheirSections) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    for (const char* section : kSections) {
      const size_t entry = EntryOf(bytes, section);
      const auto size = LoadAt<uint64_t>(bytes, entry + 24);
      for (uint64_t missing = 1; missing <= 3; ++missing) {
        std::string changed = bytes;
        StoreAt(changed, entry + 24, size - missing);
        EXPECT_NE(Problem(changed), "") << seed << " " << section << " without " << missing;
      }
      std::string changed = bytes;
      StoreAt(changed, entry + 24, uint64_t{7});
      EXPECT_NE(Problem(changed), "") << seed << " " << section << " without a count";
    }
  }
}

TEST(UsdcSectionsTest, BlocksMustEndWithinTheirSections) {
  const std::string sets = CrateBytesOf(uint64_t{0}) + CrateBytesOf(uint64_t{1});
  EXPECT_EQ(Problem(WithSection(CrateMaker().File(), "FIELDSETS", sets)),
            "compressed integers extend beyond their section");
}

TEST(UsdcSectionsTest, AllStringsMustBeThere) {
  for (const char* seed : kSeeds) {
    std::string bytes = ReadCorpusFile(seed);
    const size_t start = StartOf(bytes, "STRINGS");
    const auto count = LoadAt<uint64_t>(bytes, start);
    ASSERT_EQ(LoadAt<uint64_t>(bytes, EntryOf(bytes, "STRINGS") + 24), 8 + 4 * count) << seed;
    StoreAt(bytes, start, count + 1);
    EXPECT_EQ(Problem(bytes), "strings extend beyond their section") << seed;
  }
}

TEST(UsdcSectionsTest, BlocksMustHaveTheSizeThatIsClaimed) {
  for (const char* seed : kSeeds) {
    const std::string bytes = ReadCorpusFile(seed);
    std::string changed = bytes;
    const size_t text_size = StartOf(bytes, "TOKENS") + 8;
    StoreAt(changed, text_size, LoadAt<uint64_t>(bytes, text_size) + 1);
    EXPECT_EQ(Problem(changed), "corrupt compressed tokens") << seed;
    CrateSection fields = SectionOf(bytes, "FIELDS", 1, 2);
    const std::vector<uint64_t> fewer(fields.count() - 1, CrateValueRep().bits());
    fields.blocks[1] = EncodeLz4(std::as_bytes(std::span(fewer)));
    EXPECT_EQ(Problem(WithSection(bytes, "FIELDS", fields.Bytes())), "corrupt field values")
        << seed;
  }
}

TEST(UsdcSectionsTest, ThereMustBeASpec) {
  const CrateSection specs{"SPECS", {0}, {"", "", ""}};
  EXPECT_EQ(Problem(WithSection(CrateMaker().File(), "SPECS", specs.Bytes())),
            "the specs section is empty");
}

constexpr uint32_t kRoot = CrateTableBuilder::kRootPath;

// The problem of reading a crate whose specs have these paths and field sets.
std::string ProblemOfSpecs(const std::string& bytes, const std::vector<uint32_t>& paths,
                           const std::vector<uint32_t>& field_sets) {
  std::vector<uint32_t> types;
  for (const uint32_t path : paths) {
    types.push_back(
        static_cast<uint32_t>(path == kRoot ? CrateSpecType::kPseudoRoot : CrateSpecType::kPrim));
  }
  const CrateSection specs{
      "SPECS", {paths.size()}, {EncodeInts(paths), EncodeInts(field_sets), EncodeInts(types)}};
  return Problem(WithSection(bytes, "SPECS", specs.Bytes()));
}

TEST(UsdcSectionsTest, ThereMustNotBeMoreSpecsThanPaths) {
  CrateMaker crate;
  const uint32_t a = crate.tables().AddPath(*Path::Parse("/A"));
  const std::string bytes = crate.File();
  EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, a}, {0, 0}), "");
  EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, a, a}, {0, 0, 0}), "more specs than paths");
}

TEST(UsdcSectionsTest, TheEmptyPathHasNoSpec) {
  CrateMaker crate;
  const uint32_t a = crate.tables().AddPath(*Path::Parse("/A"));
  const uint32_t none = crate.tables().AddPath(Path());
  const std::string bytes = crate.File();
  EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, a}, {0, 0}), "");
  EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, none}, {0, 0}), "spec refers to a missing path");
}

TEST(UsdcSectionsTest, SpecsReferToTheBeginningOfAFieldSet) {
  CrateMaker crate;
  const uint32_t a = crate.tables().AddPath(*Path::Parse("/A"));
  const uint32_t field = crate.tables().AddField(Token("documentation"), crate.Pack(Value(1)));
  const uint32_t set = crate.tables().AddFieldSet({field, field});
  const std::string bytes = crate.File();
  EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, a}, {0, set}), "");
  for (const uint32_t other : {set + 1, set + 2}) {
    EXPECT_EQ(ProblemOfSpecs(bytes, {kRoot, a}, {0, other}), "spec refers to an invalid field set")
        << other;
  }
}

TEST(UsdcSectionsTest, FieldSetsHaveALimit) {
  CrateMaker crate;
  crate.tables().AddField(Token("a"), crate.Pack(Value(1)));
  const std::string bytes = crate.File();
  const auto problem = [&](size_t count) {
    std::vector<uint32_t> sets(count, 0);
    sets.push_back(kCrateNoField);
    // The set of the root spec begins at 0 and must be one of these.
    const CrateSection section{"FIELDSETS", {sets.size()}, {EncodeInts(sets)}};
    return Problem(WithSection(bytes, "FIELDSETS", section.Bytes()));
  };
  EXPECT_EQ(problem(65535), "");
  EXPECT_EQ(problem(65536), "field set is too long");
}

// An item of the table of paths: the index of its path, the token of its last element, and the jump
// to what follows.
struct Item {
  uint32_t path, element;
  int32_t jump;
};

TEST(UsdcSectionsTest, TheTreeOfPathsMustBeWellFormed) {
  constexpr int32_t kLeaf = -2, kChild = -1, kSibling = 0;
  CrateMaker crate;
  for (const char* name : {"A", "B", "C", "D"}) crate.tables().AddToken(Token(name));
  const std::string bytes = crate.File();
  const struct {
    const char* problem;
    uint64_t paths;
    std::vector<Item> items;
  } kCases[] = {
      {"", 1, {{0, 0, kLeaf}}},
      {"", 2, {{0, 0, kChild}, {1, 1, kLeaf}}},
      {"", 3, {{0, 0, kChild}, {1, 1, kSibling}, {2, 2, kLeaf}}},
      {"", 4, {{0, 0, kChild}, {1, 1, 2}, {2, 2, kLeaf}, {3, 3, kLeaf}}},
      {"", 2, {{0, 0, kLeaf}}},  // one is the empty path
      {"inconsistent numbers of paths", 3, {{0, 0, kLeaf}}},
      {"inconsistent numbers of paths", 1, {{0, 0, kChild}, {1, 1, kLeaf}}},
      {"path index out of range or repeated", 2, {{0, 0, kChild}, {2, 1, kLeaf}}},
      {"path index out of range or repeated", 2, {{0, 0, kChild}, {0, 1, kLeaf}}},
      {"path jump leads outside the table", 2, {{0, 0, 1}, {1, 1, kLeaf}}},
      {"path jump leads outside the table", 3, {{0, 0, 2}, {1, 1, kLeaf}, {2, 2, kLeaf}}},
      {"path jump leads outside the table", 3, {{0, 0, kChild}, {1, 1, 1}, {2, 2, kLeaf}}},
      {"path jump leads outside the table", 3, {{0, 0, kChild}, {1, 1, 2}, {2, 2, kLeaf}}},
      {"missing child of a path", 1, {{0, 0, kChild}}},
      {"missing child of a path", 2, {{0, 0, kChild}, {1, 1, kChild}}},
      {"missing sibling of a path", 2, {{0, 0, kSibling}, {1, 1, kLeaf}}},
      {"missing sibling of a path", 2, {{0, 0, kChild}, {1, 1, kSibling}}},
      {"paths after the end of the tree", 2, {{0, 0, kLeaf}, {1, 1, kLeaf}}},
      {"paths after the end of the tree", 3, {{0, 0, kChild}, {1, 1, kLeaf}, {2, 2, kLeaf}}},
      {"paths are out of order",
       5,
       {{0, 0, kChild}, {1, 1, 3}, {2, 2, kLeaf}, {3, 3, kLeaf}, {4, 4, kLeaf}}},
  };
  for (const auto& c : kCases) {
    std::vector<uint32_t> paths, elements, jumps;
    std::string where;
    for (const Item& item : c.items) {
      paths.push_back(item.path);
      elements.push_back(item.element);
      jumps.push_back(static_cast<uint32_t>(item.jump));
      where += Concat(" (", item.path, ", ", item.element, ", ", item.jump, ")");
    }
    const CrateSection section{"PATHS",
                               {c.paths, c.items.size()},
                               {EncodeInts(paths), EncodeInts(elements), EncodeInts(jumps)}};
    EXPECT_EQ(Problem(WithSection(bytes, "PATHS", section.Bytes())), c.problem)
        << c.paths << " paths:" << where;
  }
}

TEST(UsdcSectionsTest, NamespacesHaveAMaximumDepth) {
  CrateMaker crate;
  const uint32_t name = crate.tables().AddToken(Token("A"));
  const std::string bytes = crate.File();
  const auto problem = [&](size_t depth) {
    std::vector<uint32_t> paths, elements(depth + 1, name), jumps(depth + 1, ~uint32_t{0});
    for (uint32_t i = 0; i <= depth; ++i) paths.push_back(i);
    elements.front() = 0;
    jumps.back() = static_cast<uint32_t>(-2);
    const CrateSection section{"PATHS",
                               {paths.size(), paths.size()},
                               {EncodeInts(paths), EncodeInts(elements), EncodeInts(jumps)}};
    return Problem(WithSection(bytes, "PATHS", section.Bytes()));
  };
  EXPECT_EQ(problem(2048), "");
  EXPECT_EQ(problem(2049), "namespace is nested too deeply");
}

}  // namespace
}  // namespace stagedoor

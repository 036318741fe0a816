// Damaged and malicious files must cause nothing but errors.
#include <cstring>
#include <random>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/testing/crate_sections.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/dictionary.h"

namespace stagedoor {
namespace {

constexpr const char* kSeeds[] = {"v0.4.usdc", "v0.7.usdc", "v0.16.usdc"};

TEST(UsdcHostileTest, RejectsFilesThatAreNotCrates) {
  EXPECT_FALSE(IsUsdc(std::as_bytes(std::span("#usda 1.0"))));
  EXPECT_EQ(ReadUsdcBytes("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadUsdcBytes("PXR-USDA and more").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadUsdcBytes("PXR-USDC").status().code(), absl::StatusCode::kDataLoss);
}

TEST(UsdcHostileTest, RejectsUnsupportedVersions) {
  for (const auto& [major, minor] : {std::pair(0, 3), std::pair(0, 17), std::pair(1, 0)}) {
    std::string bytes = ReadCorpusFile("v0.8.usdc");
    bytes[8] = static_cast<char>(major);
    bytes[9] = static_cast<char>(minor);
    const auto layer = ReadUsdcBytes(bytes, "file.usdc");
    EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(layer.status().ToString().find("file.usdc: crate version"), std::string::npos);
  }
}

TEST(UsdcHostileTest, EveryTruncationIsAnError) {
  const std::string whole = ReadCorpusFile("v0.16.usdc");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadUsdcBytes(whole.substr(0, size)).ok()) << size;
  }
}

TEST(UsdcHostileTest, DamageNamesFileAndOffset) {
  std::string bytes = ReadCorpusFile("v0.8.usdc");
  StoreAt(bytes, EntryOf(bytes, "PATHS") + 16, ~uint64_t{0});
  const auto layer = ReadUsdcBytes(bytes, "file.usdc");
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(layer.status().ToString().find("file.usdc: section is outside the file at offset"),
            std::string::npos)
      << layer.status();
}

TEST(UsdcHostileTest, ImplausibleCountsAllocateNothing) {
  for (const char* section : {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"}) {
    for (const uint64_t count : {~uint64_t{0}, uint64_t{1} << 40, uint64_t{1} << 31,
                                 uint64_t{1} << 22, uint64_t{100000}}) {
      std::string bytes = ReadCorpusFile("v0.8.usdc");
      StoreAt(bytes, StartOf(bytes, section), count);
      const auto layer = ReadUsdcBytes(bytes);
      EXPECT_TRUE(layer.status().code() == absl::StatusCode::kDataLoss ||
                  layer.status().code() == absl::StatusCode::kResourceExhausted)
          << section << " " << count << " " << layer.status();
    }
  }
}

Value Nested(int depth) {
  Value value(1);
  for (int i = 0; i < depth; ++i) {
    Dictionary outer;
    outer.Set("a", value);
    value = Value(std::move(outer));
  }
  return value;
}

TEST(UsdcHostileTest, NestingIsBounded) {
  for (const auto& [depth, fits] : {std::pair(250, true), std::pair(260, false)}) {
    LayerBuilder builder;
    builder.Set(kRootSpec, Fields().customLayerData, Nested(depth));
    const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
    ASSERT_TRUE(layer.ok());
    const Value value = (*layer)->Get(kRootSpec, Fields().customLayerData);
    EXPECT_EQ(value.is_invalid(), !fits) << depth;
  }
}

TEST(UsdcHostileTest, SharedDictionariesDoNotExpandWithoutBound) {
  // Each level contains the level below twice, but the file stores each level once.
  LayerBuilder builder;
  Value value(1);
  for (int i = 0; i < 20; ++i) {
    Dictionary outer;
    outer.Set("a", value);
    outer.Set("b", value);
    value = Value(std::move(outer));
  }
  builder.Set(kRootSpec, Fields().customLayerData, value);
  const auto written = WriteUsdc(*std::move(builder).Build({}));
  ASSERT_TRUE(written.ok());
  EXPECT_LT(written->size(), 2000u);
  const auto layer = ReadUsdcBytes(*written);
  ASSERT_TRUE(layer.ok());
  const Value read = (*layer)->Get(kRootSpec, Fields().customLayerData);
  EXPECT_TRUE(read.is_invalid());
  EXPECT_NE(read.invalid_reason().find("beyond the limit for files of this size"),
            std::string_view::npos);
}

TEST(UsdcHostileTest, SharedRelocatesDoNotExpandWithoutBound) {
  LayerBuilder builder;
  Value value(Relocates(6000, {*Path::Parse("/A"), *Path::Parse("/B")}));
  for (int i = 0; i < 8; ++i) {
    Dictionary outer;
    outer.Set("a", value);
    outer.Set("b", value);
    value = Value(std::move(outer));
  }
  builder.Set(kRootSpec, Fields().customLayerData, value);
  const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
  ASSERT_TRUE(layer.ok());
  const Value read = (*layer)->Get(kRootSpec, Fields().customLayerData);
  EXPECT_NE(read.invalid_reason().find("beyond the limit for files of this size"),
            std::string_view::npos);
}

TEST(UsdcHostileTest, ValuesThatContainThemselvesAreInvalid) {
  LayerBuilder builder;
  Dictionary inner, outer;
  inner.Set("a", Value(1));
  outer.Set("a", Value(inner));
  builder.Set(kRootSpec, Fields().customLayerData, Value(outer));
  std::string bytes = *WriteUsdc(*std::move(builder).Build({}));
  // The outer dictionary is stored after the inner one: count, key, distance, representation.
  const size_t inner_at = kCrateBootSize;
  const size_t outer_at = inner_at + 28;
  ASSERT_EQ(LoadAt<uint64_t>(bytes, outer_at), 1u);
  StoreAt(bytes, outer_at + 20, CrateValueRep(CrateType::kDictionary, 0, outer_at).bits());
  const auto layer = ReadUsdcBytes(bytes);
  ASSERT_TRUE(layer.ok());
  EXPECT_TRUE((*layer)->Get(kRootSpec, Fields().customLayerData).is_invalid());
}

TEST(UsdcHostileTest, DeepNamespacesAreRefused) {
  LayerBuilder builder;
  Path path = Path::AbsoluteRoot();
  for (int i = 0; i < 2100; ++i) path = path.AppendChild(Token("a"));
  SpecId spec = kRootSpec;
  for (int i = 0; i < 2100; ++i) spec = builder.FindOrAdd(spec, SpecType::kPrim, Token("a"));
  const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kDataLoss);
}

// Crates with inconsistent tables. Most of the rules are tested by
// tests/formats/crate_mutants_test.py, which compares the results with usd-core.
std::string PrimsAB() {
  LayerBuilder builder;
  builder.EnsureProperty(*Path::Parse("/A.p"), SpecType::kAttribute);
  builder.EnsurePrim(*Path::Parse("/A/B"));
  builder.EnsurePrim(*Path::Parse("/A/C"));
  return *WriteUsdc(*std::move(builder).Build({}));
}

// Replaces the text of a token by another one of the same length.
std::string Renamed(std::string bytes, std::string_view from, std::string_view to) {
  const size_t start = StartOf(bytes, "TOKENS");
  const size_t packed = start + 24;
  std::string text(LoadAt<uint64_t>(bytes, start + 8), '\0');
  const auto in =
      std::as_bytes(std::span(bytes)).subspan(packed, LoadAt<uint64_t>(bytes, start + 16));
  EXPECT_TRUE(DecodeLz4(in, std::as_writable_bytes(std::span(text))));
  const std::string wanted = std::string(1, '\0') + std::string(from) + '\0';
  const size_t at = text.find(wanted);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at + 1, to.size(), to);
  const std::string block = EncodeLz4(std::as_bytes(std::span(std::as_const(text))));
  std::string section = bytes.substr(start, 16);
  const uint64_t size = block.size();
  section.append(reinterpret_cast<const char*>(&size), sizeof(size)) += block;
  return WithSection(std::move(bytes), "TOKENS", section);
}

TEST(UsdcHostileTest, ListedChildPrimsMustExistOnce) {
  const std::string good = PrimsAB();
  ASSERT_TRUE(ReadUsdcBytes(good).ok());
  // Find the list of two children: a count and two tokens.
  size_t list = kCrateBootSize;
  while (LoadAt<uint64_t>(good, list) != 2) list += 4;
  const auto first = LoadAt<uint32_t>(good, list + 8);
  const auto second = LoadAt<uint32_t>(good, list + 12);
  for (const uint32_t other : {first, uint32_t{0}}) {
    std::string bytes = good;
    StoreAt(bytes, list + 12, other);
    const auto layer = ReadUsdcBytes(bytes);
    EXPECT_EQ(layer.status().code(), absl::StatusCode::kDataLoss) << other << " " << second;
  }
}

TEST(UsdcHostileTest, EveryPathMustBeValid) {
  const std::string good = PrimsAB();
  EXPECT_TRUE(ReadUsdcBytes(Renamed(good, "C", "D")).ok());
  for (const char* bad : {"1", " ", "."}) {
    EXPECT_EQ(ReadUsdcBytes(Renamed(good, "C", bad)).status().code(), absl::StatusCode::kDataLoss)
        << bad;
    EXPECT_EQ(ReadUsdcBytes(Renamed(good, "p", bad)).status().code(), absl::StatusCode::kDataLoss)
        << bad;
  }
}

TEST(UsdcHostileTest, FieldsMustHaveAKnownType) {
  const std::string bytes = PrimsAB();
  CrateSection fields = SectionOf(bytes, "FIELDS", 1, 2);
  std::vector<uint64_t> reps(fields.count());
  ASSERT_TRUE(DecodeLz4(std::as_bytes(std::span(fields.blocks[1])),
                        std::as_writable_bytes(std::span(reps))));
  size_t at = 0;
  while (CrateValueRep(reps[at]).type() != CrateType::kSpecifier) ++at;
  for (const auto& [type, known] : {std::pair(61, true), std::pair(62, false)}) {
    reps[at] = uint64_t(type) << 48 | CrateValueRep::kInlined;
    fields.blocks[1] = EncodeLz4(std::as_bytes(std::span(std::as_const(reps))));
    EXPECT_EQ(ReadUsdcBytes(WithSection(bytes, "FIELDS", fields.Bytes())).ok(), known) << type;
  }
}

// Takes a section apart into its compressed blocks, changes one, and appends the section to the
// file.
class SectionMutator {
 public:
  SectionMutator(std::string* bytes, std::mt19937* random) : bytes_(*bytes), random_(*random) {}

  void MutateOne() {
    static constexpr struct {
      const char* name;
      int counts;
      int blocks;
      bool reps_last;
    } kSections[] = {{"FIELDS", 1, 2, true},
                     {"FIELDSETS", 1, 1, false},
                     {"PATHS", 2, 3, false},
                     {"SPECS", 1, 3, false}};
    const auto& kind = kSections[random_() % std::size(kSections)];
    CrateSection section = SectionOf(bytes_, kind.name, kind.counts, kind.blocks);
    const int chosen = static_cast<int>(random_() % kind.blocks);
    if (section.count() > 0) {
      std::string& block = section.blocks[chosen];
      block = kind.reps_last && chosen == 1 ? MutateReps(block, section.count())
                                            : MutateInts(block, section.count());
    }
    bytes_ = WithSection(std::move(bytes_), kind.name, section.Bytes());
  }

 private:
  template <typename Int>
  void Change(std::vector<Int>& numbers) {
    Int& number = numbers[random_() % numbers.size()];
    switch (random_() % 4) {
      case 0:
        number ^= Int{1} << random_() % (8 * sizeof(Int));
        break;
      case 1:
        number = numbers[random_() % numbers.size()];
        break;
      case 2:
        number += static_cast<Int>(random_() % 7) - 3;
        break;
      default:
        number = static_cast<Int>(random_()) >> random_() % 32;
    }
  }
  std::string MutateInts(const std::string& block, uint64_t count) {
    std::vector<uint32_t> numbers(count);
    EXPECT_TRUE(DecodeInts(std::as_bytes(std::span(block)), std::span<uint32_t>(numbers)));
    Change(numbers);
    return EncodeInts(std::span<const uint32_t>(numbers));
  }
  std::string MutateReps(const std::string& block, uint64_t count) {
    std::vector<uint64_t> reps(count);
    EXPECT_EQ(DecodeLz4(std::as_bytes(std::span(block)), std::as_writable_bytes(std::span(reps))),
              count * 8);
    Change(reps);
    return EncodeLz4(std::as_bytes(std::span(reps)));
  }

  std::string& bytes_;
  std::mt19937& random_;
};

void MutateBytes(std::string& bytes, std::mt19937& random) {
  const size_t at = random() % (bytes.size() - 8);
  switch (random() % 6) {
    case 0:
      bytes[at] ^= static_cast<char>(1 << random() % 8);
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      StoreAt(bytes, at, uint64_t{1} << random() % 64);
      break;
    case 3:
      StoreAt(bytes, at, static_cast<int32_t>(random() % 5) - 2);
      break;
    case 4:
      std::memmove(&bytes[at], &bytes[random() % (bytes.size() - 8)], 1 + random() % 8);
      break;
    default:
      bytes.resize(bytes.size() - random() % 64);
  }
}

TEST(UsdcHostileTest, TenThousandMutationsAreHandled) {
  std::mt19937 random(20240607);
  size_t opened = 0;
  size_t values = 0;
  size_t invalid = 0;
  std::string seeds[std::size(kSeeds)];
  for (size_t i = 0; i < std::size(kSeeds); ++i) seeds[i] = ReadCorpusFile(kSeeds[i]);
  for (int i = 0; i < 10000; ++i) {
    std::string bytes = seeds[i % std::size(kSeeds)];
    const size_t values_end = StartOf(bytes, "TOKENS");
    switch (i % 3) {
      case 0:
        for (unsigned k = 0; k < 1 + random() % 3; ++k) MutateBytes(bytes, random);
        break;
      case 1:
        SectionMutator(&bytes, &random).MutateOne();
        break;
      default: {  // only the values, which opening does not read
        std::string head = bytes.substr(0, values_end);
        for (unsigned k = 0; k < 8; ++k) MutateBytes(head, random);
        head.resize(values_end);
        bytes.replace(kCrateBootSize, values_end - kCrateBootSize, head, kCrateBootSize,
                      values_end - kCrateBootSize);
      }
    }
    const auto layer = ReadUsdcBytes(std::move(bytes));
    if (!layer.ok()) {
      EXPECT_TRUE(layer.status().code() == absl::StatusCode::kDataLoss ||
                  layer.status().code() == absl::StatusCode::kInvalidArgument ||
                  layer.status().code() == absl::StatusCode::kResourceExhausted)
          << layer.status();
      continue;
    }
    ++opened;
    values += DecodeEverything(**layer, &invalid);
    for (SpecId spec = 0; spec < (*layer)->tree().size(); ++spec) {
      EXPECT_EQ((*layer)->tree().Find((*layer)->tree().path(spec)), spec);
    }
  }
  // Enough mutations must pass the checks of the tables.
  EXPECT_GT(opened, 3000u);
  EXPECT_GT(invalid, 3000u);
  EXPECT_GT(values, 100000u);
}

}  // namespace
}  // namespace stagedoor

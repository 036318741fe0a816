#include "scene/usdc/crate_tables.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/usdc/testing/crate_maker.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

// Paths with every kind of element.
std::vector<Path> SamplePaths() {
  std::vector<Path> paths = {Path(), Path::AbsoluteRoot()};
  for (const char* text : {"/A", "/A/B", "/A.p", "/A.ns:p", "/A{set=variant}", "/A{set=}",
                           "/A{set=a}B.p", "/A{a=b}{c=d}", "/A.rel[/T/U]", "/A.rel[/T.x].attr",
                           "/A.p.mapper[/T.x]", "/A.p.mapper[/T.x].arg", "/A.p.expression"}) {
    paths.push_back(P(text));
    EXPECT_FALSE(paths.back().empty()) << text;
  }
  return paths;
}

TEST(CrateTablesTest, PathsOfEveryKindSurviveARoundTrip) {
  CrateMaker crate;
  std::vector<uint32_t> indices;
  for (const Path path : SamplePaths()) indices.push_back(crate.tables().AddPath(path));
  const auto tables = crate.Open();
  for (size_t i = 0; i < indices.size(); ++i) {
    Path path = P("/Other");
    EXPECT_TRUE(tables->FindPath(indices[i], &path)) << SamplePaths()[i].ToString();
    EXPECT_EQ(path, SamplePaths()[i]) << path.ToString();
    EXPECT_EQ(crate.tables().AddPath(SamplePaths()[i]), indices[i]) << "already present";
  }
}

TEST(CrateTablesTest, RelativePathsAreStoredBelowTheRoot) {
  CrateMaker crate;
  const uint32_t index = crate.tables().AddPath(P("A/B"));
  EXPECT_EQ(index, crate.tables().AddPath(P("/A/B")));
  const uint32_t property = crate.tables().AddPath(P("A.p"));
  EXPECT_EQ(property, crate.tables().AddPath(P("/A.p")));
}

TEST(CrateTablesTest, IndicesBeyondTheirTablesAreNotFound) {
  CrateMaker crate;
  const uint32_t text = crate.tables().AddString("last");
  const uint32_t path = crate.tables().AddPath(P("/A"));
  const uint32_t token = crate.tables().AddToken("token");
  const auto tables = crate.Open();
  EXPECT_EQ(tables->token_count(), token + 1);
  Token found;
  EXPECT_TRUE(tables->FindToken(token, &found));
  EXPECT_EQ(found, Token("token"));
  EXPECT_EQ(tables->TokenText(token), "token");
  EXPECT_EQ(tables->TokenAt(token), Token("token"));
  EXPECT_FALSE(tables->FindToken(token + 1, &found));
  std::string_view string;
  EXPECT_TRUE(tables->FindString(text, &string));
  EXPECT_EQ(string, "last");
  EXPECT_FALSE(tables->FindString(text + 1, &string));
  Path found_path;
  EXPECT_TRUE(tables->FindPath(path, &found_path));
  EXPECT_EQ(found_path, P("/A"));
  EXPECT_FALSE(tables->FindPath(path + 1, &found_path));
  EXPECT_EQ(tables->paths().size(), path + 1);
}

TEST(CrateTablesTest, InvalidElementsGiveTheEmptyPath) {
  for (const char* element : {"", "{", "{set}", "{=v}", "{a=b=c}", "{a{=}", "[/T", "[no path!]",
                              ".mapper[/T", ".mapper[!]", ".a b"}) {
    CrateMaker crate;
    const uint32_t property = crate.tables().AddPath(P("/A.p"));
    const uint32_t path = crate.tables().AddPrimPath(property, Token(element));
    const auto tables = crate.Open();
    Path found = P("/Other");
    EXPECT_TRUE(tables->FindPath(path, &found)) << element;
    EXPECT_TRUE(found.empty()) << element << " made " << found.ToString();
    const uint32_t below = crate.tables().AddPrimPath(path, Token("Child"));
    EXPECT_TRUE(crate.Open()->FindPath(below, &found)) << element;
    EXPECT_TRUE(found.empty()) << "below " << element;
  }
}

TEST(CrateTablesTest, InvalidNamesGiveTheEmptyPath) {
  for (const char* name : {"a-b", "1", "a b", "a/b", "a:", ":a", "\xff"}) {
    CrateMaker crate;
    const uint32_t prim = crate.tables().AddPath(P("/A"));
    const uint32_t child = crate.tables().AddPrimPath(prim, Token(name));
    const uint32_t property = crate.tables().AddPropertyPath(prim, Token(name));
    Path found = P("/Other");
    EXPECT_TRUE(crate.Open()->FindPath(child, &found));
    EXPECT_TRUE(found.empty()) << name << " made " << found.ToString();
    found = P("/Other");
    EXPECT_TRUE(crate.Open()->FindPath(property, &found));
    EXPECT_TRUE(found.empty()) << name << " made " << found.ToString();
  }
}

// As in OpenUSD, which checks no more than that names do not have the characters around them.
TEST(CrateTablesTest, VariantSetsAndVariantsHaveAlmostAnyName) {
  for (const char* name : {"look-dev", "1v", "123", ".a", "a|b", "a b", "a/b", "`x`", "a:b"}) {
    CrateMaker crate;
    const uint32_t prim = crate.tables().AddPath(P("/A"));
    const uint32_t path = crate.tables().AddVariantPath(prim, Token(name), Token(name));
    Path found;
    EXPECT_TRUE(crate.Open()->FindPath(path, &found));
    EXPECT_EQ(found, P("/A").AppendVariantSelection(Token(name), Token(name)));
  }
}

TEST(CrateTablesTest, TablesReturnWhatWasAdded) {
  CrateMaker crate;
  const uint32_t name = crate.tables().AddToken(Token("field"));
  const CrateValueRep five(CrateType::kInt, CrateValueRep::kInlined, 5);
  const CrateValueRep six(CrateType::kInt, CrateValueRep::kInlined, 6);
  const uint32_t first = crate.tables().AddField(Token("field"), five);
  const uint32_t second = crate.tables().AddField(Token("field"), six);
  const uint32_t third = crate.tables().AddField(Token("other"), five);
  EXPECT_EQ(crate.tables().AddField(Token("field"), five), first) << "already present";
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(second, 1u);
  EXPECT_EQ(third, 2u);
  const uint32_t both = crate.tables().AddFieldSet({first, second});
  const uint32_t one = crate.tables().AddFieldSet({first});
  const uint32_t none = crate.tables().AddFieldSet({});
  EXPECT_EQ(both, 1u) << "the first set is the empty set of the root";
  EXPECT_EQ(one, 4u);
  EXPECT_EQ(none, 0u) << "already present";
  EXPECT_EQ(crate.tables().AddFieldSet({first, second}), both);
  EXPECT_EQ(crate.tables().AddFieldSet({first}), one);
  EXPECT_EQ(crate.tables().AddFieldSet({second}), 6u);
  const auto tables = crate.Open({0, 9, 0});
  EXPECT_EQ(tables->version(), (CrateVersion{0, 9, 0}));
  EXPECT_EQ(tables->name(), "t.usdc");
  EXPECT_EQ(tables->field_count(), 3u);
  EXPECT_EQ(tables->field_token(first), name);
  EXPECT_EQ(tables->field_rep(second), six);
  EXPECT_EQ(tables->field_sets(), (std::vector<uint32_t>{kCrateNoField, 0, 1, kCrateNoField, 0,
                                                         kCrateNoField, 1, kCrateNoField}));
}

TEST(CrateTablesTest, StringsAndTokensAreAddedOnce) {
  CrateTableBuilder tables;
  const uint32_t token = tables.AddToken("a");
  EXPECT_EQ(token, 1u) << "index 0 is reserved because it cannot be negated";
  EXPECT_EQ(tables.AddToken(Token("a")), token);
  EXPECT_EQ(tables.AddToken(Token("b")), 2u);
  EXPECT_EQ(tables.AddToken("b"), 2u);
  EXPECT_EQ(tables.AddString("a"), 0u);
  EXPECT_EQ(tables.AddString("c"), 1u);
  EXPECT_EQ(tables.AddString("a"), 0u);
  EXPECT_EQ(tables.AddToken("c"), 3u);
}

TEST(CrateTablesTest, TheNamespaceHasEveryChildInOrder) {
  CrateMaker crate;
  for (const char* path : {"/A", "/A/B", "/A/B/C", "/A/D", "/E", "/A.p"}) {
    crate.tables().AddPath(P(path));
  }
  const std::string file = crate.File();
  CrateNamespace names;
  const auto tables =
      CrateTables::Open({std::as_bytes(std::span(file)), {}, "t.usdc", nullptr}, &names);
  ASSERT_TRUE(tables.ok()) << tables.status();
  std::vector<std::string> order;
  for (const uint32_t path : names.item_path) {
    Path found;
    ASSERT_TRUE((*tables)->FindPath(path, &found));
    order.push_back(found.ToString());
  }
  EXPECT_EQ(order, (std::vector<std::string>{"/", "/A", "/A/B", "/A/B/C", "/A/D", "/A.p", "/E"}));
  EXPECT_EQ(names.jumps, (std::vector<int32_t>{-1, 5, 2, -2, 0, -2, -2}));
  static constexpr struct {
    bool child;
    uint32_t sibling;
  } kItems[] = {{true, CrateNamespace::kNone},  {true, 6},  {true, 4},
                {false, CrateNamespace::kNone}, {false, 5}, {false, CrateNamespace::kNone},
                {false, CrateNamespace::kNone}};
  for (uint32_t item = 0; item < std::size(kItems); ++item) {
    EXPECT_EQ(names.HasChild(item), kItems[item].child) << item;
    EXPECT_EQ(names.NextSibling(item), kItems[item].sibling) << item;
  }
}

TEST(CrateTablesTest, TimesAreCachedUpToTheSizeOfTheFile) {
  CrateMaker crate;
  const auto tables = crate.Open();
  const size_t fit = tables->bytes().size() / sizeof(double);
  const CrateValueRep a(CrateType::kDoubleVector, 0, 1);
  const CrateValueRep b(CrateType::kDoubleVector, 0, 2);
  const CrateValueRep c(CrateType::kDoubleVector, 0, 3);
  Array<double> found;
  EXPECT_FALSE(tables->FindTimes(a, &found));
  const size_t before = tables->byte_size();
  const auto half = Array<double>::FromVector(std::vector<double>(fit / 2, 1));
  tables->KeepTimes(a, half);
  ASSERT_TRUE(tables->FindTimes(a, &found));
  EXPECT_EQ(found.data(), half.data());
  EXPECT_EQ(tables->byte_size(), before + fit / 2 * sizeof(double));
  tables->KeepTimes(a, half);
  EXPECT_EQ(tables->byte_size(), before + fit / 2 * sizeof(double)) << "counted once";
  tables->KeepTimes(b, Array<double>::FromVector(std::vector<double>(fit - fit / 2 + 1, 1)));
  EXPECT_FALSE(tables->FindTimes(b, &found)) << "one too many";
  tables->KeepTimes(c, Array<double>::FromVector(std::vector<double>(fit - fit / 2, 1)));
  EXPECT_TRUE(tables->FindTimes(c, &found));
  EXPECT_EQ(tables->byte_size(), before + fit * sizeof(double));
}

TEST(CrateTablesTest, TheExpansionLimitGrowsWithTheFile) {
  CrateMaker crate;
  const auto tables = crate.Open();
  EXPECT_EQ(tables->bytes().size(), CrateMaker::kValues);
  EXPECT_EQ(tables->expansion_limit(), 16777216 + 64 * CrateMaker::kValues);
}

TEST(CrateTablesTest, ByteSizeCountsEveryTable) {
  constexpr size_t kEach = 3000;
  const auto size_with = [](auto add) {
    std::string file(kCrateBootSize, '\0');
    CrateTableBuilder tables;
    for (size_t i = 0; i < kEach; ++i) tables.AddToken("t" + std::to_string(i + 10000));
    add(tables);
    tables.AddSpec(CrateTableBuilder::kRootPath, tables.AddFieldSet({}),
                   CrateSpecType::kPseudoRoot);
    const uint64_t contents = tables.AppendSections(kCrateBootSize, &file);
    file.replace(0, kCrateBootSize, CrateTableBuilder::BootSection(kNewestCrate, contents));
    return CrateMaker::OpenBytes(file)->byte_size();
  };
  const auto nothing = [](CrateTableBuilder&) {};
  const size_t base = size_with(nothing);
  EXPECT_GE(base, kEach * (6 + 1 + sizeof(uint32_t) + sizeof(Token)));
  EXPECT_LE(base, kEach * (6 + 1 + sizeof(uint32_t) + sizeof(Token)) * 3 / 2);
  const auto expect_each = [&](size_t bytes, auto add) {
    const size_t more = size_with([&](CrateTableBuilder& tables) {
      for (uint32_t i = 0; i < kEach; ++i) add(tables, i);
    });
    EXPECT_GE(more - base, kEach * bytes);
    EXPECT_LE(more - base, kEach * bytes * 2 + 1000);
  };
  expect_each(sizeof(uint32_t), [](CrateTableBuilder& tables, uint32_t i) {
    tables.AddString("t" + std::to_string(i + 10000));
  });
  expect_each(sizeof(CrateTables::PathItem), [](CrateTableBuilder& tables, uint32_t i) {
    tables.AddPrimPath(CrateTableBuilder::kRootPath, Token("t" + std::to_string(i + 10000)));
  });
  expect_each(sizeof(uint32_t) + sizeof(CrateValueRep), [](CrateTableBuilder& tables, uint32_t i) {
    tables.AddField(Token("t10000"), CrateValueRep(CrateType::kInt, CrateValueRep::kInlined, i));
  });
}

TEST(CrateTablesTest, TheBootSectionFollowsTheFormat) {
  const std::string boot = CrateTableBuilder::BootSection({1, 2, 3}, 0x0807060504030201);
  EXPECT_EQ(boot,
            std::string("PXR-USDC\1\2\3\0\0\0\0\0\1\2\3\4\5\6\7\x8", 24) + std::string(64, '\0'));
}

}  // namespace
}  // namespace stagedoor

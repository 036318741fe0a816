#include "scene/stage/attribute_query_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace stagedoor {
namespace {

using Reader = AttributeQueryTable::Reader;

// Queries are told apart by their values.
AttributeQuery Named(const std::string& name) { return {Attribute(), Value(Token(name))}; }

Token NameOf(const AttributeQuery& query) {
  RequestContext context;
  return *query.numeric().ValueAt(context, TimeCode::At(0), Interpolation::kHeld).Get<Token>();
}

AttributeQueryTable::Pointer Find(AttributeQueryTable& table, const std::string& path) {
  return Reader(table).Find(path, Reader::Hash(path));
}

std::string PathOf(int i) { return "/prim.attribute_" + std::to_string(i); }

TEST(AttributeQueryTableTest, FindsAddedAttributesOnly) {
  AttributeQueryTable table(1 << 20, nullptr);
  EXPECT_EQ(Find(table, "/a.x"), nullptr);
  const auto added = table.Add("/a.x", Named("float"));
  EXPECT_EQ(Find(table, "/a.x"), added);
  EXPECT_EQ(NameOf(*added), Token("float"));
  EXPECT_EQ(Find(table, "/a.y"), nullptr);
}

TEST(AttributeQueryTableTest, KeepsTheFirstAttributeAddedAtAPath) {
  AttributeQueryTable table(1 << 20, nullptr);
  const auto first = table.Add("/a.x", Named("float"));
  EXPECT_EQ(table.Add("/a.x", Named("double")), first);
}

TEST(AttributeQueryTableTest, GrowsAndStillFindsAll) {
  AttributeQueryTable table(64 << 20, nullptr);
  for (int i = 0; i < 5000; ++i) table.Add(PathOf(i), Named(PathOf(i)));
  for (int i = 0; i < 5000; ++i) {
    const auto found = Find(table, PathOf(i));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(NameOf(*found), Token(PathOf(i)));
  }
}

TEST(AttributeQueryTableTest, StaysWithinItsBudgetAndKeepsUsedAttributes) {
  constexpr size_t kBudget = 256 << 10;
  AttributeQueryTable table(kBudget, nullptr);
  const auto kept = table.Add("/kept.x", Named("kept"));
  for (int i = 0; i < 5000; ++i) {
    table.Add(PathOf(i), Named("x"));
    ASSERT_EQ(Find(table, "/kept.x"), kept) << i;
    ASSERT_LE(table.byte_size(), kBudget);
  }
  EXPECT_EQ(Find(table, PathOf(0)), nullptr);
  EXPECT_NE(Find(table, PathOf(4999)), nullptr);
}

TEST(AttributeQueryTableTest, HasRoomAsLongAsNothingIsDropped) {
  AttributeQueryTable table(256 << 10, nullptr);
  int count = 0;
  while (table.HasRoom()) table.Add(PathOf(count++), Named("x"));
  EXPECT_GT(table.byte_size(), size_t{200} << 10);
  EXPECT_NE(Find(table, PathOf(0)), nullptr);
  EXPECT_NE(Find(table, PathOf(count - 1)), nullptr);
}

TEST(AttributeQueryTableTest, AttributesOutliveTheirGeneration) {
  AttributeQueryTable table(16 << 10, nullptr);
  const auto held = table.Add("/held.x", Named("held"));
  for (int i = 0; i < 1000; ++i) table.Add(PathOf(i), Named("x"));
  EXPECT_EQ(Find(table, "/held.x"), nullptr);
  EXPECT_EQ(NameOf(*held), Token("held"));
}

TEST(AttributeQueryTableTest, ThreadsAddAndFindAtTheSameTime) {
  AttributeQueryTable table(64 << 10, nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::string path = PathOf((i * 7 + t) % 300);
        auto found = Find(table, path);
        if (found == nullptr) found = table.Add(path, Named(path));
        ASSERT_EQ(NameOf(*found), Token(path));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace stagedoor

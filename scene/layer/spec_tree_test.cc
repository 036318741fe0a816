#include "scene/layer/spec_tree.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

Token Name(const char* prefix, int i) { return Token(prefix + std::to_string(i)); }

std::string Paths(const SpecTree& tree) {
  std::string paths;
  for (SpecId id = 0; id < tree.size(); ++id) paths += tree.path(id).ToString() + " ";
  return paths;
}

TEST(SpecTreeTest, ChildrenAreLaidOutBySort) {
  SpecTreeBuilder builder;
  const SpecId a = builder.Add(kRootSpec, SpecType::kPrim, Token("A"));
  const SpecId b = builder.Add(kRootSpec, SpecType::kPrim, Token("B"));
  const SpecId child = builder.Add(a, SpecType::kPrim, Token("C"));
  const SpecId set = builder.Add(a, SpecType::kVariantSet, Token("v"));
  const SpecId x = builder.Add(a, SpecType::kAttribute, Token("x"));
  const SpecId s = builder.Add(set, SpecType::kVariant, Token("s"));
  const SpecId y = builder.Add(a, SpecType::kRelationship, Token("y"));
  EXPECT_EQ(builder.size(), 8u);
  std::vector<SpecId> ids;
  const SpecTree tree = std::move(builder).Build(&ids);
  EXPECT_EQ(Paths(tree), "/ /A /B /A.x /A.y /A{v=} /A/C /A{v=s} ");
  EXPECT_EQ(ids, (std::vector<SpecId>{0, 1, 2, 6, 5, 3, 7, 4}));
  EXPECT_EQ(tree.properties(ids[a]).size(), 2u);
  EXPECT_EQ(tree.properties(ids[a])[1], ids[y]);
  EXPECT_EQ(tree.variants(ids[a])[0], ids[set]);
  EXPECT_EQ(tree.variants(ids[set])[0], ids[s]);
  EXPECT_EQ(tree.prims(ids[a])[0], ids[child]);
  EXPECT_TRUE(tree.prims(ids[b]).empty());
  EXPECT_TRUE(tree.variants(ids[b]).empty());
  EXPECT_EQ(tree.parent(ids[x]), ids[a]);
  EXPECT_EQ(tree.parent(kRootSpec), kNoSpec);
}

TEST(SpecTreeTest, KnowsPrimLikeSpecsAndProperties) {
  SpecTreeBuilder builder;
  const SpecId a = builder.Add(kRootSpec, SpecType::kPrim, Token("A"));
  const SpecId set = builder.Add(a, SpecType::kVariantSet, Token("v"));
  const SpecId s = builder.Add(set, SpecType::kVariant, Token("s"));
  const SpecId x = builder.Add(a, SpecType::kAttribute, Token("x"));
  const SpecId r = builder.Add(a, SpecType::kRelationship, Token("r"));
  std::vector<SpecId> ids;
  const SpecTree tree = std::move(builder).Build(&ids);
  for (const SpecId id : {kRootSpec, ids[a], ids[s]}) EXPECT_TRUE(tree.is_prim_like(id)) << id;
  for (const SpecId id : {ids[set], ids[x], ids[r]}) EXPECT_FALSE(tree.is_prim_like(id)) << id;
  for (const SpecId id : {ids[x], ids[r]}) EXPECT_TRUE(tree.is_property(id)) << id;
  for (const SpecId id : {kRootSpec, ids[a], ids[s], ids[set]}) {
    EXPECT_FALSE(tree.is_property(id)) << id;
  }
}

// Most specs of a layer are properties, which have no children.
TEST(SpecTreeTest, PropertiesTakeLittleMemory) {
  const auto bytes_with = [](int properties) {
    SpecTreeBuilder builder;
    for (int i = 0; i < 20; ++i) {
      const SpecId prim = builder.Add(kRootSpec, SpecType::kPrim, Name("p", i));
      for (int k = 0; k < properties; ++k) builder.Add(prim, SpecType::kAttribute, Name("x", k));
    }
    return std::move(builder).Build(nullptr).byte_size();
  };
  EXPECT_LE(bytes_with(30) - bytes_with(10), size_t{20 * 20 * 10});
}

// Specs with children among many without: their places are counted in groups.
TEST(SpecTreeTest, ParentsAndChildrenFindEachOther) {
  SpecTreeBuilder builder;
  std::vector<SpecId> prims;
  for (int i = 0; i < 200; ++i) {
    prims.push_back(builder.Add(kRootSpec, SpecType::kPrim, Name("p", i)));
    for (int k = 0; k < i % 7; ++k) builder.Add(prims.back(), SpecType::kAttribute, Name("x", k));
    if (i % 5 == 0) builder.Add(prims.back(), SpecType::kPrim, Token("c"));
  }
  std::vector<SpecId> ids;
  const SpecTree tree = std::move(builder).Build(&ids);
  EXPECT_EQ(tree.parent(kRootSpec), kNoSpec);
  for (size_t i = 0; i < prims.size(); ++i) {
    const SpecId prim = ids[prims[i]];
    EXPECT_EQ(tree.parent(prim), kRootSpec);
    ASSERT_EQ(tree.properties(prim).size(), i % 7) << i;
    ASSERT_EQ(tree.prims(prim).size(), i % 5 == 0 ? 1u : 0u) << i;
    for (const SpecId property : tree.properties(prim)) EXPECT_EQ(tree.parent(property), prim);
    for (const SpecId child : tree.prims(prim)) {
      EXPECT_EQ(tree.parent(child), prim);
      EXPECT_TRUE(tree.properties(child).empty());
    }
  }
}

// With runs just below and above the length from which they are indexed.
TEST(SpecTreeTest, NamesAreFoundOnlyAmongTheirSort) {
  for (const int count : {3, 32, 33, 100}) {
    SpecTreeBuilder builder;
    for (const char* prim : {"A", "B"}) {
      const SpecId a = builder.Add(kRootSpec, SpecType::kPrim, Token(prim));
      for (int i = 0; i < count; ++i) {
        builder.Add(a, SpecType::kAttribute, Name("x", i));
        builder.Add(a, SpecType::kVariantSet, Name("v", i));
        builder.Add(a, SpecType::kPrim, Name("c", i));
      }
      // One name in all three sorts.
      builder.Add(a, SpecType::kRelationship, Token("same"));
      builder.Add(a, SpecType::kVariantSet, Token("same"));
      builder.Add(a, SpecType::kPrim, Token("same"));
    }
    const SpecTree tree = std::move(builder).Build(nullptr);
    for (const char* prim : {"/A", "/B"}) {
      const std::string path = prim;
      const SpecId a = tree.Find(P(path));
      for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        EXPECT_EQ(tree.path(tree.Find(P(path + ".x" + number))), P(path + ".x" + number));
        EXPECT_EQ(tree.path(tree.Find(P(path + "{v" + number + "=}"))),
                  P(path + "{v" + number + "=}"));
        EXPECT_EQ(tree.path(tree.Find(P(path + "/c" + number))), P(path + "/c" + number));
        EXPECT_EQ(tree.FindProperty(a, Name("c", i)), kNoSpec);
        EXPECT_EQ(tree.FindVariant(a, Name("x", i)), kNoSpec);
        EXPECT_EQ(tree.FindPrim(a, Name("v", i)), kNoSpec);
      }
      EXPECT_EQ(tree.type(tree.FindProperty(a, Token("same"))), SpecType::kRelationship);
      EXPECT_EQ(tree.type(tree.FindVariant(a, Token("same"))), SpecType::kVariantSet);
      EXPECT_EQ(tree.type(tree.FindPrim(a, Token("same"))), SpecType::kPrim);
      EXPECT_EQ(tree.parent(tree.FindPrim(a, Token("same"))), a);
    }
  }
}

TEST(SpecTreeTest, PathsOfOtherSpecsAreNotFound) {
  SpecTreeBuilder builder;
  const SpecId a = builder.Add(kRootSpec, SpecType::kPrim, Token("A"));
  builder.Add(a, SpecType::kAttribute, Token("x"));
  builder.Add(builder.Add(a, SpecType::kVariantSet, Token("v")), SpecType::kVariant, Token("s"));
  const SpecTree tree = std::move(builder).Build(nullptr);
  for (const char* path : {"A", "/B", "/B/C", "/A.y", "/B.x", "/A{w=}", "/A{v=t}", "/A{v=s}C",
                           "/A{w=s}C.x", "/A.x[/T]"}) {
    EXPECT_EQ(tree.Find(P(path)), kNoSpec) << path;
  }
  EXPECT_EQ(tree.Find(P("/")), kRootSpec);
  EXPECT_EQ(tree.path(tree.Find(P("/A{v=s}"))), P("/A{v=s}"));
}

TEST(SpecTreeLayoutTest, KeepsTheOrderOfAdd) {
  OrderedSpecTreeBuilder layout(4);
  const SpecId a = layout.Add(kRootSpec, SpecType::kPrim, Token("A"));
  const SpecId b = layout.Add(kRootSpec, SpecType::kPrim, Token("B"));
  const SpecId x = layout.Add(a, SpecType::kAttribute, Token("x"));
  const SpecId r = layout.Add(a, SpecType::kRelationship, Token("r"));
  const SpecId set = layout.Add(a, SpecType::kVariantSet, Token("v"));
  const SpecId c = layout.Add(a, SpecType::kPrim, Token("C"));
  const SpecId y = layout.Add(b, SpecType::kAttribute, Token("y"));
  const SpecId s = layout.Add(set, SpecType::kVariant, Token("s"));
  EXPECT_EQ(layout.size(), 9u);
  const SpecTree tree = std::move(layout).Build();
  EXPECT_EQ(Paths(tree), "/ /A /B /A.x /A.r /A{v=} /A/C /B.y /A{v=s} ");
  EXPECT_EQ(tree.properties(a).size(), 2u);
  EXPECT_EQ(tree.properties(a).first(), x);
  EXPECT_EQ(tree.Find(P("/A.r")), r);
  EXPECT_EQ(tree.Find(P("/A/C")), c);
  EXPECT_EQ(tree.Find(P("/B.y")), y);
  EXPECT_EQ(tree.Find(P("/A{v=s}")), s);
}

TEST(SpecTreeLayoutTest, LongRunsAreIndexed) {
  OrderedSpecTreeBuilder layout(100);
  for (int i = 0; i < 100; ++i) layout.Add(kRootSpec, SpecType::kPrim, Name("P", i));
  const SpecTree tree = std::move(layout).Build();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(tree.FindPrim(kRootSpec, Name("P", i)), SpecId(i + 1));
  EXPECT_EQ(tree.FindPrim(kRootSpec, Token("P100")), kNoSpec);
}

TEST(SpecTreeTest, ByteSizeCountsSpecsAndIndex) {
  const auto bytes_of = [](int prims) {
    OrderedSpecTreeBuilder layout(static_cast<size_t>(prims) + 1);
    for (int i = 0; i < prims; ++i) layout.Add(kRootSpec, SpecType::kPrim, Name("P", i));
    return std::move(layout).Build().byte_size();
  };
  EXPECT_GE(bytes_of(64) - bytes_of(32), 32 * (sizeof(Token) + 1) + 128 * sizeof(SpecId));
}

}  // namespace
}  // namespace stagedoor

// Expected compositions were checked against SdfListOp::ApplyOperations.
#include "scene/values/list_op.h"

#include <string>

#include "gtest/gtest.h"
#include "scene/values/composable_list_op.h"
#include "scene/values/list_op_inl.h"

namespace stagedoor {

// An item with a part that does not count for equality.
struct Labeled {
  std::string name;
  int label = 0;
  friend bool operator==(const Labeled& a, const Labeled& b) { return a.name == b.name; }
};
template <>
struct ListItemHash<Labeled> {
  size_t operator()(const Labeled& item) const { return std::hash<std::string>()(item.name); }
};

namespace {

using Op = ListOp<std::string>;
using Items = std::vector<std::string>;

Op Make(Items prepended, Items appended, Items deleted) {
  Op op;
  op.prepended = std::move(prepended);
  op.appended = std::move(appended);
  op.deleted = std::move(deleted);
  return op;
}

TEST(ListOpTest, ComposesAsOpenUsdDoes) {
  const struct {
    Op strong, weak, expected;
  } cases[] = {
      {Make({"a"}, {}, {}), Make({"b"}, {}, {}), Make({"a", "b"}, {}, {})},
      {Make({"a", "b"}, {}, {}), Make({"b", "c"}, {"a", "d"}, {}),
       Make({"a", "b", "c"}, {"d"}, {})},
      {Make({}, {"a", "b"}, {}), Make({"b", "c"}, {"a", "d"}, {}),
       Make({"c"}, {"d", "a", "b"}, {})},
      {Make({}, {}, {"a"}), Make({"a", "b"}, {"c"}, {}), Make({"b"}, {"c"}, {"a"})},
      {Make({}, {}, {"x"}), Make({}, {}, {"y"}), Make({}, {}, {"y", "x"})},
      {Make({"x"}, {}, {}), Make({}, {}, {"x", "y"}), Make({"x"}, {}, {"y"})},
      {Make({}, {}, {"x"}), Make({"x"}, {}, {}), Make({}, {}, {"x"})},
      {Make({"a"}, {"b"}, {"c"}), Op::Explicit({"c", "d"}), Op::Explicit({"a", "d", "b"})},
      {Op::Explicit({"z"}), Make({"q"}, {}, {}), Op::Explicit({"z"})},
      {Make({"a"}, {}, {"a"}), Make({}, {"a"}, {}), Make({"a"}, {}, {})},
      {Make({"a"}, {}, {}), Make({}, {"a"}, {"a"}), Make({"a"}, {}, {})},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(Op::Compose(cases[i].strong, cases[i].weak), cases[i].expected) << "case " << i;
  }
}

TEST(ListOpTest, AddAndReorderDoNotCompose) {
  Op add;
  add.added = {"a"};
  Op reorder;
  reorder.ordered = {"a", "b"};
  const Op prepend = Make({"b"}, {}, {});
  for (const Op& op : {add, reorder}) {
    EXPECT_EQ(Op::Compose(op, prepend), std::nullopt);
    EXPECT_EQ(Op::Compose(prepend, op), std::nullopt);
  }
}

TEST(ListOpTest, MergeableTurnsAddsIntoAppends) {
  Op op = Make({"p"}, {"b", "c"}, {"d"});
  op.added = {"a", "b", "e", "a"};
  op.ordered = {"c", "b"};
  const Op merged = ComposableListOp(op);
  EXPECT_EQ(merged.prepended, Items{"p"});
  EXPECT_EQ(merged.appended, (Items{"b", "c", "a", "e"}));
  EXPECT_EQ(merged.deleted, Items{"d"});
  EXPECT_EQ(merged.added, Items());
  EXPECT_EQ(merged.ordered, Items());
}

TEST(ListOpTest, LongListsBehaveLikeShortOnes) {
  Items weak, expected;
  Op op;
  for (int i = 0; i < 20000; ++i) {
    weak.push_back(std::to_string(i));
    if (i % 3 == 0) op.deleted.push_back(std::to_string(i));
    if (i % 3 == 1) op.appended.push_back(std::to_string(i));
    if (i % 3 == 2) op.added.push_back(std::to_string(i));
  }
  for (int i = 0; i < 20000; ++i) {
    if (i % 3 == 2) expected.push_back(std::to_string(i));
  }
  expected.insert(expected.end(), op.appended.begin(), op.appended.end());
  op.ApplyTo(&weak);
  EXPECT_EQ(weak, expected);
}

TEST(ListOpTest, ReorderMovesFollowersAlong) {
  Items items = {"x", "a", "b", "c", "d"};
  Op::Reorder({"c", "a"}, &items);
  EXPECT_EQ(items, (Items{"x", "c", "d", "a", "b"}));
}

TEST(ListOpTest, ItemsThatAreNamedAgainAreThoseOfTheStrongerOp) {
  const auto apply = [](const ListOp<Labeled>& op) {
    std::vector<Labeled> items = {{"a", 1}, {"b", 1}};
    op.ApplyTo(&items);
    std::string text;
    for (const Labeled& item : items) text += item.name + std::to_string(item.label) + " ";
    return text;
  };
  const std::vector<Labeled> named = {{"b", 2}, {"c", 2}};
  EXPECT_EQ(apply({.prepended = named}), "b2 c2 a1 ");
  EXPECT_EQ(apply({.appended = named}), "a1 b2 c2 ");
  EXPECT_EQ(apply({.added = named}), "a1 b2 c2 ");
  EXPECT_EQ(apply({.ordered = named}), "a1 b2 ");
}

}  // namespace
}  // namespace stagedoor

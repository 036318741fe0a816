#include "client/cc/routing_table.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor {
namespace {

TEST(RoutingTableTest, KeepsTheKeysOfAllHandles) {
  RoutingTable table;
  table.Add("a", "key of a");
  table.Add("b", "key of b");
  EXPECT_EQ(table.Find("a"), "key of a");
  EXPECT_EQ(table.Find("b"), "key of b");
  EXPECT_EQ(table.Find("c"), "");
  table.Remove("a");
  EXPECT_EQ(table.Find("a"), "");
  EXPECT_EQ(table.Find("b"), "key of b");
}

TEST(RoutingTableTest, ForgetsAllHandlesWhenItIsFull) {
  RoutingTable table;
  for (size_t i = 0; i < RoutingTable::kMaxHandles; ++i) table.Add(std::to_string(i), "key");
  EXPECT_EQ(table.Find("0"), "key");
  table.Add("one more", "its key");
  EXPECT_EQ(table.Find("0"), "");
  EXPECT_EQ(table.Find("one more"), "its key");
}

}  // namespace
}  // namespace stagedoor

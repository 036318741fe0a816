#include "server/rpc/intrusive_list.h"

#include <gtest/gtest.h>

#include <string>

namespace stagedoor::server {
namespace {

struct Item : IntrusiveList<Item>::Link {
  explicit Item(char letter) : name(letter) {}
  const char name;
};

std::string Names(const IntrusiveList<Item>& list) {
  std::string names;
  for (Item* item = list.front(); item != nullptr; item = list.next(*item)) names += item->name;
  return names;
}

TEST(IntrusiveListTest, KeepsTheOrderAroundWhatIsRemoved) {
  Item a('a'), b('b'), c('c');
  IntrusiveList<Item> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.front(), nullptr);
  for (Item* item : {&a, &b, &c}) list.push_back(*item);
  EXPECT_EQ(Names(list), "abc");
  IntrusiveList<Item>::Remove(b);
  EXPECT_EQ(Names(list), "ac");
  EXPECT_FALSE(b.linked());
  EXPECT_TRUE(a.linked());
  list.push_back(b);
  EXPECT_EQ(Names(list), "acb");
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_EQ(list.pop_front(), &c);
  EXPECT_EQ(list.pop_front(), &b);
  EXPECT_EQ(list.pop_front(), nullptr);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace stagedoor::server

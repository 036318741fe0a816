#include "server/stages/session_table.h"

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

class SessionTableTest : public testing::Test {
 protected:
  SessionTableTest() : cache_(scene_.environment(), {}) {
    scene_.Write("root.usda", "def \"P\" {}\n");
    stage_key_.options.root = "/root.usda";
  }
  std::shared_ptr<StageSession> Session(std::string name) {
    return std::make_shared<StageSession>(cache_, stage_key_, "routing",
                                          cache_.Open(scene_.context(), stage_key_)->snapshot,
                                          std::move(name));
  }

  TestScene scene_;
  StageCache cache_;
  StageKey stage_key_;
  SessionTable table_;
};

TEST_F(SessionTableTest, TheFirstSessionOfANameIsShared) {
  const auto first = Session("edit"), second = Session("edit");
  EXPECT_EQ(table_.Find("", "edit"), nullptr);
  EXPECT_EQ(table_.FindOrAdd("", first), first);
  EXPECT_EQ(table_.FindOrAdd("", second), first);
  EXPECT_EQ(table_.Find("", "edit"), first);
  EXPECT_EQ(table_.Find("", "other"), nullptr);
}

TEST_F(SessionTableTest, ASessionEndsWithItsLastHolder) {
  auto first = table_.FindOrAdd("", Session("edit"));
  EXPECT_EQ(table_.Find("", "edit"), first);
  first.reset();
  EXPECT_EQ(table_.Find("", "edit"), nullptr);
  const auto second = Session("edit");
  EXPECT_EQ(table_.FindOrAdd("", second), second);
}

TEST_F(SessionTableTest, EndedSessionsDoNotAccumulate) {
  const auto kept = table_.FindOrAdd("", Session("kept"));
  for (int i = 0; i < 1000; ++i) table_.FindOrAdd("", Session(Concat(i)));
  EXPECT_LE(table_.size(), 64u);
  EXPECT_EQ(table_.Find("", "kept"), kept);
}

TEST_F(SessionTableTest, EndedSessionsAreDroppedAtSixtyFour) {
  const auto kept = table_.FindOrAdd("", Session("kept"));
  for (int round = 0; round < 2; ++round) {
    while (table_.size() < 63) table_.FindOrAdd("", Session(Concat(table_.size())));
    const auto added = table_.FindOrAdd("", Session(Concat("added", round)));
    EXPECT_EQ(table_.size(), 2u) << "those that live";
  }
  EXPECT_EQ(table_.Find("", "kept"), kept);
}

TEST_F(SessionTableTest, OwnersDoNotShareNames) {
  const auto anns = table_.FindOrAdd("user:ann", Session("edit"));
  EXPECT_EQ(table_.Find("user:bob", "edit"), nullptr);
  const auto bobs = table_.FindOrAdd("user:bob", Session("edit"));
  EXPECT_NE(anns, bobs);
  EXPECT_EQ(table_.Find("user:ann", "edit"), anns);
}

}  // namespace
}  // namespace stagedoor::server

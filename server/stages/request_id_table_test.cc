#include "server/stages/request_id_table.h"

#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

class RequestIdTableTest : public testing::Test {
 protected:
  RequestIdTable::Clock::time_point now_{seconds(1000)};
  RequestIdTable table_{{.ttl = seconds(10), .max_entries = 3, .now = [this] { return now_; }}};
};

TEST_F(RequestIdTableTest, RemembersTheFirstResult) {
  EXPECT_EQ(*table_.Find({"a", "x"}), std::nullopt);
  EXPECT_EQ(*table_.Add({"a", "x"}, "one"), "one");
  EXPECT_EQ(*table_.Find({"a", "x"}), "one");
  EXPECT_EQ(*table_.Add({"a", "x"}, "two"), "one") << "carried out twice at the same time";
}

TEST_F(RequestIdTableTest, AnIdBelongsToOneRequest) {
  ASSERT_TRUE(table_.Add({"a", "x"}, "one").ok());
  EXPECT_EQ(GetReason(table_.Find({"a", "y"}).status()), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(GetReason(table_.Add({"a", "y"}, "two").status()), v1::ERROR_REASON_INVALID_FIELD);
}

TEST_F(RequestIdTableTest, RequestsWithoutAnIdAreNotRecognized) {
  EXPECT_EQ(*table_.Add({"", "x"}, "one"), "one");
  EXPECT_EQ(*table_.Find({"", "x"}), std::nullopt);
  EXPECT_EQ(table_.size(), 0u);
}

TEST_F(RequestIdTableTest, ForgetsTheOldest) {
  for (const char* id : {"a", "b", "c", "d"}) ASSERT_TRUE(table_.Add({id, "x"}, id).ok());
  EXPECT_EQ(table_.size(), 3u);
  EXPECT_EQ(*table_.Find({"a", "x"}), std::nullopt);
  EXPECT_EQ(*table_.Find({"b", "x"}), "b");
  now_ += seconds(10);
  EXPECT_EQ(*table_.Find({"b", "x"}), std::nullopt);
  EXPECT_EQ(table_.size(), 0u);
}

TEST_F(RequestIdTableTest, AForgottenIdMayBeUsedAgain) {
  ASSERT_TRUE(table_.Add({"a", "x"}, "one").ok());
  table_.Forget("a");
  EXPECT_EQ(*table_.Find({"a", "x"}), std::nullopt);
  now_ += seconds(5);
  ASSERT_TRUE(table_.Add({"a", "x"}, "two").ok());
  now_ += seconds(5);
  EXPECT_EQ(*table_.Find({"a", "x"}), "two") << "it has a time to live of its own";
}

TEST_F(RequestIdTableTest, ListsWhatItRemembersOldestFirst) {
  for (const std::string id : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(table_.Add({id, "x" + id}, "result " + id).ok());
  }
  table_.Forget("c");
  const auto all = table_.All();
  ASSERT_EQ(all.size(), 2u);  // one of four is too many
  EXPECT_EQ(all[0].request.id, "b");
  EXPECT_EQ(all[0].request.fingerprint, "xb");
  EXPECT_EQ(all[0].result, "result b");
  EXPECT_EQ(all[1].request.id, "d");
}

}  // namespace
}  // namespace stagedoor::server

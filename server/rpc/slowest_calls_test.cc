#include "server/rpc/slowest_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/status.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

class SlowestCallsTest : public ::testing::Test {
 protected:
  static RequestRecord Record(int ms) {
    RequestRecord record;
    record.method = "S/M";
    record.worked = milliseconds(ms);
    record.duration = milliseconds(ms);
    return record;
  }
  // Ends a call that took so long.
  void End(int ms) {
    if (calls_.Wants(milliseconds(ms))) calls_.Add(Record(ms));
  }
  std::vector<int64_t> Milliseconds() const {
    std::vector<int64_t> all;
    for (const EndedCall& call : calls_.List()) all.push_back(call.spent() / milliseconds(1));
    return all;
  }

  SlowestCalls::Clock::time_point now_{};
  SlowestCalls calls_{[this] { return now_; }};
};

TEST_F(SlowestCallsTest, TheSlowestComeFirst) {
  for (const int ms : {3, 0, 5, 4, 5}) End(ms);
  EXPECT_EQ(Milliseconds(), (std::vector<int64_t>{5, 5, 4, 3, 0}));
}

TEST_F(SlowestCallsTest, OnlyTheSlowestAreKept) {
  const int count = static_cast<int>(SlowestCalls::kMaxCalls);
  for (int ms = 1; ms <= 3 * count; ++ms) End(ms);
  const std::vector<int64_t> kept = Milliseconds();
  ASSERT_EQ(kept.size(), SlowestCalls::kMaxCalls);
  EXPECT_EQ(kept.front(), 3 * count);
  EXPECT_EQ(kept.back(), 2 * count + 1);
  EXPECT_FALSE(calls_.Wants(milliseconds(2 * count + 1))) << "no slower than all that are kept";
  EXPECT_TRUE(calls_.Wants(milliseconds(2 * count + 2)));
  calls_.Add(Record(1));  // as by a thread that asked before the others were added
  EXPECT_EQ(Milliseconds(), kept);
}

TEST_F(SlowestCallsTest, OldCallsMakeRoom) {
  for (size_t i = 0; i < SlowestCalls::kMaxCalls; ++i) End(1000);
  now_ += SlowestCalls::kWindow;
  EXPECT_EQ(Milliseconds().size(), SlowestCalls::kMaxCalls);
  calls_.Sweep();
  EXPECT_FALSE(calls_.Wants(milliseconds(1)));
  now_ += milliseconds(1);
  EXPECT_EQ(Milliseconds(), std::vector<int64_t>());
  calls_.Sweep();
  EXPECT_TRUE(calls_.Wants(milliseconds(1)));
  End(1);
  EXPECT_EQ(Milliseconds(), std::vector<int64_t>{1});
}

TEST_F(SlowestCallsTest, TimeInTheQueueCounts) {
  RequestRecord record = Record(2);
  record.queued = milliseconds(8);
  record.duration = minutes(3);  // of which the client took most
  End(9);
  End(11);
  calls_.Add(record);
  EXPECT_EQ(Milliseconds(), (std::vector<int64_t>{11, 10, 9}));
  EXPECT_EQ(calls_.List()[1].duration, minutes(3));
}

TEST_F(SlowestCallsTest, CallsKeepWhatTheLogSays) {
  now_ += minutes(1);
  RequestRecord record = Record(7);
  record.status = NotFoundError(std::string(2000, 'x'));
  record.identity = "user:ann";
  record.peer = "ipv4:10.0.0.7:41000";
  record.request_id = "id";
  record.stage = "/a.usda";
  record.queued = milliseconds(5);
  calls_.Add(record);
  const EndedCall call = calls_.List().at(0);
  EXPECT_EQ(call.method, "S/M");
  EXPECT_EQ(call.identity, "user:ann");
  EXPECT_EQ(call.peer, "ipv4:10.0.0.7:41000");
  EXPECT_EQ(call.request_id, "id");
  EXPECT_EQ(call.stage, "/a.usda");
  EXPECT_EQ(call.code, absl::StatusCode::kNotFound);
  EXPECT_EQ(call.message, std::string(SlowestCalls::kMaxMessageBytes, 'x'));
  EXPECT_EQ(call.reasons, "waited 5 ms in the queue");
  EXPECT_EQ(call.ended, now_);
}

TEST_F(SlowestCallsTest, ThreadsAddCallsTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 1000; ++i) End(4 * i + t);
    });
  }
  for (int i = 0; i < 100; ++i) {
    calls_.Sweep();
    EXPECT_LE(Milliseconds().size(), SlowestCalls::kMaxCalls);
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int64_t> expected;
  for (int ms = 3999; expected.size() < SlowestCalls::kMaxCalls; --ms) expected.push_back(ms);
  EXPECT_EQ(Milliseconds(), expected);
}

}  // namespace
}  // namespace stagedoor::server

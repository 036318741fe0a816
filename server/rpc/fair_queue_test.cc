#include "server/rpc/fair_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::server {
namespace {

using std::chrono::seconds;
using Time = FairQueue::Time;

struct TestCall : FairQueue::Entry {
  std::string name;
};

class FairQueueTest : public ::testing::Test {
 protected:
  ~FairQueueTest() override {
    for (TestCall& call : calls_) queue().Remove(call);
  }

  // Replaces the queue, which has no calls yet.
  void Limit(FairQueue::Options options) { queue_ = std::make_unique<FairQueue>(options); }
  FairQueue& queue() { return *queue_; }

  TestCall& Make(std::string_view name) {
    calls_.emplace_back().name = name;
    return calls_.back();
  }
  TestCall& Add(std::string_view name, const FairQueue::Place& place) {
    TestCall& call = Make(name);
    EXPECT_TRUE(queue().Add(call, place, now_));
    return call;
  }
  // Adds calls that have the name of their share.
  void AddMany(int count, std::string_view share, uint64_t flow = 0,
               PriorityClass priority = PriorityClass::kNormal) {
    for (int i = 0; i < count; ++i) Add(share, {priority, share, flow});
  }

  // Takes a call that ends at once. Returns its name; empty if there is none.
  std::string Next() {
    const FairQueue::Turn turn = queue().Take();
    if (turn.entry == nullptr) return "";
    queue().Finish(*turn.flow);
    return static_cast<TestCall*>(turn.entry)->name;
  }
  std::string Next(int count) {
    std::string names;
    for (int i = 0; i < count; ++i) names += Next();
    return names;
  }
  // How often each name comes in the next `count` turns.
  std::map<std::string, int> CountNext(int count) {
    std::map<std::string, int> counts;
    for (int i = 0; i < count; ++i) ++counts[Next()];
    return counts;
  }
  // Takes calls that go on running, until none may run. Returns their number.
  int TakeAll() {
    int taken = 0;
    for (; queue().CanTake(); ++taken) flows_.push_back(queue().Take().flow);
    EXPECT_EQ(queue().Take().entry, nullptr);
    return taken;
  }

  Time now_{seconds(1000)};
  std::unique_ptr<FairQueue> queue_ =
      std::make_unique<FairQueue>(FairQueue::Options{.max_waiting_per_share = 20000});
  std::deque<TestCall> calls_;
  std::vector<FairQueue::Flow*> flows_;  // of running calls, the oldest first
};

TEST_F(FairQueueTest, ACallOfAnotherClientWaitsForOneTurnAtMost) {
  AddMany(10000, "a");
  EXPECT_EQ(Next(3), "aaa");
  AddMany(1, "b");
  const std::string next = Next(2);
  EXPECT_NE(next.find('b'), std::string::npos) << next;
  EXPECT_EQ(Next(3), "aaa");
  EXPECT_EQ(queue().waiting(), 10000u - 7);
}

TEST_F(FairQueueTest, ClientsTakeTurnsHoweverManyConnectionsTheyHave) {
  for (uint64_t flow = 0; flow < 10; ++flow) AddMany(3, "a", flow);
  AddMany(30, "b");
  AddMany(30, "c");
  EXPECT_EQ(CountNext(30), (std::map<std::string, int>{{"a", 10}, {"b", 10}, {"c", 10}}));
}

TEST_F(FairQueueTest, ConnectionsOfAClientTakeTurnsEachInOrder) {
  for (const char* name : {"1", "2", "3"}) Add(name, {.share = "a", .flow = 7});
  for (const char* name : {"x", "y", "z"}) Add(name, {.share = "a", .flow = 8});
  EXPECT_EQ(Next(6), "1x2y3z");
  EXPECT_EQ(Next(), "");
}

TEST_F(FairQueueTest, ClassesShareTurnsByTheirWeights) {
  AddMany(100, "i", 0, PriorityClass::kInteractive);
  AddMany(100, "n", 0, PriorityClass::kNormal);
  AddMany(100, "b", 0, PriorityClass::kBatch);
  EXPECT_EQ(queue().waiting(PriorityClass::kBatch), 100u);
  EXPECT_EQ(CountNext(42), (std::map<std::string, int>{{"i", 32}, {"n", 8}, {"b", 2}}));
  EXPECT_EQ(queue().waiting(PriorityClass::kBatch), 98u);
  EXPECT_EQ(queue().waiting(PriorityClass::kInteractive), 68u);
}

TEST_F(FairQueueTest, NoClassStarves) {
  AddMany(1, "b", 0, PriorityClass::kBatch);
  EXPECT_EQ(Next(), "b") << "alone, a class has all turns";
  AddMany(1, "b", 0, PriorityClass::kBatch);
  int turns = 0;
  do {
    AddMany(1, "i", 0, PriorityClass::kInteractive);
    AddMany(1, "n", 0, PriorityClass::kNormal);
    ++turns;
  } while (Next() != "b");
  EXPECT_LE(turns, 23);
}

TEST_F(FairQueueTest, AClassWithoutCallsSavesNoTurns) {
  AddMany(100, "n", 0, PriorityClass::kNormal);
  Next(50);
  AddMany(100, "i", 0, PriorityClass::kInteractive);
  EXPECT_EQ(CountNext(20), (std::map<std::string, int>{{"i", 17}, {"n", 3}}));
}

TEST_F(FairQueueTest, AClassThatWasHeldBackDoesNotMakeUpForIt) {
  Limit({.threads = 1, .max_overrunning = 0});
  AddMany(100, "i", 0, PriorityClass::kInteractive);
  FairQueue::Flow* const running = queue().Take().flow;
  AddMany(100, "n", 0, PriorityClass::kNormal);
  EXPECT_EQ(CountNext(50), (std::map<std::string, int>{{"n", 50}}));
  queue().Finish(*running);
  EXPECT_EQ(CountNext(20), (std::map<std::string, int>{{"i", 17}, {"n", 3}}));
}

TEST_F(FairQueueTest, WaitingCallsOfAClientAreLimited) {
  Limit({.max_waiting_per_share = 2});
  AddMany(1, "a", 1);
  AddMany(1, "a", 2);
  TestCall& third = Make("third");
  EXPECT_FALSE(queue().Add(third, {.share = "a", .flow = 3}, now_));
  EXPECT_FALSE(queue().Remove(third));
  EXPECT_EQ(queue().waiting(), 2u);
  AddMany(2, "b");
  EXPECT_TRUE(queue().Add(third, {.share = "a", .flow = 3, .continues = true}, now_));
  EXPECT_EQ(queue().waiting(), 5u);
  TestCall& fourth = Make("fourth");
  while (queue().waiting() > 0) Next();
  EXPECT_TRUE(queue().Add(fourth, {.share = "a"}, now_));
}

TEST_F(FairQueueTest, ARefusedCallLeavesNothingBehind) {
  Limit({.max_waiting_per_share = 0});
  TestCall& call = Make("call");
  EXPECT_FALSE(queue().Add(call, {.share = "a"}, now_));
  EXPECT_EQ(queue().shares(), 0u);
}

TEST_F(FairQueueTest, ARemovedCallHasNoTurn) {
  TestCall& first = Add("1", {.share = "a"});
  TestCall& second = Add("2", {.share = "a"});
  TestCall& third = Add("3", {.share = "a"});
  EXPECT_TRUE(queue().Remove(second));
  EXPECT_FALSE(queue().Remove(second));
  EXPECT_EQ(Next(), "1");
  EXPECT_FALSE(queue().Remove(first));
  EXPECT_TRUE(queue().Remove(third));
  EXPECT_EQ(Next(), "");
  EXPECT_EQ(queue().waiting(), 0u);
}

TEST_F(FairQueueTest, ClientsWithoutCallsAreForgotten) {
  TestCall& waiting = Add("1", {.share = "a"});
  Add("2", {.share = "b"});
  EXPECT_EQ(queue().shares(), 2u);
  queue().Remove(waiting);
  EXPECT_EQ(queue().shares(), 1u);
  const FairQueue::Turn turn = queue().Take();
  EXPECT_EQ(queue().shares(), 1u) << "it has a running call";
  EXPECT_EQ(queue().running(), 1u);
  queue().Finish(*turn.flow);
  EXPECT_EQ(queue().shares(), 0u);
  EXPECT_EQ(queue().running(), 0u);
}

TEST_F(FairQueueTest, OneConnectionMayUseHalfOfTheOverruns) {
  Limit({.threads = 2, .max_overrunning = 32});
  AddMany(64, "a");
  EXPECT_EQ(TakeAll(), 2 + 16);
  AddMany(1, "b");
  EXPECT_EQ(Next(), "b");
  EXPECT_FALSE(queue().CanTake());
  queue().Finish(*flows_.front());
  EXPECT_EQ(Next(), "a");
}

TEST_F(FairQueueTest, AnotherConnectionOfTheClientIsNotHeldBackByTheFirst) {
  Limit({.threads = 2, .max_overrunning = 32});
  AddMany(64, "a", 1);
  TakeAll();
  AddMany(1, "a", 2);
  EXPECT_TRUE(queue().CanTake());
  EXPECT_NE(queue().Take().entry, nullptr);
}

TEST_F(FairQueueTest, OneClientMayUseThreeQuartersOfTheOverruns) {
  Limit({.threads = 2, .max_overrunning = 32});
  for (uint64_t flow = 0; flow < 64; ++flow) AddMany(1, "a", flow);
  EXPECT_EQ(TakeAll(), 2 + 24);
  for (uint64_t flow = 0; flow < 64; ++flow) AddMany(1, "b", flow);
  EXPECT_EQ(TakeAll(), 7) << "three quarters of the rest, and the threads";
  AddMany(1, "c");
  EXPECT_EQ(Next(), "c");
}

TEST_F(FairQueueTest, AllThreadsAreUsedWhereNothingOverruns) {
  Limit({.threads = 4, .max_overrunning = 0});
  AddMany(10, "a");
  EXPECT_EQ(TakeAll(), 4);
}

class OverdueTest : public FairQueueTest {
 protected:
  std::string Overdue(Time since) {
    IntrusiveList<FairQueue::Entry> overdue;
    queue().TakeOverdue(since, &overdue);
    std::string names;
    while (FairQueue::Entry* const entry = overdue.pop_front()) {
      EXPECT_FALSE(queue().Remove(*entry)) << "it does not wait any more";
      names += static_cast<TestCall*>(entry)->name;
      names += entry->share_was_served() ? "+" : "-";
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(OverdueTest, CallsThatWaitTooLongAreTakenOut) {
  const Time first = now_;
  Add("1", {.share = "a", .flow = 1});
  Add("2", {.share = "b"});
  now_ += seconds(1);
  Add("3", {.share = "a", .flow = 1});
  Add("4", {.share = "a", .flow = 2});
  EXPECT_EQ(Overdue(first - seconds(1)), "");
  EXPECT_EQ(Overdue(first), "--12");
  EXPECT_EQ(queue().waiting(), 2u);
  EXPECT_EQ(queue().shares(), 1u);
  EXPECT_EQ(Overdue(now_), "--34");
  EXPECT_EQ(queue().shares(), 0u);
}

TEST_F(OverdueTest, StatesWhetherTheClientHadTurnsMeanwhile) {
  AddMany(3, "a");
  AddMany(1, "b");
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Overdue(now_), "++-aab");
}

TEST_F(OverdueTest, FurtherStepsOfACallAreNotRefused) {
  Add("1", {.share = "a", .continues = true});
  Add("2", {.share = "a"});
  Add("3", {.share = "a", .continues = true});
  EXPECT_EQ(Overdue(now_), "-2");
  EXPECT_EQ(Next(2), "13");
}

}  // namespace
}  // namespace stagedoor::server

#include "server/rpc/call_registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using Time = CallRegistry::Clock::time_point;

class FakeCall final : public CallRegistry::Entry {
 public:
  FakeCall(CallRegistry& registry, Time arrived, std::string id)
      : Entry(arrived), registry_(registry), id_(std::move(id)) {
    registry_.Add(*this);
  }
  ~FakeCall() { registry_.Remove(*this); }

 private:
  void Describe(CallInFlight* out) override {
    out->method = "S/M";
    out->request_id = id_;
  }

  CallRegistry& registry_;
  const std::string id_;
};

class CallRegistryTest : public ::testing::Test {
 protected:
  std::unique_ptr<FakeCall> Arrive(int ms, const std::string& id) {
    return std::make_unique<FakeCall>(registry_, Time(milliseconds(ms)), id);
  }
  CallRegistry::Listing List(size_t limit) const {
    return registry_.List(limit, Time(milliseconds(1000)));
  }
  std::vector<std::string> Ids(size_t limit) const {
    std::vector<std::string> ids;
    for (const CallInFlight& call : List(limit).longest) ids.push_back(call.request_id);
    return ids;
  }

  CallRegistry registry_;
};

TEST_F(CallRegistryTest, TheFirstToArriveComesFirst) {
  const auto b = Arrive(20, "b");
  const auto a = Arrive(10, "a");
  auto c = Arrive(30, "c");
  EXPECT_EQ(Ids(9), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(List(9).longest[0].age, milliseconds(990));
  EXPECT_EQ(List(9).longest[0].method, "S/M");
  c = nullptr;
  EXPECT_EQ(Ids(9), (std::vector<std::string>{"a", "b"}));
}

TEST_F(CallRegistryTest, TheLimitKeepsTheLongest) {
  std::vector<std::unique_ptr<FakeCall>> calls;
  for (int i = 99; i >= 0; --i) calls.push_back(Arrive(i, std::to_string(i)));
  EXPECT_EQ(Ids(3), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(Ids(100).size(), 100u);
  EXPECT_EQ(Ids(0).size(), 0u);
  for (int i = 0; i < 5; ++i) calls.push_back(Arrive(0, "same"));
  EXPECT_EQ(Ids(3).size(), 3u) << "although more have arrived at that time";
}

TEST_F(CallRegistryTest, StatesAreShownAndCounted) {
  const auto a = Arrive(10, "a");
  const auto b = Arrive(20, "b");
  const auto c = Arrive(30, "c");
  EXPECT_EQ(List(9).waiting, 0u);
  b->set_state(CallState::kWaiting);
  c->set_state(CallState::kWaiting);
  const CallRegistry::Listing listing = List(2);
  ASSERT_EQ(listing.longest.size(), 2u);
  EXPECT_EQ(listing.longest[0].state, CallState::kWorking);
  EXPECT_EQ(listing.longest[1].state, CallState::kWaiting);
  EXPECT_EQ(listing.waiting, 2u) << "also of those that are not listed";
  EXPECT_EQ(List(0).waiting, 2u);
}

TEST_F(CallRegistryTest, CallsAreAddedOnce) {
  const auto a = Arrive(10, "a");
  registry_.Add(*a);
  EXPECT_EQ(Ids(9), std::vector<std::string>{"a"});
  registry_.Remove(*a);
  registry_.Remove(*a);
  EXPECT_EQ(Ids(9), std::vector<std::string>());
}

TEST_F(CallRegistryTest, CallsComeAndGoWhileTheyAreListed) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        const auto first = Arrive(i, std::to_string(t));
        const auto second = Arrive(i, "x");
        first->set_state(CallState::kSending);
      }
    });
  }
  const auto stays = Arrive(-1, "stays");
  for (int i = 0; i < 500; ++i) {
    const auto listed = Ids(4);
    ASSERT_FALSE(listed.empty());
    EXPECT_LE(listed.size(), 4u);
    EXPECT_EQ(listed.front(), "stays");
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Ids(9), std::vector<std::string>{"stays"});
}

}  // namespace
}  // namespace stagedoor::server

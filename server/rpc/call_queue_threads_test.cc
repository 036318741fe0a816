// The queue over a real executor, with clients, cancellations and sweeps on threads of their own.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/lane_executor.h"
#include "server/rpc/call_queue.h"

namespace stagedoor::server {
namespace {

constexpr int kClients = 4;
constexpr int kCallsPerClient = 2000;

struct Ends {
  std::atomic<int> run{0}, refused{0}, removed{0};
  int total() const { return run + refused + removed; }
};

// A call that deletes itself like those of gRPC: its client and the queue hold it.
class SelfDeleting final : public CallQueue::Step {
 public:
  explicit SelfDeleting(Ends& ends) : ends_(ends) {}
  void RunStep() override { End(&ends_.run); }
  void RefuseStep(const absl::Status&) override { End(&ends_.refused); }
  void End(std::atomic<int>* how) {
    ++*how;
    Unref();
  }
  void Unref() {
    if (--holders_ == 0) delete this;
  }

 private:
  Ends& ends_;
  std::atomic<int> holders_{2};
};

void SendCalls(CallQueue& queue, int client, Ends& ends) {
  const std::string share(1, static_cast<char>('a' + client % 2));
  const RequestContext context;
  for (int i = 0; i < kCallsPerClient; ++i) {
    auto* call = new SelfDeleting(ends);
    const FairQueue::Place place = {.priority = static_cast<PriorityClass>(i % 3),
                                    .share = share,
                                    .flow = static_cast<uint64_t>(i % 5),
                                    .continues = i % 7 == 0};
    const Lane lane = i % 4 == 0 ? Lane::kLong : Lane::kShort;
    if (!queue.Add(*call, lane, place, context).ok()) {
      call->End(&ends.refused);
    } else if (i % 3 == 0 && queue.Remove(*call)) {
      call->End(&ends.removed);
    }
    call->Unref();
  }
}

TEST(CallQueueThreadsTest, EachCallEndsExactlyOnce) {
  Ends ends;
  LaneExecutor executor({.threads = 2});
  CallQueue::Options options;
  options.calls = {.threads = 2, .max_overrunning = 4, .max_waiting_per_share = 50};
  options.max_wait = std::chrono::milliseconds(1);
  const auto queue = std::make_shared<CallQueue>(
      [&](Lane lane, std::function<void()> fn) { executor.Schedule(lane, std::move(fn)); },
      options);
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] { SendCalls(*queue, client, ends); });
  }
  while (ends.total() < kClients * kCallsPerClient) {
    queue->Sweep();
    std::this_thread::yield();
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(ends.total(), kClients * kCallsPerClient);
  EXPECT_GT(ends.run, 0);
  for (const PriorityClass priority :
       {PriorityClass::kInteractive, PriorityClass::kNormal, PriorityClass::kBatch}) {
    EXPECT_EQ(queue->waiting(priority), 0u);
  }
  for (const Lane lane : {Lane::kShort, Lane::kLong}) {
    while (queue->shares(lane) != 0) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace stagedoor::server

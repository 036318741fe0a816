#include "server/store/redis_pool.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/error_info.h"
#include "server/store/testing/scripted_server.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;
using Peer = ScriptedServer::Peer;

std::unique_ptr<RedisConnector> ConnectorOf(RedisOptions options) {
  auto connector = RedisConnector::Create(std::move(options));
  EXPECT_TRUE(connector.ok()) << connector.status();
  return connector.ok() ? *std::move(connector) : nullptr;
}

void GreetOnly(Peer& peer) {
  peer.Greet();
  peer.Expect("more");
}

// A clock that moves on by `step` each time that it is read. Thread-safe.
struct SteppingClock {
  RedisPool::Clock::time_point Now() {
    return RedisPool::Clock::time_point(std::chrono::milliseconds(now_ms += step_ms));
  }
  std::atomic<int64_t> now_ms{0};
  std::atomic<int64_t> step_ms{0};
};

TEST(RedisPoolTest, ConnectionsAreUsedAgain) {
  ScriptedServer server(GreetOnly);
  const auto connector = ConnectorOf(server.options());
  RedisPool pool(*connector);
  RequestContext context;
  EXPECT_FALSE(pool.Borrow(context)->reused());
  EXPECT_TRUE(pool.Borrow(context)->reused());
  EXPECT_EQ(server.connections(), 1);
  {
    const auto first = pool.Borrow(context);
    const auto second = pool.Borrow(context);
    EXPECT_TRUE(first->reused());
    EXPECT_FALSE(second->reused());
  }
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisPoolTest, ClosedConnectionsAreReplaced) {
  ScriptedServer server([](Peer& peer) {
    peer.Greet();
    if (peer.index() != 0) peer.Expect("more");
  });
  RedisOptions options = server.options();
  options.max_connections = 1;
  const auto connector = ConnectorOf(options);
  RedisPool pool(*connector);
  RequestContext context;
  (void)pool.Borrow(context);
  server.WaitUntilClosed(0);
  const auto next = pool.Borrow(context);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_FALSE(next->reused());
}

TEST(RedisPoolTest, NoMoreThanTheMaximumAreOpen) {
  ScriptedServer server(GreetOnly);
  RedisOptions options = server.options();
  options.max_connections = 2;
  const auto connector = ConnectorOf(options);
  SteppingClock clock;
  RedisPool pool(*connector, [&] { return clock.Now(); });
  RequestContext context;
  auto first = std::make_optional(pool.Borrow(context));
  const auto second = pool.Borrow(context);
  ASSERT_TRUE(first->ok() && second.ok());
  clock.step_ms = options.operation_timeout / 1ms;
  const auto third = pool.Borrow(context);
  clock.step_ms = 0;
  EXPECT_EQ(GetReason(third.status()), v1::ERROR_REASON_STORE_UNAVAILABLE);
  EXPECT_EQ(Message(third.status()), Concat("the session store cannot be used: ", options.Address(),
                                            ": all 2 connections are in use; try again"));
  RequestContext late(RequestContext::Clock::now() + 10ms);
  EXPECT_EQ(pool.Borrow(late).status().code(), absl::StatusCode::kDeadlineExceeded);
  first.reset();
  EXPECT_TRUE(pool.Borrow(context).ok());
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisPoolTest, AReturnedConnectionIsGivenToACallThatWaits) {
  ScriptedServer server(GreetOnly);
  RedisOptions options = server.options();
  options.max_connections = 1;
  const auto connector = ConnectorOf(options);
  RedisPool pool(*connector);
  RequestContext context;
  auto first = std::make_optional(pool.Borrow(context));
  std::thread waiting([&] {
    const auto second = pool.Borrow(context);
    EXPECT_TRUE(second.ok() && second->reused());
  });
  first.reset();
  waiting.join();
}

TEST(RedisPoolTest, NoAttemptIsMadeForAWhileAfterAFailure) {
  ScriptedServer server([](Peer& peer) {
    if (peer.index() != 0) GreetOnly(peer);
  });
  const auto connector = ConnectorOf(server.options());
  RedisPool::Clock::time_point now;
  RedisPool pool(*connector, [&] { return now; });
  RequestContext context;
  const auto failed = pool.Borrow(context);
  EXPECT_EQ(GetReason(failed.status()), v1::ERROR_REASON_STORE_UNAVAILABLE);
  now += RedisPool::kPause - 1ms;
  EXPECT_EQ(pool.Borrow(context).status(), failed.status());
  EXPECT_EQ(server.connections(), 1);
  now += 1ms;
  EXPECT_TRUE(pool.Borrow(context).ok());
  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(pool.Borrow(context).ok());
}

TEST(RedisPoolTest, OneCallTriesAgainWhileOthersWait) {
  std::optional<absl::Status> other;
  RedisPool* pool_of_others = nullptr;
  SteppingClock clock;
  ScriptedServer server([&](Peer& peer) {
    if (peer.index() == 0) return;
    RequestContext context;
    clock.step_ms = RedisPool::kPause / 1ms;
    other = pool_of_others->Borrow(context).status();  // during the second attempt
    clock.step_ms = 0;
    GreetOnly(peer);
  });
  const auto connector = ConnectorOf(server.options());
  RedisPool pool(*connector, [&] { return clock.Now(); });
  pool_of_others = &pool;
  RequestContext context;
  const auto failed = pool.Borrow(context);
  clock.now_ms += RedisPool::kPause / 1ms;
  EXPECT_TRUE(pool.Borrow(context).ok());
  EXPECT_EQ(other, failed.status());
  EXPECT_EQ(server.connections(), 2);
}

// Cancels a call while it connects, which takes `time`, and returns the status of the next call.
absl::Status StatusAfterCancellation(RedisPool::Clock::duration time) {
  RequestContext cancelled;
  std::atomic<RedisPool::Clock::duration> passed{0s};
  ScriptedServer server([&](Peer& peer) {
    if (peer.index() == 0) {
      peer.Expect("PING\r\n");
      passed = time;
      cancelled.Cancel();
    }
    GreetOnly(peer);
  });
  const auto connector = ConnectorOf(server.options());
  RedisPool pool(*connector, [&] { return RedisPool::Clock::time_point(passed); });
  EXPECT_EQ(pool.Borrow(cancelled).status().code(), absl::StatusCode::kCancelled);
  RequestContext context;
  return pool.Borrow(context).status();
}

TEST(RedisPoolTest, ACancelledCallIsAnOutageOnlyIfItHadToWait) {
  EXPECT_TRUE(StatusAfterCancellation(RedisPool::kPause - 1ms).ok());
  const absl::Status outage = StatusAfterCancellation(RedisPool::kPause);
  EXPECT_EQ(GetReason(outage), v1::ERROR_REASON_STORE_UNAVAILABLE);
  EXPECT_TRUE(Message(outage).ends_with(": the server does not answer; try again")) << outage;
}

TEST(RedisPoolTest, AReportedOutageClosesIdleConnections) {
  ScriptedServer server(GreetOnly);
  const auto connector = ConnectorOf(server.options());
  RedisPool::Clock::time_point now;
  RedisPool pool(*connector, [&] { return now; });
  RequestContext context;
  (void)pool.Borrow(context);
  pool.ReportOutage(UnavailableError("reported"));
  server.WaitUntilClosed(0);
  EXPECT_EQ(Message(pool.Borrow(context).status()), "reported");
  now += RedisPool::kPause;
  EXPECT_TRUE(pool.Borrow(context).ok());
  EXPECT_EQ(server.connections(), 2);
}

}  // namespace
}  // namespace stagedoor::server

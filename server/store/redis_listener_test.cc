#include "server/store/redis_listener.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "server/store/testing/scripted_server.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;
using Peer = ScriptedServer::Peer;

constexpr RedisListener::Timing kQuickly = {
    .first_delay = 1ms, .longest_delay = 2ms, .silence = 60s};

std::string Own() { return std::string(RedisListener::kWriterBytes, 'w'); }
std::string Other() { return std::string(RedisListener::kWriterBytes, 'o'); }

std::string MessageOf(std::string_view payload) {
  return Concat("*3\r\n$7\r\nmessage\r\n$3\r\nthe\r\n$", payload.size(), "\r\n", payload, "\r\n");
}

bool Subscribe(Peer& peer) {
  if (!peer.Greet() || !peer.Expect("SUBSCRIBE\r\n$3\r\nthe\r\n")) return false;
  peer.Send("*3\r\n$9\r\nsubscribe\r\n$3\r\nthe\r\n:1\r\n");
  return true;
}

class RedisListenerTest : public testing::Test {
 protected:
  std::unique_ptr<RedisListener> Listen(ScriptedServer& server, RedisListener::Timing timing) {
    auto connector = RedisConnector::Create(server.options());
    EXPECT_TRUE(connector.ok()) << connector.status();
    connector_ = *std::move(connector);
    return std::make_unique<RedisListener>(
        *connector_, "the", Own(),
        [this](std::optional<std::string_view> session) {
          MutexLock lock(mu_);
          heard_.push_back(session.has_value() ? Concat("session ", *session) : "anything");
          changed_.NotifyAll();
        },
        timing);
  }

  std::string Next() {
    MutexLock lock(mu_);
    while (heard_.empty()) changed_.Wait(mu_);
    std::string next = std::move(heard_.front());
    heard_.pop_front();
    return next;
  }
  bool HeardNothing() {
    MutexLock lock(mu_);
    return heard_.empty();
  }

 private:
  std::unique_ptr<RedisConnector> connector_;
  Mutex mu_;
  CondVar changed_;
  std::deque<std::string> heard_ ABSL_GUARDED_BY(mu_);
};

TEST_F(RedisListenerTest, HearsOfOthersOnly) {
  ScriptedServer server([](Peer& peer) {
    if (!Subscribe(peer)) return;
    // The first one arrives together with the reply.
    peer.Send(MessageOf(Other() + "a") + MessageOf(Own() + "b") + MessageOf(Other()) +
              MessageOf("short") + MessageOf(Other() + std::string("c\0d", 3)));
    peer.Expect("more");
  });
  const auto listener = Listen(server, kQuickly);
  EXPECT_EQ(Next(), "session a");
  EXPECT_EQ(Next(), "session ");
  EXPECT_EQ(Next(), "anything");
  EXPECT_EQ(Next(), std::string("session c\0d", 11));
  EXPECT_TRUE(HeardNothing());
}

TEST_F(RedisListenerTest, AnythingMayHaveHappenedWhileItWasNotConnected) {
  ScriptedServer server([](Peer& peer) {
    if (!Subscribe(peer) || peer.index() == 0) return;
    if (peer.index() == 1) {
      peer.Send("garbage\r\n");
    } else {
      peer.Send(MessageOf(Other() + "a"));
    }
    peer.Expect("more");
  });
  const auto listener = Listen(server, kQuickly);
  EXPECT_EQ(Next(), "anything");
  EXPECT_EQ(Next(), "anything");
  EXPECT_EQ(Next(), "session a");
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(RedisListenerTest, AFirstAttemptMayFail) {
  ScriptedServer server([](Peer& peer) {
    if (peer.index() == 0) return;
    if (peer.index() == 1) {
      if (peer.Greet() && peer.Expect("the\r\n")) peer.Send("-NOPERM no\r\n");
    } else {
      Subscribe(peer);
    }
    peer.Expect("more");
  });
  const auto listener = Listen(server, kQuickly);
  EXPECT_EQ(Next(), "anything");
  EXPECT_EQ(server.connections(), 3);
}

// Whether the client tests the server, which answers in time. It gives up a server that takes
// longer than the silence that it accepts, as one on a slow machine may.
bool AnswersTests(Peer& peer, int count) {
  for (; count > 0 && peer.Expect("PING\r\n"); --count) {
    peer.Send("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  }
  return count == 0;
}

TEST_F(RedisListenerTest, AServerThatAnswersTestsIsKept) {
  std::promise<void> kept;
  std::atomic<bool> is_kept{false};
  ScriptedServer server([&](Peer& peer) {
    if (!Subscribe(peer) || is_kept || !AnswersTests(peer, 3)) return;
    is_kept = true;
    kept.set_value();
  });
  RedisListener::Timing timing = kQuickly;
  timing.silence = 5ms;
  const auto listener = Listen(server, timing);
  kept.get_future().wait();
}

TEST_F(RedisListenerTest, ASilentServerIsTestedAndGivenUp) {
  RedisListener::Timing timing = kQuickly;
  timing.silence = 5ms;
  ScriptedServer server([](Peer& peer) {
    if (!Subscribe(peer)) return;
    if (peer.index() == 0) {
      EXPECT_TRUE(peer.Expect("PING\r\n"));
      EXPECT_FALSE(peer.Expect("PING\r\n"));  // closed by the client
    } else {
      peer.Expect("more");
    }
  });
  const auto listener = Listen(server, timing);
  EXPECT_EQ(Next(), "anything");
}

TEST_F(RedisListenerTest, TheDestructorEndsAWait) {
  ScriptedServer server([](Peer& peer) {
    Subscribe(peer);
    peer.Expect("more");
  });
  auto listener = Listen(server, kQuickly);  // waits for a minute
  listener.reset();
  server.WaitUntilClosed(0);
  EXPECT_TRUE(HeardNothing());
}

}  // namespace
}  // namespace stagedoor::server

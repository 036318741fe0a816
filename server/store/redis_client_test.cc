#include "server/store/redis_client.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "server/error_info.h"
#include "server/store/redis_session_store.h"
#include "server/store/testing/scripted_server.h"

// How the store behaves towards servers that fail or misbehave.

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;
using Peer = ScriptedServer::Peer;

constexpr std::string_view kGet = "lease:l\r\n";      // the end of FindLease
constexpr std::string_view kScript = "EVALSHA\r\n";   // in WriteLease
constexpr std::string_view kWriteEnd = "600000\r\n";  // the end of WriteLease

std::unique_ptr<RedisSessionStore> StoreOf(RedisOptions options) {
  auto store = RedisSessionStore::Create(std::move(options));
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

absl::Status Find(RedisSessionStore& store) {
  RequestContext context;
  return store.FindLease(context, "l").status();
}

absl::Status Write(RedisSessionStore& store) {
  RequestContext context;
  return store.WriteLease(context, "s", "l", "record", 600s);
}

// The text between the address and the advice of a STORE_UNAVAILABLE error.
std::string WhyUnavailable(const absl::Status& status) {
  if (status.ok()) return "(no error)";
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_STORE_UNAVAILABLE) << status;
  std::string why(Message(status));
  const std::string_view begin = "the session store cannot be used: redis://127.0.0.1:";
  const std::string_view end = "; try again";
  EXPECT_TRUE(why.starts_with(begin) && why.ends_with(end)) << why;
  why = why.substr(0, why.size() - end.size()).substr(begin.size());
  return why.substr(why.find_first_not_of("0123456789"));
}

TEST(RedisClientTest, InvalidRepliesAreErrors) {
  const std::pair<std::string_view, std::string> kReplies[] = {
      {"HTTP/1.1 400 Bad Request\r\n",
       ": the server does not speak the protocol of Redis: 'Protocol error, got \"H\" as reply "
       "type "
       "byte'"},
      {"$99999999999\r\n", ": a reply has more than 67108864 bytes"},
      {"*2000\r\n", ": a reply has more than 1024 elements"},
      {"$1\r\na\r\n$1\r\nb\r\n", ": the server sent more than the replies to the commands"},
      {"$1\r\na\r\n$", ": the server sent more than the replies to the commands"},
      {"$5\r\nab", ": the server closed the connection"},
      {"", ": the server closed the connection"},
      {":1\r\n", " has another kind of record; another program writes keys with the same prefix"},
  };
  for (const auto& [reply, why] : kReplies) {
    ScriptedServer server([reply = reply](Peer& peer) {
      if (peer.Greet() && peer.Expect(kGet)) peer.Send(reply);
    });
    const auto store = StoreOf(server.options());
    EXPECT_EQ(WhyUnavailable(Find(*store)), why);
    EXPECT_EQ(server.connections(), 1);  // not repeated, since the connection was new
  }
}

// As if another program wrote keys with the same prefix, or the server were something else.
TEST(RedisClientTest, RepliesOfAnotherShapeAreErrors) {
  const std::string kOther =
      " has another kind of record; another program writes keys with the same prefix";
  RequestContext context;
  const auto find_session = [&](RedisSessionStore& store) {
    return store.FindSession(context, "s").status();
  };
  const auto write_session = [&](RedisSessionStore& store) {
    return store.WriteSession(context, {.session = "s", .ttl = 600s}).status();
  };
  const auto hottest = [&](RedisSessionStore& store) {
    return store.HottestRecipes(context, 3, 600s).status();
  };
  const struct {
    std::function<absl::Status(RedisSessionStore&)> call;
    std::string_view end;  // of what is sent
    std::string_view reply;
    bool ok;
  } kCases[] = {
      {find_session, "revision\r\n", "*1\r\n$1\r\na\r\n", false},
      {find_session, "revision\r\n", "*2\r\n$1\r\na\r\n$1\r\nx\r\n", false},
      {find_session, "revision\r\n", "*2\r\n$-1\r\n$1\r\n1\r\n", false},
      {find_session, "revision\r\n", "*2\r\n$1\r\na\r\n$-1\r\n", false},
      {find_session, "revision\r\n", "*2\r\n$1\r\na\r\n$1\r\n1\r\n", true},
      {find_session, "revision\r\n", "*2\r\n$-1\r\n$-1\r\n", true},
      {write_session, "$0\r\n\r\n$0\r\n\r\n", "$1\r\na\r\n", false},
      {write_session, "$0\r\n\r\n$0\r\n\r\n", ":1\r\n", true},
      {hottest, "$1\r\n3\r\n", "*2\r\n$1\r\na\r\n:1\r\n", false},
      {hottest, "$1\r\n3\r\n", "*1\r\n$1\r\na\r\n", true},
  };
  for (const auto& c : kCases) {
    ScriptedServer server([&](Peer& peer) {
      if (peer.Greet() && peer.Expect(c.end)) peer.Send(c.reply);
    });
    const auto store = StoreOf(server.options());
    const absl::Status status = c.call(*store);
    EXPECT_EQ(status.ok(), c.ok) << c.reply << status;
    if (!c.ok) {
      EXPECT_EQ(WhyUnavailable(status), kOther) << c.reply;
    }
  }
}

TEST(RedisClientTest, RecordsHaveAMaximumSize) {
  ScriptedServer server([](Peer& peer) {
    peer.Greet();
    peer.Expect("never sent");
  });
  const auto store = StoreOf(server.options());
  RequestContext context;
  const std::string half(128 << 20, 'x');
  const absl::Status status =
      store
          ->WriteSession(
              context,
              {.session = "s", .record = half, .state = "t", .state_record = half, .ttl = 600s})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_NE(Message(status).find("exceed the limit of"), std::string_view::npos) << status;
}

TEST(RedisClientTest, WithoutLeasesNothingIsRenewed) {
  ScriptedServer server([](Peer&) {});
  const auto store = StoreOf(server.options());
  RequestContext context;
  EXPECT_TRUE(store->Renew(context, {}).ok());
  EXPECT_EQ(server.connections(), 0);
}

TEST(RedisClientTest, ErrorsOfTheServerSayWhatToDo) {
  const std::pair<std::string_view, std::string> kReplies[] = {
      {"-ERR unknown command", " replied 'ERR unknown command'"},
      {"-NOAUTH Authentication required.",
       " replied 'NOAUTH Authentication required.'; the server needs a password; set the one of "
       "the Redis store"},
      {"-NOPERM no",
       " replied 'NOPERM no'; grant the user the permissions in "
       "docs/decisions/session-store.md"},
      {"-READONLY x",
       " replied 'READONLY x'; the server is a replica; use the address of the "
       "primary"},
      {"-LOADING x", " replied 'LOADING x'; the server is starting"},
      {"-MOVED 1 a:1",
       " replied 'MOVED 1 a:1'; Redis Cluster is not supported; use a single primary"},
      {"-OOM x", " replied 'OOM x'; the server has no memory left; raise its maxmemory"},
      {"-MISCONF x", " replied 'MISCONF x'; the server cannot save its data; see its log"},
      {"-WRONGTYPE x",
       " replied 'WRONGTYPE x'; another program writes keys with the same prefix; "
       "set another key prefix"},
  };
  for (const auto& [reply, why] : kReplies) {
    ScriptedServer server([reply = reply](Peer& peer) {
      peer.Greet();
      while (peer.Expect(kGet)) peer.Send(Concat(reply, "\r\n"));
    });
    const auto store = StoreOf(server.options());
    EXPECT_EQ(WhyUnavailable(Find(*store)), why);
    EXPECT_EQ(WhyUnavailable(Find(*store)), why);
    // Another connection may lead to a server that is not a replica, or not starting.
    const bool reconnects = reply.starts_with("-READONLY") || reply.starts_with("-LOADING") ||
                            reply.starts_with("-MOVED");
    EXPECT_EQ(server.connections(), reconnects ? 2 : 1) << reply;
  }
}

TEST(RedisClientTest, HalfAReplyIsWaitedForUntilTheTimeout) {
  ScriptedServer server([](Peer& peer) {
    peer.Greet();
    while (peer.Expect(kGet)) peer.Send("$5\r\nab");
  });
  RedisOptions options = server.options();
  options.operation_timeout = 30ms;
  EXPECT_EQ(WhyUnavailable(Find(*StoreOf(options))), ": no reply within 30 ms");
}

TEST(RedisClientTest, AfterATimeoutOtherCallsFailAtOnce) {
  ScriptedServer server([](Peer& peer) {
    peer.Greet();
    peer.Expect("more");
  });
  RedisOptions options = server.options();
  options.operation_timeout = 50ms;
  const auto connector = RedisConnector::Create(options);
  ASSERT_TRUE(connector.ok());
  RedisPool::Clock::time_point now;
  RedisClient client(**connector, [&] { return now; });
  RequestContext context;
  EXPECT_EQ(WhyUnavailable(client.Read(context, {"GET", "a"}).status()), ": no reply within 50 ms");
  EXPECT_EQ(WhyUnavailable(client.Read(context, {"GET", "a"}).status()), ": no reply within 50 ms");
  EXPECT_EQ(server.connections(), 1);
  now += RedisPool::kPause;
  EXPECT_EQ(WhyUnavailable(client.Read(context, {"GET", "a"}).status()), ": no reply within 50 ms");
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisClientTest, TheDeadlineEndsACall) {
  ScriptedServer server([](Peer& peer) {
    peer.Greet();
    while (peer.Expect(kGet)) peer.Send("$5\r\nab");
  });
  const auto store = StoreOf(server.options());
  RequestContext context(RequestContext::Clock::now() + 200ms);
  EXPECT_EQ(store->FindLease(context, "l").status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(RedisClientTest, CancellationEndsACall) {
  RequestContext context;
  ScriptedServer server([&](Peer& peer) {
    if (peer.Greet() && peer.Expect(kGet)) context.Cancel();
    peer.Expect("more");
  });
  const auto store = StoreOf(server.options());
  EXPECT_EQ(store->FindLease(context, "l").status().code(), absl::StatusCode::kCancelled);
  server.WaitUntilClosed(0);  // its reply must not be taken for that of the next call
}

TEST(RedisClientTest, ReadsAreRepeatedOnANewConnection) {
  ScriptedServer server([](Peer& peer) {
    if (!peer.Greet() || !peer.Expect(kGet)) return;
    peer.Send("$1\r\na\r\n");
    if (peer.Expect(kGet) && peer.index() == 1) peer.Send("$1\r\nc\r\n");
  });
  const auto store = StoreOf(server.options());
  EXPECT_TRUE(Find(*store).ok());
  EXPECT_TRUE(Find(*store).ok());  // received by the first connection, answered by the second
  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(Find(*store).ok());
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisClientTest, WritesThatMayHaveArrivedAreNotRepeated) {
  ScriptedServer server([](Peer& peer) {
    if (!peer.Greet() || !peer.Expect(kWriteEnd)) return;
    peer.Send(":1\r\n");
    peer.Expect(kScript);
  });
  const auto store = StoreOf(server.options());
  EXPECT_TRUE(Write(*store).ok());
  const std::string why = WhyUnavailable(Write(*store));
  EXPECT_TRUE(why == ": the server closed the connection" ||
              why == ": the connection broke: Connection reset by peer")
      << why;
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisClientTest, WritesUseANewConnectionIfTheOldOneIsClosed) {
  ScriptedServer server([](Peer& peer) {
    if (peer.Greet() && peer.Expect(kWriteEnd)) peer.Send(":1\r\n");
  });
  const auto store = StoreOf(server.options());
  EXPECT_TRUE(Write(*store).ok());
  server.WaitUntilClosed(0);
  EXPECT_TRUE(Write(*store).ok());
  EXPECT_EQ(server.connections(), 2);
}

TEST(RedisClientTest, UnknownScriptsAreSent) {
  std::string evaluated;
  ScriptedServer server([&](Peer& peer) {
    if (!peer.Greet()) return;
    // Three renewals, of which the server runs the second one.
    for (int i = 0; i < 3; ++i) peer.Expect("EVALSHA\r\n");
    peer.Expect("lease three\r\n");
    peer.Send("-NOSCRIPT No matching script\r\n:1\r\n-NOSCRIPT No matching script\r\n");
    peer.Expect("EVAL\r\n");
    peer.Expect("local time");
    if (peer.Expect("lease:lease one\r\n")) evaluated += "one ";
    peer.Expect("EVAL\r\n");
    if (peer.Expect("lease:lease three\r\n")) evaluated += "three";
    peer.Send(":1\r\n:1\r\n");
    peer.Expect("more");
  });
  const auto store = StoreOf(server.options());
  RequestContext context;
  const std::vector<SessionStore::Renewal> renewals = {{"s", "t", "lease one", 600s},
                                                       {"s", "t", "lease two", 600s},
                                                       {"s", "t", "lease three", 600s}};
  const absl::Status renewed = store->Renew(context, renewals);
  EXPECT_TRUE(renewed.ok()) << renewed;
  EXPECT_EQ(evaluated, "one three");
  EXPECT_EQ(server.connections(), 1);
}

TEST(RedisClientTest, LargeCommandsAreSentWhileTheServerReplies) {
  // The server does not read on before its reply was read, which exceeds the buffers between.
  const std::string reply = Concat("$", 8 << 20, "\r\n", std::string(8 << 20, 'x'), "\r\n");
  ScriptedServer server([&](Peer& peer) {
    if (!peer.Greet()) return;
    peer.Expect("EVALSHA\r\n");
    peer.Send(reply);
    if (peer.Expect("600000\r\n")) peer.Expect("more");
  });
  RedisOptions options = server.options();
  const auto connector = RedisConnector::Create(options);
  ASSERT_TRUE(connector.ok());
  RequestContext context;
  auto connection = (*connector)->Connect(context);
  ASSERT_TRUE(connection.ok()) << connection.status();
  const std::string record(8 << 20, 'y');
  const RedisCommand command = {"EVALSHA", record, "600000"};
  const auto replies = (*connection)->Execute({&command, 1}, RedisWait(context, 60s));
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ(replies->front().text.size(), size_t{8} << 20);
}

}  // namespace
}  // namespace stagedoor::server

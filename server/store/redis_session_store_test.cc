#include "server/store/redis_session_store.h"

#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "server/store/redis_client.h"
#include "server/store/redis_connector.h"
#include "server/store/testing/redis_server.h"
#include "server/store/testing/session_store_conformance.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;
using Transport = RedisServer::Transport;

constexpr RedisListener::Timing kQuickly = {
    .first_delay = 5ms, .longest_delay = 20ms, .silence = 60s};

class RedisBackend final : public SessionStoreBackend {
 public:
  RedisBackend(Transport transport, RedisOptions options, std::vector<std::string> arguments)
      : server_(transport, std::move(options), std::move(arguments)) {}

  std::unique_ptr<SessionStore> Connect() override {
    auto store = RedisSessionStore::Create(server_.options(), kQuickly);
    if (!store.ok()) {
      ADD_FAILURE() << store.status();
      return nullptr;
    }
    stores_.push_back(store->get());
    return *std::move(store);
  }

  // The server has a clock of its own.
  void PassTime(SessionStore::Ttl time) override { std::this_thread::sleep_for(time); }

  void SetReachable(bool reachable) override {
    if (!reachable) return server_.Stop();
    server_.Start();
    for (SessionStore* const store : stores_) {  // the pause after failures
      RequestContext context;
      while (!store->FindSession(context, "none").ok()) std::this_thread::sleep_for(5ms);
    }
  }

 private:
  RedisServer server_;
  std::vector<SessionStore*> stores_;  // which the test keeps
};

std::unique_ptr<SessionStoreBackend> MakeBackend(Transport transport, RedisOptions options,
                                                 std::vector<std::string> arguments) {
  ::signal(SIGPIPE, SIG_IGN);  // see RedisTls
  if (!RedisServer::IsInstalled()) return nullptr;
  return std::make_unique<RedisBackend>(transport, std::move(options), std::move(arguments));
}

std::unique_ptr<SessionStoreBackend> OnUnixSocket() {
  return MakeBackend(Transport::kUnix, {}, {});
}

// With the permissions in docs/decisions/session-store.md and no others.
std::unique_ptr<SessionStoreBackend> WithPermissions() {
  RedisOptions options;
  options.user = "stagedoor";
  options.password = "secret word";
  options.database = 3;
  std::vector<std::string> arguments = {"--user",       "stagedoor",    "on",   ">secret word",
                                        "~stagedoor:*", "&stagedoor:*", "-@all"};
  for (const char* const command : {"ping",      "select",
                                    "subscribe", "eval",
                                    "evalsha",   "get",
                                    "set",       "del",
                                    "hdel",      "hget",
                                    "hmget",     "hset",
                                    "pexpire",   "pexpireat",
                                    "pttl",      "publish",
                                    "time",      "zadd",
                                    "zcard",     "zrange",
                                    "zrem",      "zremrangebyscore"}) {
    arguments.push_back(Concat("+", command));
  }
  arguments.insert(arguments.end(), {"--requirepass", "another"});
  return MakeBackend(Transport::kTcp, options, std::move(arguments));
}

std::unique_ptr<SessionStoreBackend> OverTls() {
  RedisOptions options;
  options.password = "secret";
  options.key_prefix = "";
  return MakeBackend(Transport::kTls, options,
                     {"--tls-auth-clients", "no", "--requirepass", "secret"});
}

// Tests the records that the Redis server keeps of the uses of recipes.
class RedisUsesTest : public testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);  // see RedisTls
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "redis-server is not installed";
    server_ = std::make_unique<RedisServer>(Transport::kUnix, RedisOptions());
    store_ = RedisSessionStore::Create(server_->options()).value();
    connector_ = RedisConnector::Create(server_->options()).value();
    client_ = std::make_unique<RedisClient>(*connector_);
  }
  RedisReply Ask(const RedisCommand& command) {
    const auto reply = client_->Read(context_, command);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : RedisReply();
  }

  RequestContext context_;
  std::unique_ptr<RedisServer> server_;
  std::unique_ptr<SessionStore> store_;
  std::unique_ptr<RedisConnector> connector_;
  std::unique_ptr<RedisClient> client_;
};

TEST_F(RedisUsesTest, NothingOfOldUsesRemains) {
  constexpr auto kSlot = 50ms;
  const std::vector<SessionStore::Use> uses = {{"a", "A", 1}, {"b", "B", 2}};
  ASSERT_TRUE(store_->RecordUses(context_, uses, kSlot).ok());
  std::this_thread::sleep_for(2 * kSlot);
  EXPECT_EQ(Ask({"KEYS", "*"}).elements.size(), 0u);
}

TEST_F(RedisUsesTest, RecordsOfDroppedRecipesAreDropped) {
  std::vector<SessionStore::Use> uses;
  for (size_t i = 0; i < SessionStore::kMaxRecipes + 5; ++i) uses.push_back({Concat(i), "R", 1});
  ASSERT_TRUE(store_->RecordUses(context_, uses, 24h).ok());
  const RedisReply keys = Ask({"KEYS", "*:recipes:*"});
  ASSERT_EQ(keys.elements.size(), 1u);
  EXPECT_EQ(Ask({"HLEN", keys.elements[0].text}).integer, int64_t{SessionStore::kMaxRecipes});
}

INSTANTIATE_TEST_SUITE_P(UnixSocket, SessionStoreConformance, testing::Values(&OnUnixSocket));
INSTANTIATE_TEST_SUITE_P(Permissions, SessionStoreConformance, testing::Values(&WithPermissions));
INSTANTIATE_TEST_SUITE_P(Tls, SessionStoreConformance, testing::Values(&OverTls));

}  // namespace
}  // namespace stagedoor::server

#include "server/store/redis_options.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;

RedisOptions Parsed(std::string_view url) {
  auto options = ParseRedisUrl(url);
  EXPECT_TRUE(options.ok()) << url << ": " << options.status();
  return options.ok() ? *std::move(options) : RedisOptions();
}

std::string ErrorOf(std::string_view url) {
  const auto options = ParseRedisUrl(url);
  if (options.ok()) return "(no error)";
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(Message(options.status()));
}

TEST(RedisOptionsTest, AHostIsEnough) {
  const RedisOptions options = Parsed("redis://cache-1.example_net");
  EXPECT_EQ(options.host, "cache-1.example_net");
  EXPECT_EQ(options.port, 6379);
  EXPECT_EQ(options.database, 0);
  EXPECT_FALSE(options.tls);
  EXPECT_EQ(options.user, "");
  EXPECT_EQ(options.password, "");
  EXPECT_EQ(options.socket_path, "");
  EXPECT_TRUE(CheckRedisOptions(options).ok());
}

TEST(RedisOptionsTest, ReadsAllParts) {
  const RedisOptions options = Parsed("rediss://door:p%40s%2fs:word%25@[2001:db8::1]:7000/12");
  EXPECT_TRUE(options.tls);
  EXPECT_EQ(options.user, "door");
  EXPECT_EQ(options.password, "p@s/s:word%");
  EXPECT_EQ(options.host, "2001:db8::1");
  EXPECT_EQ(options.port, 7000);
  EXPECT_EQ(options.database, 12);
  EXPECT_EQ(options.Address(), "rediss://[2001:db8::1]:7000");
}

TEST(RedisOptionsTest, UserAndPasswordAreOptional) {
  EXPECT_EQ(Parsed("redis://:secret@host/").password, "secret");
  EXPECT_EQ(Parsed("redis://:secret@host/").user, "");
  EXPECT_EQ(Parsed("redis://door@host").user, "door");
  EXPECT_EQ(Parsed("redis://door@host").password, "");
  EXPECT_EQ(Parsed("redis://@host").Address(), "redis://host:6379");
  EXPECT_EQ(Parsed("redis://Door:W%4Frd@HOST-9").Address(), "redis://HOST-9:6379");
}

TEST(RedisOptionsTest, ReadsAUnixSocket) {
  const RedisOptions options = Parsed("redis+unix:/run/redis/redis.sock");
  EXPECT_EQ(options.socket_path, "/run/redis/redis.sock");
  EXPECT_EQ(options.host, "");
  EXPECT_EQ(options.Address(), "redis+unix:/run/redis/redis.sock");
  EXPECT_TRUE(CheckRedisOptions(options).ok());
}

TEST(RedisOptionsTest, ErrorsNameWhatIsWrong) {
  const std::string forms = "write redis://HOST:PORT, rediss://HOST:PORT (TLS) or redis+unix:/PATH";
  const std::pair<std::string_view, std::string> kErrors[] = {
      {"http://host", "a Redis URL begins with another scheme; " + forms},
      {"host:6379", "a Redis URL begins with another scheme; " + forms},
      {"redis:host", "a Redis URL begins with another scheme; " + forms},
      {"redis://", "a Redis URL has no host; " + forms},
      {"redis://:7000", "a Redis URL has no host; " + forms},
      {"redis://a b",
       "the host 'a b' of a Redis URL is not a name or an IP address; an IPv6 "
       "address must be in brackets"},
      {"redis://[::1", "the host of a Redis URL has a '[' without ']'"},
      {"redis://[127.0.0.1]", "the host '127.0.0.1' of a Redis URL is not an IPv6 address"},
      {"redis://[name]", "the host 'name' of a Redis URL is not an IPv6 address"},
      {"redis://[::1]7", "a Redis URL has '7' after the host; " + forms},
      {"redis://host:0", "the port '0' of a Redis URL is not a number from 1 to 65535"},
      {"redis://host:65536", "the port '65536' of a Redis URL is not a number from 1 to 65535"},
      {"redis://host:", "the port '' of a Redis URL is not a number from 1 to 65535"},
      {"redis://::1", "a Redis URL has no host; " + forms},
      {"redis://host/-1", "the database '-1' of a Redis URL is not a number from 0 to 1000000"},
      {"redis://host/1/2", "the database '1/2' of a Redis URL is not a number from 0 to 1000000"},
      {"redis://host/1000001",
       "the database '1000001' of a Redis URL is not a number from 0 to 1000000"},
      {"redis://d%4g:word@host",
       "the user name or password of a Redis URL has a '%' without two hexadecimal digits; write "
       "%25 for '%'"},
      {"redis://host?db=1", "a Redis URL must not have a query or a fragment; " + forms},
      {"redis+unix:run/redis.sock", "the path of a Redis URL must be absolute; " + forms},
      {"redis+unix:", "the path of a Redis URL must be absolute; " + forms},
      {std::string_view("redis://a\0b", 11), "a Redis URL must not have a zero byte"},
  };
  for (const auto& [url, error] : kErrors) {
    EXPECT_EQ(ErrorOf(url), error) << url;
  }
  EXPECT_EQ(Parsed("redis://" + std::string(253, 'a')).host, std::string(253, 'a'));
  EXPECT_NE(ErrorOf("redis://" + std::string(254, 'a')).find("is not a name"), std::string::npos);
  EXPECT_EQ(ErrorOf("redis://" + std::string(4090, 'a')),
            "a Redis URL has 4098 bytes, more than 4096");
}

TEST(RedisOptionsTest, ErrorsDoNotShowThePassword) {
  for (const std::string_view url :
       {"redis://door:sec/ret@host", "redis://door:sec@ret@host", "redis://door:sec%ret@host",
        "redis://door:secret%2@host", "redis://door:secret@host:x", "redis://door:secret@",
        "redis://door:secret@host/x", "redis://door:sec?ret@host", "redis://door:sec#ret@host",
        "http://door:secret@host", "redis:door:secret@host"}) {
    const std::string error = ErrorOf(url);
    EXPECT_NE(error, "(no error)") << url;
    EXPECT_EQ(error.find("sec"), std::string::npos) << error;
    EXPECT_EQ(error.find("door"), std::string::npos) << error;
  }
  EXPECT_EQ(Parsed("redis://door:secret@host").Address(), "redis://host:6379");
}

TEST(RedisOptionsTest, ChecksWhatTheCallerSets) {
  const auto error = [](void (*change)(RedisOptions&)) {
    RedisOptions options;
    options.host = "host";
    change(options);
    return std::string(Message(CheckRedisOptions(options)));
  };
  EXPECT_EQ(error([](RedisOptions&) {}), "");
  EXPECT_EQ(error([](RedisOptions& o) { o.socket_path = "/run/s"; }),
            "the Redis store needs either a host or the path of a Unix socket");
  EXPECT_EQ(error([](RedisOptions& o) {
              o.host.clear();
              o.socket_path = "/" + std::string(107, 'a');
            }),
            "the path of the Redis server's socket has more than 107 bytes");
  EXPECT_EQ(error([](RedisOptions& o) { o.user = "door"; }),
            "a Redis user is set without a password; set the password as well");
  EXPECT_EQ(error([](RedisOptions& o) { o.ca_file = "/ca.pem"; }),
            "certificates for Redis are set, but its URL does not use TLS; write rediss://");
  EXPECT_EQ(error([](RedisOptions& o) {
              o.tls = true;
              o.certificate_file = "/cert.pem";
            }),
            "the certificate and the key of the Redis client must be set together");
  EXPECT_EQ(error([](RedisOptions& o) { o.key_prefix = std::string(101, 'a'); }),
            "the key prefix of the Redis store has more than 100 bytes");
  EXPECT_EQ(error([](RedisOptions& o) { o.connect_timeout = 0ms; }),
            "the connect timeout in milliseconds of the Redis store must be from 1 to 3600000, "
            "not 0");
  EXPECT_EQ(error([](RedisOptions& o) { o.operation_timeout = 3600001ms; }),
            "the operation timeout in milliseconds of the Redis store must be from 1 to 3600000, "
            "not 3600001");
  EXPECT_EQ(error([](RedisOptions& o) { o.max_connections = 0; }),
            "the number of connections of the Redis store must be from 1 to 1000, not 0");
  EXPECT_EQ(error([](RedisOptions& o) { o.max_reply_bytes = 1; }),
            "the longest reply in bytes of the Redis store must be from 4096 to 1073741824, not 1");
}

}  // namespace
}  // namespace stagedoor::server

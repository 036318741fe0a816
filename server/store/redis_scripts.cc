#include "server/store/redis_scripts.h"

#include <openssl/evp.h>

#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

// Time passes on the server only, so that the clocks of replicas do not matter.
constexpr std::string_view kNow = R"(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function prune(set)
  redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
end
)";

// Needs kNow.
constexpr std::string_view kRemember = R"(
local function remember(set, element, ttl)
  prune(set)
  redis.call('ZADD', set, now + ttl, element)
  redis.call('PEXPIREAT', set, redis.call('ZRANGE', set, -1, -1, 'WITHSCORES')[2])
end
)";

constexpr std::string_view kWriteSession = R"(
local revision = redis.call('HGET', KEYS[1], 'revision') or '0'
if revision ~= ARGV[1] then return 0 end
local ttl = tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'record', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ttl)
if ARGV[7] ~= '' then
  redis.call('SET', KEYS[3], ARGV[8], 'PX', ttl)
  remember(KEYS[2], ARGV[7], ttl)
end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
)";

constexpr std::string_view kWriteLease = R"(
local ttl = tonumber(ARGV[3])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ttl)
remember(KEYS[2], ARGV[1], ttl)
return 1
)";

constexpr std::string_view kRemoveLease = R"(
if redis.call('DEL', KEYS[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
prune(KEYS[2])
if redis.call('ZCARD', KEYS[2]) > 0 then return 0 end
for _, state in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  redis.call('DEL', ARGV[2] .. state)
end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
return 1
)";

constexpr std::string_view kRenew = R"(
local ttl = tonumber(ARGV[3])
local function extend(key)
  local left = redis.call('PTTL', key)
  if left < 0 or left >= ttl then return false end
  redis.call('PEXPIRE', key, ttl)
  return true
end
if extend(KEYS[1]) then remember(KEYS[2], ARGV[1], ttl) end
extend(KEYS[3])
if ARGV[2] ~= '' and extend(KEYS[5]) then remember(KEYS[4], ARGV[2], ttl) end
return 1
)";

std::string Sha1(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace

RedisScript::RedisScript(std::string script) : text(std::move(script)), digest(Sha1(text)) {}

RedisScripts::RedisScripts()
    : write_session(Concat(kNow, kRemember, kWriteSession)),
      write_lease(Concat(kNow, kRemember, kWriteLease)),
      remove_lease(Concat(kNow, kRemoveLease)),
      renew(Concat(kNow, kRemember, kRenew)) {}

}  // namespace stagedoor::server

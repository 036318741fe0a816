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

// Numbers of Lua are written like 1e+15 if they are large.
constexpr std::string_view kSlots = R"(
local length = tonumber(ARGV[1])
local function slot(back)
  return string.format('%.0f', math.floor(now / length) - back)
end
)";

constexpr std::string_view kRecordUse = R"(
local uses, recipes = KEYS[1] .. slot(0), KEYS[2] .. slot(0)
redis.call('ZADD', uses, 'INCR', ARGV[5], ARGV[3])
redis.call('HSET', recipes, ARGV[3], ARGV[4])
local surplus = redis.call('ZCARD', uses) - tonumber(ARGV[2])
if surplus > 0 then
  for _, recipe in ipairs(redis.call('ZRANGE', uses, 0, surplus - 1)) do
    redis.call('ZREM', uses, recipe)
    redis.call('HDEL', recipes, recipe)
  end
end
local expiry = string.format('%.0f', (slot(0) + 2) * length)
redis.call('PEXPIREAT', uses, expiry)
redis.call('PEXPIREAT', recipes, expiry)
return 1
)";

constexpr std::string_view kHottestRecipes = R"(
local weights, order = {}, {}
for back = 0, 1 do
  local found = redis.call('ZRANGE', KEYS[1] .. slot(back), 0, -1, 'WITHSCORES')
  for i = 1, #found, 2 do
    if not weights[found[i]] then table.insert(order, found[i]) end
    weights[found[i]] = (weights[found[i]] or 0) + tonumber(found[i + 1])
  end
end
table.sort(order, function(a, b) return weights[a] > weights[b] end)
local records = {}
for i = 1, math.min(#order, tonumber(ARGV[2])) do
  records[i] = redis.call('HGET', KEYS[2] .. slot(0), order[i])
      or redis.call('HGET', KEYS[2] .. slot(1), order[i])
end
return records
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
      renew(Concat(kNow, kRemember, kRenew)),
      record_use(Concat(kNow, kSlots, kRecordUse)),
      hottest_recipes(Concat(kNow, kSlots, kHottestRecipes)) {}

}  // namespace stagedoor::server

#ifndef STAGEDOOR_SERVER_STORE_REDIS_SCRIPTS_H_
#define STAGEDOOR_SERVER_STORE_REDIS_SCRIPTS_H_

#include <string>
#include <string_view>

namespace stagedoor::server {

// A Lua script that the server runs as one transaction. It is known to the server by its digest
// once it has run there.
struct RedisScript {
  explicit RedisScript(std::string text);

  std::string text;
  std::string digest;  // SHA-1 in hexadecimal digits
};

// The scripts by which the session store changes records. Times are in milliseconds. The keys of a
// session S with states T and leases L:
//   SESSION   a hash: "record", "revision"
//   STATES    a sorted set of its states by the time when they expire
//   STATE     the record of one state
//   LEASES    a sorted set of its leases by the time when they expire
//   LEASE     the record of one lease
// The sets live as long as the longest-lived of their elements. Each record expires by itself.
//
// The uses of recipes in a slot of time, which has a number N, expire together:
//   USES N     a sorted set of recipes by their weights
//   RECIPES N  a hash of the records of these recipes
struct RedisScripts {
  // KEYS: SESSION, STATES, STATE. ARGV: the expected revision, the next one, the record, the time
  // to live, the channel, the announcement, the state (may be empty), the state's record. Returns 1
  // if the revision was the expected one and the records were written, else 0.
  const RedisScript write_session;
  // KEYS: LEASE, LEASES. ARGV: the lease, the record, the time to live.
  const RedisScript write_lease;
  // KEYS: LEASE, LEASES, SESSION, STATES. ARGV: the lease, what precedes a state in STATE.
  const RedisScript remove_lease;
  // KEYS: LEASE, LEASES, SESSION, STATES, STATE. ARGV: the lease, the state, the time to live.
  const RedisScript renew;
  // KEYS: USES and RECIPES without the number, which the script adds. ARGV: the length of a slot,
  // the maximum number of recipes, the recipe, its record, the weight.
  const RedisScript record_use;
  // KEYS: the same. ARGV: the length of a slot, how many recipes. Returns their records.
  const RedisScript hottest_recipes;

  RedisScripts();
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_SCRIPTS_H_
